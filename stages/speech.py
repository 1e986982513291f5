"""Speech: what is said in the video, word by word, at the instant at which it is heard, in the language in which it is said.

A single mention is what the product exists to keep, and an invented sentence is what it exists to refuse. So the sound is measured
before anything is written down (`stages.voice`), only what is voiced is given to the recogniser, passage by passage and without the text
of the passage before, and its words are held against the measurements (`stages.speech_guards`). What could not be heard is stated.
"""

from __future__ import annotations

import contextlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from stages.audio import Sound, decode_sound
from stages.engines.speech_recogniser import RecognitionFailed, Samples, SpeechRecogniser
from stages.engines.whisper import choose_whisper
from stages.errors import StageFailed
from stages.evidence import Channel, Coverage, CoverageState, Evidence, EvidenceSet, Kind, evidence_id
from stages.instant import Span, Timeline
from stages.settings import Settings
from stages.speech_guards import Reading, judge, stock_files
from stages.store import StageStore, digest, file_sha256, read_evidence, write_evidence
from stages.video import AudioTrack, Video
from stages.voice import CLEAR_VOICE, FRAME_MS, LEVEL_MS, Activity, Passage, loudness

__all__ = ["Progress", "hear", "read_speech"]

Progress = Callable[[float], None]
"""Told the fraction of the stage that is done, 0..1."""

VERSION: Final = 1
"""Part of the key of every stored result: raise it when the same sound would be read differently."""

_BLOCK_MS: Final = 320_000
_WARM_UP_MS: Final = 1_600
"""The voice detector remembers what came before; whole frames of it are given again at each block."""
_MEASURED: Final = 0.1
"""Share of the work that measuring the sound is, for progress."""

_SILENT: Final = 0.0005
"""-66 dBFS: nothing above it in any 30 ms is a track of silence."""
_VOTERS: Final = 5
_CLEAR_LANGUAGE: Final = 0.8
_MISSED_MS: Final = 1_000
"""This much voice of which nothing was written is heard once more, alone."""
_GARBLED_MS: Final = 2_000
"""This much voice of which nothing can be believed is unread: a laugh is shorter."""
_ENOUGH_VOICE_MS: Final = 2_000
"""A passage with less voice in it speaks the language of the video, whatever it sounds like."""


def read_speech(video: Video, settings: Settings, store: StageStore, progress: Progress = lambda fraction: None) -> EvidenceSet:
    """The speech of `video`, channel `fala` only, from the store where it was read before.

    An engine that breaks on this video is a fact of coverage. Raises what no video could be read with: `MissingModel`,
    `MissingDependency`, and `UsageError` for a language that the model does not know.
    """
    if video.audio is None and "sound_undecodable" in video.notes:
        return _nothing(video, _failed(video.timeline, "decode_error", "the original's sound cannot be decoded"))
    if video.audio is None:
        return _nothing(video, Coverage(Channel.FALA, CoverageState.COMPLETE, reason="no_audio_track"))
    choice = choose_whisper(settings)
    inputs = {
        "video": video.sha256, "media": video.media_sha256, "engine": choice.engine, "model": choice.sha256, "device": choice.device,
        "compute_type": choice.compute_type, "language": settings.speech_language,
        "stock": digest(*(file_sha256(path) for path in stock_files())),
    }  # fmt: skip

    def make(folder: Path) -> None:
        try:
            sound = decode_sound(video.media, folder / "sound.s16")
        except StageFailed as error:
            raise _Unkept(_nothing(video, _failed(video.timeline, "decode_error", error.message))) from error
        evidence = hear(video, sound, choice.load(), settings.speech_language, progress)
        sound.path.unlink()
        if evidence.coverage[Channel.FALA].reason == "engine_failed":
            raise _Unkept(evidence)
        write_evidence(folder / "evidence.parquet", evidence)

    try:
        entry = store.build("speech", store.key("speech", VERSION, inputs), make)
    except _Unkept as unkept:
        return unkept.evidence
    return read_evidence(entry / "evidence.parquet")


class _Unkept(Exception):
    """A result that is reported and not stored: what broke may hold the next time."""

    def __init__(self, evidence: EvidenceSet) -> None:
        super().__init__()
        self.evidence = evidence


def hear(
    video: Video, sound: Sound, recogniser: SpeechRecogniser, language: str = "", progress: Progress = lambda fraction: None
) -> EvidenceSet:
    """What `recogniser` hears in `sound`, guarded; `language` (BCP 47) is forced where given, else detected on what is voiced."""
    if not sound.duration_ms:
        return _nothing(video, _failed(video.timeline, "decode_error", "the audio track holds no sample"))
    listener = _Listener(sound, recogniser, _measured(sound, recogniser, progress), video.timeline, language)
    passages = listener.activity.passages()
    main = language or listener.main_language(passages)
    heard = listener.hear_all(passages, main, progress)
    # A recogniser stops where the language changes or a speaker pauses, and says nothing about the rest.
    missed = listener.activity.without(_dealt_with(heard, video.timeline)).unheard(_MISSED_MS)
    heard += listener.hear_all(missed, main, lambda fraction: None)
    items = tuple(_evidence(heard, video, recogniser))
    progress(1.0)
    return EvidenceSet(video.sha256, video.timeline, items, {Channel.FALA: _coverage(heard, items, listener, video.audio)})


@dataclass(frozen=True, slots=True)
class _Heard:
    """What became of one passage."""

    passage: Passage
    language: str
    reading: Reading
    fault: str = ""
    """The engine's words, where it broke."""


@dataclass(frozen=True, slots=True)
class _Listener:
    """One soundtrack, and who listens to it."""

    sound: Sound
    recogniser: SpeechRecogniser
    activity: Activity
    timeline: Timeline
    language: str
    """Forced; empty: detected."""

    def main_language(self, passages: Sequence[Passage]) -> str:
        """The language of the passages with most voice in them, each voting with its certainty and length; empty where none can say."""
        votes: defaultdict[str, float] = defaultdict(float)
        for passage in sorted(passages, key=self.activity.voiced_ms, reverse=True)[:_VOTERS]:
            with contextlib.suppress(RecognitionFailed):  # the passage fails again when it is heard, and is reported there
                for language, probability in self.recogniser.languages(self._samples(passage)).items():
                    votes[language] += probability * self.activity.voiced_ms(passage)
        return max(votes, key=votes.__getitem__, default="")

    def hear_all(self, passages: Sequence[Passage], main: str, progress: Progress) -> list[_Heard]:
        """Each passage, in the language `main` where its own is not clear."""
        heard, total, done = [], sum(passage.length_ms for passage in passages), 0
        for passage in passages:
            heard.append(self._hear(passage, main))
            done += passage.length_ms
            progress(_MEASURED + (1 - _MEASURED) * done / total)
        return heard

    def _samples(self, passage: Passage) -> Samples:
        return self.sound.read(passage.start_ms, passage.end_ms)

    def _hear(self, passage: Passage, main: str) -> _Heard:
        """The passage, read again by another path where the first reading fails by its own measures and the second fails less."""
        samples, language = self._samples(passage), main
        try:
            if not self.language:
                language = self._language_of(passage, samples, main)
            reading = self._read(passage, samples, language, again=False)
            if reading.failing and self.activity.clearest(passage.start_ms, passage.end_ms) >= CLEAR_VOICE:
                reading = min(reading, self._read(passage, samples, language, again=True), key=lambda one: one.failing)
        except RecognitionFailed as fault:
            return _Heard(passage, language, Reading((), (), 1.0), fault.message)
        return _Heard(passage, language, reading)

    def _language_of(self, passage: Passage, samples: Samples, main: str) -> str:
        """The language of this passage where that is clear, else the main one: people switch, and detectors err on a short "ok"."""
        found = self.recogniser.languages(samples)
        likeliest = max(found, key=found.__getitem__)
        clear = found[likeliest] >= _CLEAR_LANGUAGE and self.activity.voiced_ms(passage) >= _ENOUGH_VOICE_MS
        return likeliest if clear or not main else main

    def _read(self, passage: Passage, samples: Samples, language: str, *, again: bool) -> Reading:
        return judge(self.recogniser.transcribe(samples, language, again=again), passage, self.activity, self.timeline)


def _measured(sound: Sound, recogniser: SpeechRecogniser, progress: Progress) -> Activity:
    """Voice and level of every frame of the soundtrack, a block at a time."""
    voice, level = [], []
    for start, end in sound.blocks(_BLOCK_MS):
        before = min(start, _WARM_UP_MS)
        samples = sound.read(start - before, end)
        voice.append(recogniser.voice(samples)[before // FRAME_MS :])
        level.append(loudness(samples)[before // LEVEL_MS :])
        progress(_MEASURED * end / sound.duration_ms)
    return Activity(np.concatenate(voice), np.concatenate(level), sound.duration_ms)


def _dealt_with(heard: Sequence[_Heard], timeline: Timeline) -> list[Span]:
    """The words that were written, and the passages that broke the engine."""
    words = [word.span for one in heard for sentence in one.reading.sentences for word in sentence.words]
    return words + [_within(timeline, one.passage) for one in heard if one.fault]


def _within(timeline: Timeline, passage: Passage) -> Span:
    """The part of the passage that a player can show: sound may run on after the timeline's end."""
    return timeline.span(min(passage.start_ms, timeline.duration_ms), min(passage.end_ms, timeline.duration_ms))


def _evidence(heard: Sequence[_Heard], video: Video, recogniser: SpeechRecogniser) -> Iterator[Evidence]:
    sentences = [(sentence, one.language) for one in heard for sentence in one.reading.sentences]
    for number, (sentence, language) in enumerate(sorted(sentences, key=lambda pair: pair[0].start_ms), 1):
        yield Evidence(
            id=evidence_id(Channel.FALA, number), channel=Channel.FALA, kind=Kind.SPEECH,
            span=video.timeline.span(sentence.start_ms, sentence.end_ms), instant=sentence.words[0].span.start, text=sentence.text,
            confidence=sentence.confidence, engine=recogniser.name, model=recogniser.model, video_sha256=video.sha256, language=language,
            words=tuple(replace(word, text=word.text.strip()) for word in sentence.words), distrust_reason=sentence.reason,
        )  # fmt: skip


def _coverage(heard: Sequence[_Heard], items: Sequence[Evidence], listener: _Listener, track: AudioTrack | None) -> Coverage:
    """What could be heard. Unread are the passages that broke the engine or of which it gave impossible times, and clear voices of which
    no believable word came out."""
    activity, detail = listener.activity, "; ".join([*_track(track), *_figures(heard, items)])
    broken = [one.passage for one in heard if one.fault]
    impossible = [one.passage for one in heard if one.reading.refused]
    believed = [word.span for item in items if item.trusted for word in item.words]
    garbled = activity.without(believed).unheard(_GARBLED_MS)
    reason = "engine_failed" if broken else "impossible_times" if impossible else "unintelligible" if garbled else ""
    if reason:
        unread = tuple(_within(listener.timeline, passage) for passage in sorted({*broken, *impossible, *garbled}))
        state = CoverageState.FAILED if broken and len(broken) == len(heard) else CoverageState.PARTIAL
        return Coverage(Channel.FALA, state, unread, reason, detail)
    if activity.loudest(0, activity.duration_ms) < _SILENT:
        reason = "silent"
    elif not believed:
        reason = "no_speech"
    return Coverage(Channel.FALA, CoverageState.COMPLETE, reason=reason, detail=detail)


def _track(track: AudioTrack | None) -> list[str]:
    """Which of several tracks was heard, and what language the file claims for it."""
    if track is None or track.count == 1:
        return []
    return [f"audio track {track.index + 1} of {track.count}" + (f" ({track.language})" if track.language else "")]


def _figures(heard: Sequence[_Heard], items: Sequence[Evidence]) -> list[str]:
    """For people: what was heard in which language, what is doubtful and what was refused."""
    languages = Counter[str]()
    for one in heard:
        languages[one.language] += one.passage.length_ms
    doubtful = Counter(item.distrust_reason for item in items if not item.trusted)
    refusals = [reason for one in heard for reason in one.reading.refused]
    return (
        [f"{len(heard)} voiced passages, {len(items)} sentences"]
        + [f"{milliseconds / 1000:.1f} s in {language or 'no known language'}" for language, milliseconds in languages.most_common()]
        + [f"{count} not trusted: {reason}" for reason, count in sorted(doubtful.items())]
        + ([f"{len(refusals)} refused: {', '.join(refusals)}"] if refusals else [])
        + [one.fault for one in heard if one.fault]
    )


def _nothing(video: Video, coverage: Coverage) -> EvidenceSet:
    return EvidenceSet(video.sha256, video.timeline, (), {Channel.FALA: coverage})


def _failed(timeline: Timeline, reason: str, detail: str) -> Coverage:
    return Coverage(Channel.FALA, CoverageState.FAILED, (timeline.whole(),), reason, detail)
