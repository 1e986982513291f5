"""What each kind of provider answers right, from the prompt to the validated claims: `python -m benchmarks.questions`.

--half score|tune       files only counted (the default), or files whose answers may be looked at while prompts are changed
--providers NAMES       of literal, 0.5B and 1.5B; the first model runs embedded, the second behind an HTTP endpoint on loopback
--folder DIR            answers already given are kept there, so that an interrupted run goes on
--minutes N             stop asking after so long; what was asked is counted, and what was not is said
--verbose               each question with what came of it
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import gettempdir
from typing import Final

from benchmarks.questions.cases import Asked, Case, load_cases, right
from benchmarks.questions.server import endpoint
from benchmarks.side_by_side import machine
from stages.ask import ask
from stages.check import Answers, check_claims
from stages.claim import ReadClaim
from stages.engines.embeddings import embeddings_version
from stages.findings import Findings
from stages.retrieval import retrieve
from stages.settings import ProviderEntry, Settings
from stages.store import StageStore
from stages.validate import validate
from stages.windows import about

SMALL: Final = "qwen2.5-coder-0.5b-instruct-q4_k_m"
LARGER: Final = "qwen2.5-coder-1.5b-instruct-q4_k_m"
PROVIDERS: Final = ("literal", "0.5B", "1.5B")


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one question."""

    asked: Asked
    valid: bool
    """The model's answer was of the form and whole; none of a video is where one was cut."""
    answered: bool
    """A read claim answers."""
    right: bool
    unsupported: int
    """Read claims that the check, run again on its own, refuses."""
    beside: int
    """Read claims that cite nothing of what answers."""


@contextlib.contextmanager
def provider_settings(provider: str, folder: Path) -> Iterator[Settings]:
    """Settings in which that provider (of `PROVIDERS`) answers, as long as the block lasts."""
    if provider == "literal":
        yield Settings(out=folder, model="none")
    elif provider == "0.5B":
        yield Settings(out=folder, providers=(ProviderEntry(provider, "embedded", SMALL, context_tokens=4096, timeout_s=1200),))
    else:
        with endpoint(LARGER) as address:
            entry = ProviderEntry(provider, "openai", LARGER, address, form="quoted", context_tokens=4096, timeout_s=1200)
            yield Settings(out=folder, providers=(entry,))


def _results(case: Case, wanted: Sequence[Asked], settings: Settings, store: StageStore) -> list[tuple[Result, Findings]]:
    """What comes of some of a video's questions, asked together as a run asks them."""
    questions = [asked.question for asked in wanted]
    answer = ask(case.video, case.evidence, questions, settings, store)
    findings = validate(answer.drafts, answer.provider, case.evidence, questions, wanted[0].language)
    return [(_result(case, asked, findings), findings) for asked in wanted]


def _result(case: Case, asked: Asked, findings: Findings) -> Result:
    read = [claim for claim in findings.read if claim.question == asked.question.number]
    valid = asked.question.number not in findings.provider.unasked and not findings.provider.truncated
    wanted = frozenset().union(*asked.needs)
    beside = sum(not any(item.id in wanted for item in claim.evidence) for claim in read)
    return Result(asked, valid, bool(read), right(asked, read), _unsupported(read, case), beside)


def _unsupported(read: Sequence[ReadClaim], case: Case) -> int:
    if not read:
        return 0
    items = tuple({"base": claim.base.value, "text": claim.text, "evidence": [item.id for item in claim.evidence]} for claim in read)
    return sum(not result["accepted"] for result in check_claims(Answers(items), None, case.evidence).as_json()["results"])


def _row(name: str, language: str, results: Sequence[Result]) -> str:
    answerable = [item for item in results if item.asked.answerable]
    absent = [item for item in results if not item.asked.answerable]
    silent = [item for item in results if not item.answered]
    cells = (
        name, language, len(results), _share([item.valid for item in results]), sum(item.unsupported for item in results),
        sum(item.beside for item in results), _share([item.right for item in results if item.answered]),
        _share([item.right for item in answerable]), _share([not item.asked.answerable for item in silent]),
        _share([not item.answered for item in absent]),
    )  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def _share(held: Sequence[bool]) -> str:
    return f"{sum(held)}/{len(held)} ({sum(held) / len(held):.0%})" if held else "-"


def _asked_of(provider: str, wanted: Sequence[tuple[Case, Asked]], folder: Path, until: float, verbose: bool) -> list[Result]:
    results: list[Result] = []
    store = StageStore(folder / "cache")
    with provider_settings(provider, folder) as settings:
        for name, of_one in groupby(wanted, key=lambda pair: pair[0].name):
            if time.monotonic() > until:
                break
            pairs = list(of_one)
            for result, findings in _results(pairs[0][0], [asked for _, asked in pairs], settings, store):
                results.append(result)
                if verbose:
                    _say(provider, name, result, findings)
    return results


def _say(provider: str, name: str, result: Result, findings: Findings) -> None:
    good = result.right if result.asked.answerable else not result.answered
    number = result.asked.question.number
    read = [(claim.text, [item.id for item in claim.evidence]) for claim in findings.read if claim.question == number]
    refused = [(str(item.rule), item.draft.text or item.draft.quote) for item in findings.rejections if item.draft.question == number]
    print("ok " if good else "BAD", provider, name, result.asked.question.text, "->", read or "nao_consta", refused or "", flush=True)


def _say_retrieval(wanted: Sequence[tuple[Case, Asked]]) -> int:
    found: dict[str, list[bool]] = {"words": [], "words and meaning": []}
    for case, asked in wanted:
        if asked.answerable:
            by_words = [hit.evidence.id for hit in retrieve(asked.question.text, case.evidence.items)]
            fused = [item.id for item in about(asked.question.text, case.evidence.items)]
            for name, order in zip(found, (by_words, fused), strict=True):
                found[name].append(all(set(order[:5]) & group for group in asked.needs))
    for name, held in found.items():
        print(f"{name}: all that is needed among the five closest: {_share(held)}")
    print(f"embeddings: {embeddings_version() or 'not installed, so both are the same'}")
    return 0


def main() -> int:
    """Print the tables; returns 1 where a read claim was not supported."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("score", "tune"), default="score")
    parser.add_argument("--providers", default=",".join(PROVIDERS))
    parser.add_argument("--folder", type=Path, default=Path(gettempdir(), "frame-oracle-questions"))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--retrieval", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    cases, until = load_cases(given.half), time.monotonic() + given.minutes * 60
    wanted = [(case, asked) for case in cases for asked in case.asked][:: given.every]
    if given.retrieval:
        return _say_retrieval(wanted)
    total = len(wanted)
    unsupported = 0
    print(f"{given.half}: {total} questions over {len(cases)} videos; {machine()}")
    heads = "provider, language, asked, valid, unsupported, beside the point, answers: precision, recall, nao_consta: precision, recall"
    print(f"| {heads.replace(', ', ' | ')} |\n{'|---' * 10}|")
    for provider in given.providers.split(","):
        results = _asked_of(provider, wanted, given.folder, until, given.verbose)
        for language in ("pt", "es", "en"):
            print(_row(provider, language, [item for item in results if item.asked.language == language]))
        print(_row(provider, "all", results), flush=True)
        if len(results) < total:
            print(f"{provider}: {total - len(results)} questions were not asked: the time was up.")
        unsupported += sum(item.unsupported for item in results)
    return 1 if unsupported else 0


if __name__ == "__main__":
    sys.exit(main())
