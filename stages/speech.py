"""Speech: what is said in the video, word by word, at the instant at which it is heard, in the language in which it is said.

A single mention is what the product exists to keep, and an invented sentence is what it exists to refuse. So the sound is measured
before anything is written down (`stages.voice`), only what is voiced is given to the recogniser, passage by passage and without the text
of the passage before, and its words are held against the measurements (`stages.speech_guards`). What could not be heard is stated.
"""

from __future__ import annotations

import contextlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from babel.core import get_global

from stages.audio import Sound, decode_sound
from stages.engines.speech_recogniser import BATCH, HeardSegment, RecognitionFailed, Samples, SpeechRecogniser
from stages.engines.whisper import choose_whisper
from stages.errors import StageFailed
from stages.evidence import Channel, Coverage, CoverageState, Evidence, EvidenceSet, Kind, evidence_id
from stages.instant import Span, Timeline
from stages.packing import Window, packed, taken_apart
from stages.settings import Settings
from stages.speech_guards import Reading, judge, stock_files
from stages.store import StageStore, digest, file_sha256, read_evidence, write_evidence
from stages.video import AudioTrack, Video
from stages.voice import CLEAR_VOICE, FRAME_MS, LEVEL_MS, Activity, Passage, loudness

__all__ = ["Progress", "hear", "read_speech"]

Progress = Callable[[float], None]
"""Told the fraction of the stage that is done, 0..1."""

VERSION: Final = 3
"""Part of the key of every stored result: raise it when the same sound would be read differently."""

_BLOCK_MS: Final = 320_000
_WARM_UP_MS: Final = 1_600
"""The voice detector remembers what came before; whole frames of it are given again at each block."""
_MEASURED: Final = 0.1
"""Share of the work that measuring the sound is, for progress."""

_SILENT: Final = 0.0005
"""-66 dBFS: nothing above it in any 30 ms is a track of silence."""
_CLEAR_LANGUAGE: Final = 0.8
_FOREIGN: Final = 0.6
"""Mean probability of the words below which a passage in a shared window may be in another language than the window."""
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
        evidence = _with_damage(video, hear(video, sound, choice.load(), settings.speech_language, progress))
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
    main, told = listener.main_language(passages, _claimed(video.audio))
    heard = listener.hear_all(passages, main, progress)
    # A recogniser stops where the language changes or a speaker pauses, and says nothing about the rest.
    missed = listener.activity.without(_dealt_with(heard, video.timeline)).unheard(_MISSED_MS)
    heard += listener.hear_all(missed, main, lambda fraction: None)
    items = tuple(_evidence(heard, video, recogniser, "" if told else "language_unclear"))
    progress(1.0)
    return EvidenceSet(video.sha256, video.timeline, items, {Channel.FALA: _coverage(heard, items, listener, video.audio)})


_NOTHING_READ: Final = Reading((), (), 1.0)


@dataclass(frozen=True, slots=True)
class _Heard:
    """What became of one passage."""

    passage: Passage
    language: str
    reading: Reading
    shared: bool = False
    """It was heard together with others."""
    sure: bool = True
    """One language holds for all that was heard together."""
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

    def main_language(self, passages: Sequence[Passage], claimed: str) -> tuple[str, bool]:
        """The language of the windows with most voice in them, each voting with its certainty and length, empty where none can say; and
        whether it can be relied on. Where there is less voice than it takes to tell, the language `claimed` by the file decides."""
        if self.language:
            return self.language, True
        votes: defaultdict[str, float] = defaultdict(float)
        windows = list(packed(passages))
        voters = sorted(sorted(windows, key=self._voiced_ms)[-BATCH:], key=lambda window: window.parts)
        with contextlib.suppress(RecognitionFailed):  # it fails again when it is heard, and is reported there
            for window, found in zip(voters, self.recogniser.languages([self._samples(window) for window in voters]), strict=True):
                for language, probability in found.items():
                    votes[language] += probability * self._voiced_ms(window)
        likeliest = max(votes, key=votes.__getitem__, default="")
        voiced = sum(map(self._voiced_ms, windows))
        if voiced >= _ENOUGH_VOICE_MS or not likeliest or votes[likeliest] >= _CLEAR_LANGUAGE * sum(votes.values()):
            return likeliest, True
        return (claimed, True) if claimed in votes else (likeliest, False)

    def hear_all(self, passages: Sequence[Passage], main: str, progress: Progress) -> list[_Heard]:
        """Each passage, in the language `main` where its own is not clear. What comes doubtful out of the first reading is heard again."""
        windows, heard = list(packed(passages)), list[_Heard]()
        for at in range(0, len(windows), BATCH):
            heard += [self._heard_again(one, main) if self._doubtful(one) else one for one in self._hear(windows[at : at + BATCH], main)]
            progress(_MEASURED + (1 - _MEASURED) * min(1.0, (at + BATCH) / len(windows)))
        return heard

    def _samples(self, window: Window) -> Samples:
        return np.concatenate([self.sound.read(part.start_ms, part.end_ms) for part in window.parts])

    def _voiced_ms(self, window: Window) -> int:
        return sum(self.activity.voiced_ms(part) for part in window.parts)

    def _hear(self, windows: Sequence[Window], main: str) -> list[_Heard]:
        """The first reading of at most `BATCH` windows: at once, one by one where that breaks the engine."""
        samples = [self._samples(window) for window in windows]
        try:
            if self.language:
                spoken = [(self.language, True)] * len(windows)
            else:
                spoken = [self._language_of(*pair, main) for pair in zip(windows, self.recogniser.languages(samples), strict=True)]
            written = self.recogniser.transcribe(samples, [language for language, _ in spoken])
        except RecognitionFailed as fault:
            if len(windows) > 1:
                return [one for window in windows for one in self._hear([window], main)]
            (window,) = windows
            return [_Heard(part, main, _NOTHING_READ, len(window.parts) > 1, False, fault.message) for part in window.parts]
        return [
            _Heard(part, language, self._judged(segments, part), len(window.parts) > 1, sure)
            for window, (language, sure), heard in zip(windows, spoken, written, strict=True)
            for part, segments in zip(window.parts, taken_apart(heard, window), strict=True)
        ]

    def _language_of(self, window: Window, found: Mapping[str, float], main: str) -> tuple[str, bool]:
        """The language of this window where that is clear, else the main one: people switch, and detectors err on a short "ok". And whether
        one language can be said to hold for all of it."""
        likeliest = max(found, key=found.__getitem__)
        clear = found[likeliest] >= _CLEAR_LANGUAGE
        enough = self._voiced_ms(window) >= _ENOUGH_VOICE_MS
        return (likeliest if (clear and enough) or not main else main), clear or len(window.parts) == 1

    def _judged(self, segments: Sequence[HeardSegment], passage: Passage) -> Reading:
        return judge(segments, passage, self.activity, self.timeline)

    def _doubtful(self, one: _Heard) -> bool:
        """Whether the passage deserves a second hearing: the first failed, or it shared a window that may hold two languages."""
        if one.fault or (one.reading.failing and self.activity.clearest(one.passage.start_ms, one.passage.end_ms) >= CLEAR_VOICE):
            return one.shared or not one.fault
        foreign = not self.language and (not one.sure or one.reading.confidence < _FOREIGN)
        return one.shared and foreign and self.activity.voiced_ms(one.passage) >= _ENOUGH_VOICE_MS

    def _heard_again(self, first: _Heard, main: str) -> _Heard:
        """The best of the first reading, of one alone where it shared a window, and of one by another path where that fails, too."""
        passage, window = first.passage, Window((first.passage,))
        samples, readings = self._samples(window), [first]
        try:
            if first.shared:
                readings += self._hear([window], main)
            latest = readings[-1]
            if latest.reading.failing and not latest.fault and self.activity.clearest(passage.start_ms, passage.end_ms) >= CLEAR_VOICE:
                again = self._judged(self.recogniser.transcribe_again(samples, latest.language), passage)
                readings.append(_Heard(passage, latest.language, again))
        except RecognitionFailed as fault:
            readings.append(replace(first, reading=_NOTHING_READ, fault=fault.message))
        return min(readings, key=lambda one: (one.reading.failing, -one.reading.confidence))


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


def _claimed(track: AudioTrack | None) -> str:
    """The track's language as its container claims it, in the shortest code (`por` is `pt`); empty where it claims none."""
    claimed = track.language.split("-")[0].casefold() if track else ""
    return str(get_global("language_aliases").get(claimed, claimed))


def _evidence(heard: Sequence[_Heard], video: Video, recogniser: SpeechRecogniser, doubt: str) -> Iterator[Evidence]:
    """The sentences in order of time; `doubt` is what speaks against all of them."""
    sentences = [(sentence, one.language) for one in heard for sentence in one.reading.sentences]
    for number, (sentence, language) in enumerate(sorted(sentences, key=lambda pair: pair[0].start_ms), 1):
        yield Evidence(
            id=evidence_id(Channel.FALA, number), channel=Channel.FALA, kind=Kind.SPEECH,
            span=video.timeline.span(sentence.start_ms, sentence.end_ms), instant=sentence.words[0].span.start, text=sentence.text,
            confidence=sentence.confidence, engine=recogniser.name, model=recogniser.model, video_sha256=video.sha256, language=language,
            words=tuple(replace(word, text=word.text.strip()) for word in sentence.words), distrust_reason=sentence.reason or doubt,
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


def _with_damage(video: Video, evidence: EvidenceSet) -> EvidenceSet:
    """What was heard, and the stretches where the original's sound is damaged as unread: what is delivered there was made up."""
    said = evidence.coverage[Channel.FALA]
    end = video.timeline.duration_ms
    damaged = {video.timeline.span(min(start, end), min(stop, end)) for start, stop in video.damaged_sound}
    if not damaged or said.state is CoverageState.FAILED:
        return evidence
    unread = tuple(sorted({*said.unread, *damaged}))
    partial = Coverage(Channel.FALA, CoverageState.PARTIAL, unread, said.reason if said.unread else "decode_error", said.detail)
    return replace(evidence, coverage={Channel.FALA: partial})


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
