"""Everything a run may be told, in one frozen record, validated where it is made (`flows/cli.py`) and never changed after."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import platformdirs

from stages.errors import UsageError

__all__ = ["Budget", "ProviderEntry", "Settings", "default_cache", "default_models", "host_of", "require_language_tag"]

MODES = ("completo", "breve", "briefing")
OCR_ENGINES = ("auto", "rapidocr", "easyocr")
DEVICES = ("auto", "cpu", "cuda")
MEDIA = ("copy", "proxy", "none")
RUNNERS = ("auto", "prefect", "direct")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def host_of(address: str) -> str:
    """The host of a web address, in lower case; empty where it has none."""
    return (urlsplit(address).hostname or "").lower()


def require_language_tag(name: str, tag: str) -> None:
    """Raise `UsageError` where `tag`, given as `name`, is neither empty nor of the form of BCP 47."""
    if tag and not _LANGUAGE.fullmatch(tag):
        raise UsageError(f"{name}: {tag!r} is not a language tag.", hint="Write pt, es, en, pt-BR…")


def default_cache() -> Path:
    """Where stage results are kept between runs: `FRAME_ORACLE_CACHE`, else the user's cache folder."""
    return Path(os.environ.get("FRAME_ORACLE_CACHE") or platformdirs.user_cache_path("frame-oracle") / "stages")


def default_models() -> Path:
    """Where verified weights are kept: `FRAME_ORACLE_MODELS`, else the user's cache folder."""
    return Path(os.environ.get("FRAME_ORACLE_MODELS") or platformdirs.user_cache_path("frame-oracle") / "models")


@dataclass(frozen=True, slots=True)
class ProviderEntry:
    """One entry of the provider chain (`[[provider]]` in the configuration file)."""

    name: str
    kind: str
    """`openai` (any OpenAI-compatible endpoint), `anthropic`, or `embedded` (a GGUF of the model store, named by `model`)."""
    model: str = ""
    base_url: str = ""
    """Empty only for `anthropic`: the SDK's own address."""
    api_key_env: str = ""
    """Name of the environment variable that holds the key; the key itself is never in a file of ours."""
    timeout_s: float = 120.0
    """Seconds that one call may take, from the first look-up of the address to the last byte."""
    context_tokens: int = 8192
    form: str = ""
    """`cited` or `quoted` (`stages.answer_form`); empty: `quoted` for the embedded models, `cited` for all others."""
    structured: bool = True
    """The endpoint takes a JSON Schema; false where it refuses one, so that the form is only asked for in words."""
    vision: bool = False
    """The model can look at pictures."""
    own_host: bool = False
    """It runs on a host of the configuration's `own_hosts`. Not a key of the file: computed from the address."""

    @property
    def stays(self) -> bool:
        """Whether evidence that is shown to it stays on hosts of one's own."""
        return self.kind == "embedded" or self.own_host or host_of(self.base_url) in _LOOPBACK


@dataclass(frozen=True, slots=True)
class Budget:
    """What answering the questions of one video may cost (`[budget]` in the configuration file)."""

    seconds: float = 3600.0
    tokens: int = 1_000_000
    """Of prompts and answers together, as the providers count them."""
    calls: int = 500


@dataclass(frozen=True, slots=True)
class Settings:
    """A validated run. Paths are absolute."""

    out: Path
    cache: Path = field(default_factory=default_cache)
    providers: tuple[ProviderEntry, ...] = ()
    """Configured endpoints, in the order they are tried."""
    model: str = ""
    """Name of the one entry to use, `none` for literal quotes, empty for the chain."""
    local_only: bool = False
    """No evidence leaves hosts of one's own: a chain with any other provider is refused before anything is read."""
    budget: Budget = Budget()
    profile: str = "generic"
    mode: str = "completo"
    language: str = ""
    """Report language; empty: the questions' language, else the video's."""
    speech_language: str = ""
    """BCP 47 tag forced on the recogniser; empty: detected."""
    audio_track: int = 0
    """Which of the original's audio streams is delivered and heard, from 1; 0: the first flagged default, else the first."""
    whisper_model: str = "whisper-base"
    """Name in data/models.toml or a path to a CTranslate2 folder."""
    ocr: str = "auto"
    device: str = "auto"
    media: str = "copy"
    link_base: str = ""
    """Web address under which the bundle's folder will be published; empty: relative links only."""
    archive: bool = False
    """Each bundle also as `<slug>.zip`."""
    single_file_mb: float = 0.0
    """Largest size in MB of the one page for mail, `<slug>.html`; 0: none is made."""
    gap_log: Path | None = None
    """Private file for the words of unanswered questions; None: they are kept nowhere outside the reports."""
    jobs: int = 1
    runner: str = "auto"
    """`prefect`, `direct`, or `auto`: Prefect where an API is configured."""
    dry: bool = False
    """Make nothing and write nothing: the first result that is not there ends the video with `NotStored`."""
    passed_over: frozenset[Path] = frozenset()
    """Files of the input that are not to be read now, absolute: those still being written, for one."""

    def __post_init__(self) -> None:
        for name, allowed in (("mode", MODES), ("ocr", OCR_ENGINES), ("device", DEVICES), ("media", MEDIA), ("runner", RUNNERS)):
            if (value := getattr(self, name)) not in allowed:
                raise UsageError(f"{name}: {value!r} is not known.", hint=f"Choose one of {', '.join(allowed)}.")
        if self.local_only and (others := [entry for entry in self.providers if not entry.stays]):
            where = ", ".join(f"{entry.name} ({host_of(entry.base_url) or entry.kind})" for entry in others)
            hint = "Remove it from the configuration, or list its host in own_hosts if it is yours."
            raise UsageError(f"local_only: evidence would leave for {where}.", hint=hint)
        require_language_tag("lang", self.language)
        require_language_tag("speech-lang", self.speech_language)
        if self.jobs < 1:
            raise UsageError(f"jobs: {self.jobs} is not a number of videos at a time.", hint="Give 1 or more.")
        if self.audio_track < 0:
            raise UsageError(f"audio-track: {self.audio_track} is not a track.", hint="Give 1 for the first.")
        if not 0 <= self.single_file_mb < math.inf:
            raise UsageError(f"single-file-budget: {self.single_file_mb:g} MB is no size.", hint="Give a number above 0.")
        if self.link_base and not self.link_base.startswith(("http://", "https://")):
            raise UsageError(f"link-base: {self.link_base!r} is not a web address.", hint="Give one that starts with https://.")
