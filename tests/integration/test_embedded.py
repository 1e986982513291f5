"""The embedded language model, for real: the 0.5B of the catalogue, on prompts of a few dozen tokens."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from stages.engines.completion import Fault, ProviderError
from stages.engines.embedded import EmbeddedModel
from stages.models import get_model, is_present
from stages.second_look import LOOK_SCHEMA, LOOK_TOKENS, LOOK_WORDS, look_messages

NAME = "qwen2.5-coder-0.5b-instruct-q4_k_m"

pytestmark = pytest.mark.skipif(not is_present(NAME), reason=f"needs: frame-oracle models get {NAME}")

EVIDENCE = "T-000001: Forno a 180 graus\nF-000002: use meio quilo de farinha"
ASKED = [{"role": "system", "content": EVIDENCE}, {"role": "user", "content": "Quanta farinha? Responda em JSON."}]
SCHEMA = {
    "type": "object",
    "properties": {
        "quote": {"type": "string", "minLength": 1, "maxLength": 24},
        "evidence": {"type": "array", "items": {"enum": ["T-000001", "F-000002"]}, "minItems": 1, "maxItems": 1},
    },
    "required": ["quote", "evidence"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def model() -> Iterator[EmbeddedModel]:
    with EmbeddedModel(get_model(NAME), context_tokens=1024, threads=1) as model:
        yield model


def test_the_answer_obeys_the_schema_and_its_order(model: EmbeddedModel) -> None:
    done = model.complete(ASKED, schema=SCHEMA, max_tokens=60, timeout_s=120)
    answer = json.loads(done.text)
    assert list(answer) == ["quote", "evidence"]
    assert 1 <= len(answer["quote"]) <= 24
    assert answer["evidence"] in (["T-000001"], ["F-000002"])
    assert (done.finish, done.model) == ("stop", NAME)
    assert done.prompt_tokens > 40
    assert 0 < done.answer_tokens < 60


def test_the_same_question_gets_the_same_answer_from_the_cached_prompt(model: EmbeddedModel) -> None:
    first, second = (model.complete(ASKED, schema=SCHEMA, max_tokens=60, timeout_s=120) for _ in range(2))
    assert second.text == first.text
    assert second.cached_tokens > 0.9 * second.prompt_tokens


def test_it_tells_how_sure_it_is_between_two_words(model: EmbeddedModel) -> None:
    asked = look_messages("Quanto dura a aula?", ["a aula dura quarenta minutos"])
    done = model.complete(asked, schema=LOOK_SCHEMA, max_tokens=LOOK_TOKENS, timeout_s=120, between=LOOK_WORDS)
    assert done.weights.keys() == {*LOOK_WORDS}
    assert sum(done.weights.values()) == pytest.approx(1)
    assert done.weights[json.loads(done.text)["gives"]] >= 0.5
    assert model.complete(asked, schema=LOOK_SCHEMA, max_tokens=LOOK_TOKENS, timeout_s=120).weights == {}


def test_an_answer_cut_by_the_limit_says_so(model: EmbeddedModel) -> None:
    done = model.complete(ASKED, schema=SCHEMA, max_tokens=4, timeout_s=120)
    assert done.finish == "length"
    assert done.answer_tokens == 4
    with pytest.raises(json.JSONDecodeError):
        json.loads(done.text)


def test_a_tagged_union_is_obeyed(model: EmbeddedModel) -> None:
    read = {"properties": {"base": {"const": "fala"}, "evidence": {"const": "F-000002"}}, "required": ["base", "evidence"]}
    absent = {"properties": {"base": {"const": "nao_consta"}}, "required": ["base"]}
    variants = [{"type": "object", "additionalProperties": False, **variant} for variant in (read, absent)]
    for keyword in ("anyOf", "oneOf"):
        done = model.complete(ASKED, schema={keyword: variants}, max_tokens=60, timeout_s=120)
        assert json.loads(done.text) in ({"base": "fala", "evidence": "F-000002"}, {"base": "nao_consta"})


def test_a_prompt_longer_than_the_context_is_refused(model: EmbeddedModel) -> None:
    with pytest.raises(ProviderError, match="context") as long:
        model.complete([{"role": "user", "content": "palavra " * 2000}], schema=SCHEMA, max_tokens=10, timeout_s=120)
    assert long.value.fault is Fault.TOO_LONG


def test_time_runs_out_and_the_model_is_ready_again(model: EmbeddedModel) -> None:
    started = time.monotonic()
    with pytest.raises(ProviderError) as late:
        model.complete([{"role": "user", "content": "conte mais " * 200}], schema=SCHEMA, max_tokens=400, timeout_s=0.05)
    assert late.value.fault is Fault.TIMEOUT
    assert time.monotonic() - started < 60, "it was stopped, not awaited: the whole answer has 400 tokens"
    assert model.complete(ASKED, schema=SCHEMA, max_tokens=60, timeout_s=120).finish == "stop"


def test_a_schema_without_a_grammar_never_passes_free_text(model: EmbeddedModel) -> None:
    impossible = {**SCHEMA, "properties": {"quote": {"type": "string", "minLength": 5, "maxLength": 2}}, "required": ["quote"]}
    with pytest.raises(ProviderError) as free:
        model.complete(ASKED, schema=impossible, max_tokens=60, timeout_s=120)
    assert free.value.fault is Fault.BAD_ANSWER


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(100))
    with EmbeddedModel(tmp_path / "broken.gguf") as broken, pytest.raises(ProviderError, match=r"broken\.gguf") as refusal:
        broken.complete(ASKED, schema=SCHEMA, max_tokens=10, timeout_s=60)
    assert refusal.value.fault is Fault.UNAVAILABLE


ALONE = f"""
import glob, subprocess, tempfile, os
from stages.engines.embedded import EmbeddedModel
from stages.models import get_model
model = EmbeddedModel(get_model({NAME!r}), context_tokens=512, threads=1)
print(model.complete([{{"role": "user", "content": "Diga sim."}}], schema={{"enum": ["sim"]}}, max_tokens=9, timeout_s=99).text)
print([entry for entry in open("/proc/self/net/tcp").read().splitlines()[1:] if entry.split()[3] == "0A"
       and any(entry.split()[9] in os.readlink(link) for link in glob.glob("/proc/self/fd/*") if os.path.islink(link))])
"""


def test_it_is_silent_opens_no_port_and_a_process_that_forgets_to_close_ends() -> None:
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == '"sim"\n[]\n'
    assert done.stderr == ""


INTERRUPTED = f"""
from stages.engines.embedded import EmbeddedModel
from stages.models import get_model
with EmbeddedModel(get_model({NAME!r}), context_tokens=4096, threads=1) as model:
    model.complete([{{"role": "user", "content": "Diga sim."}}], schema={{"enum": ["sim"]}}, max_tokens=9, timeout_s=99)
    print("asking", flush=True)
    try:
        model.complete([{{"role": "user", "content": "conte " * 3000}}], schema={{"type": "string"}}, max_tokens=900, timeout_s=99)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    print(model.complete([{{"role": "user", "content": "Diga sim."}}], schema={{"enum": ["sim"]}}, max_tokens=9, timeout_s=99).text)
"""


def test_ctrl_c_stops_an_answer_and_the_model_is_ready_again() -> None:
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "asking\n"
            time.sleep(0.5)
            os.kill(process.pid, signal.SIGINT)
            assert process.communicate(timeout=90)[0] == 'interrupted\n"sim"\n'
            assert process.returncode == 0
        finally:
            process.kill()
