"""The parts of screen reading that decide on pixels and words alone: no video, no engine."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from stages.boxes import TILE, PixelBox, in_pixels, tiles_of
from stages.changes import ChangeMap, Result
from stages.grid import rectangles, search_areas
from stages.icons import Icons, came_along, mark_in
from stages.pacing import Pacing, Restless
from stages.patches import Look, Patch
from stages.pieces import is_piece, joined
from stages.readings import Reading, is_beheaded, is_covered, is_misread, is_part, is_typed, same_text
from stages.standing import StandingStrokes
from stages.strokes import letters, may_hold_letters, may_hold_strokes, strokes
from stages.tiles import halved
from stages.votes import Votes

SHAPE = (160, 320)
LINE = PixelBox(36, 52, 260, 84)
NOWHERE = np.zeros((SHAPE[0] // TILE, SHAPE[1] // TILE), np.bool_)
EVERYWHERE = np.ones((SHAPE[0] // TILE, SHAPE[1] // TILE), np.bool_)


def picture(text: str = "", *, shade: int = 20, paper: int = 240, at: tuple[int, int] = (40, 52), size: int = 24) -> NDArray[np.uint8]:
    image = Image.new("L", (SHAPE[1], SHAPE[0]), paper)
    ImageDraw.Draw(image).text(at, text, font=ImageFont.load_default(size), fill=shade)
    return np.array(image)


def noisy(luma: NDArray[np.uint8], seed: int, levels: int = 5) -> NDArray[np.uint8]:
    noise = np.random.default_rng(seed).integers(-levels, levels + 1, luma.shape)
    return np.clip(luma.astype(np.int16) + noise, 0, 255).astype(np.uint8)


def said(text: str, confidence: float = 0.98, box: PixelBox = LINE) -> Reading:
    return Reading(text, confidence, box)


def scene(seed: int, text: str = "", *, size: int = 24) -> NDArray[np.uint8]:
    """White text with a black outline over patches that change from frame to frame."""
    ground = np.kron(np.random.default_rng(seed).integers(40, 140, (20, 40), np.uint8), np.ones((8, 8), np.uint8))
    image = Image.fromarray(ground)
    ImageDraw.Draw(image).text((40, 52), text, font=ImageFont.load_default(size), fill=255, stroke_width=2, stroke_fill=0)
    return np.array(image)


def swaying(frame: int) -> NDArray[np.uint8]:
    """A head with a mouth before a wall, in 80 by 128 px."""
    image, x = Image.new("L", (128, 80), 140), 64 + 14 * np.sin(frame / 7)
    pen = ImageDraw.Draw(image)
    pen.ellipse((x - 22, 6, x + 22, 60), fill=205)
    pen.rectangle((x - 34, 60, x + 34, 80), fill=60)
    pen.ellipse((x - 8, 42, x + 8, 46 + 6 * abs(np.sin(frame / 2))), fill=50)
    return noisy(np.array(image), frame, 7)


class TestReadings:
    @pytest.mark.parametrize(
        ("one", "other"), [("35 minutes", "35minutes"), ("Ramal 214", "RAMAL 214."), ("café – 2 kg", "café 2 kg"), ("½ kg", "1⁄2 kg")]
    )
    def test_spaces_case_and_loose_signs_are_no_difference(self, one: str, other: str) -> None:
        assert same_text(said(one), said(other))

    @pytest.mark.parametrize(
        ("one", "other"), [("Count 7", "Count 8"), ("1,5 kg", "15 kg"), ("14:30", "14.30"), ("50 %", "50"), ("R$ 12", "US$ 12")]
    )
    def test_another_number_is_another_text(self, one: str, other: str) -> None:
        assert not same_text(said(one), said(other))

    def test_letters_may_differ_only_where_a_reading_is_unsure(self) -> None:
        assert same_text(said("Separate everything first"), said("Separate evenything first", 0.7))
        assert not same_text(said("casa amarela"), said("cara amarela"))
        assert not same_text(said("Total 12 grams here", 0.7), said("Total 13 grams here", 0.7))

    def test_what_is_left_of_a_covered_line_has_no_digit_in_place_of_another(self) -> None:
        assert is_covered(said("Point at 1250 grams", 0.99), said("Point at 125 grams", 0.9))
        assert not is_covered(said("Frame = 12", 0.999), said("Frame = 13", 0.955))
        assert not is_covered(said("Point at 1250 grams", 0.99), said("Point at 125 grams", 0.99))

    def test_a_misreading_changes_few_letters_and_puts_no_digit_in_place_of_another(self) -> None:
        assert is_misread(said("Point at 1250 grams"), said("Point at 125Q grams"))
        assert not is_misread(said("Total 5"), said("Total 6"))
        assert not is_misread(said("Total 5"), said("Grand 5"))

    def test_typed_text_grows_where_it_stands(self) -> None:
        assert is_typed(said("create me"), said("create me a table"))
        assert not is_typed(said("create me"), said("create me a table", box=LINE.moved(100, 0)))
        assert not is_typed(said("create me"), said("create me"))

    def test_a_first_letter_is_easily_overlooked_and_a_digit_or_a_last_letter_is_not(self) -> None:
        assert is_beheaded(said("mport marimo as mo"), said("import marimo as mo"))
        assert not is_beheaded(said("2 files"), said("12 files"))
        assert not is_beheaded(said("12 file"), said("12 files"))

    def test_the_whole_is_better_than_a_part_and_the_surer_better_than_the_unsure(self) -> None:
        assert is_part(said("go to help him"), said("I go to help him"))
        whole, part = said("I go to help him", 0.93), said("go to help him", 0.99)
        assert Votes(part).prefers(whole, part)
        assert not Votes(whole).prefers(part, whole)
        assert Votes(said("Salt", 0.95)).prefers(said("Salt", 0.99), said("Salt", 0.95))


class TestVotes:
    def test_what_is_read_twice_outvotes_a_surer_reading(self) -> None:
        right, wrong = said("Room 1250", 0.95), said("Room 1260", 0.97)
        votes = Votes(right)
        assert votes.prefers(wrong, right), "one against one: the surer"
        assert votes.prefers(right, wrong)

    def test_bad_readings_do_not_outvote_a_good_one(self) -> None:
        right, wrong = said("Open the window", 0.99), said("open the wihg", 0.79)
        votes = Votes(right)
        assert not any(votes.prefers(wrong, right) for _ in range(3))


class TestPieces:
    def test_a_line_read_in_two_is_one(self) -> None:
        left, right = said("Add 587", box=PixelBox(352, 302, 573, 353)), said("ml of milk", 0.9, PixelBox(576, 303, 871, 353))
        assert joined([right, left]) == [Reading("Add 587 ml of milk", 0.9, PixelBox(352, 302, 871, 353))]

    def test_boxes_that_reach_into_each_other_are_one_line(self) -> None:
        words = [("Atención: no", 139, 362), ("cerrar antes", 355, 578), ("de", 582, 628), ("638", 630, 698), ("min", 696, 763)]
        (line,) = joined(said(text, box=PixelBox(x0, 430, x1, 470)) for text, x0, x1 in words)
        assert line.text == "Atención: no cerrar antes de 638 min"

    @pytest.mark.parametrize("box", [PixelBox(620, 302, 871, 353), PixelBox(576, 320, 871, 371), PixelBox(576, 312, 700, 340)])
    def test_columns_and_rows_stay_apart(self, box: PixelBox) -> None:
        assert len(joined([said("Add 587", box=PixelBox(352, 302, 573, 353)), said("File", box=box)])) == 2

    def test_some_words_of_a_line_are_a_piece_of_it(self) -> None:
        whole = said("responsible for sugar", box=PixelBox(100, 50, 500, 90))
        assert is_piece(said("onsible", box=PixelBox(160, 52, 260, 88)), whole)
        assert not is_piece(said("onsible", box=PixelBox(160, 152, 260, 188)), whole)


class TestFollowing:
    def test_a_line_is_found_where_it_moved(self) -> None:
        patch = Patch.of(picture("Total 6 of 9"), LINE)
        elsewhere = picture("Total 6 of 9", at=(40, 90))
        assert patch.find(elsewhere, 2, 96) == (0, 38)
        assert patch.moved(0, 38).look(elsewhere) is Look.SAME
        assert patch.find(picture("Another line", at=(40, 90)), 2, 96) is None

    def test_what_has_left_the_picture_does_not_lie_in_it(self) -> None:
        patch = Patch.of(picture("Total 6 of 9"), LINE)
        assert patch.lies_in(picture())
        assert not patch.moved(0, -60).lies_in(picture())


class TestPatches:
    def test_a_line_is_the_same_under_noise(self) -> None:
        luma = picture("Total 6 of 9")
        assert Patch.of(luma, LINE).look(noisy(luma, 1)) is Look.SAME

    def test_one_digit_alters_it(self) -> None:
        assert Patch.of(picture("Total 6 of 9"), LINE).look(picture("Total 8 of 9")) is Look.ALTERED

    def test_a_letter_behind_it_alters_it_and_its_core_not(self) -> None:
        box = PixelBox(36, 52, 172, 84)
        patch = Patch.of(picture("Total 6 of"), box)
        longer = picture("Total 6 of9")
        assert patch.look(longer) is Look.ALTERED
        assert patch.look(picture("Total 6 of")) is Look.SAME

    @pytest.mark.parametrize("other", ["", "Another line"])
    def test_it_is_gone_when_something_else_or_nothing_is_there(self, other: str) -> None:
        assert Patch.of(picture("Total 6 of 9"), LINE).look(picture(other)) is Look.GONE

    def test_it_fades_without_being_altered_until_nobody_sees_it(self) -> None:
        patch = Patch.of(picture("Total 6 of 9"), LINE)
        pale = picture("Total 6 of 9", shade=170)
        assert patch.look(pale) is Look.SAME
        assert patch.shown(pale) == pytest.approx(70 / 220, abs=0.05)
        assert patch.look(picture("Total 6 of 9", shade=236)) is Look.GONE

    def test_taken_away_is_not_covered(self) -> None:
        patch = Patch.of(picture("Total 12"), LINE)
        covered = picture("Total 12")
        covered[56:80:2, 112:130] = 128
        assert patch.is_blank(picture("Total 1"))
        assert not patch.is_blank(covered)

    def test_over_moving_pictures_only_what_stays_counts(self) -> None:
        patch = Patch.of(scene(1, "Caption 12"), LINE, [scene(0, "Caption 12"), scene(2, "Caption 12")])
        assert patch.look(scene(3, "Caption 12")) is Look.SAME
        assert patch.look(scene(4)) is Look.GONE


class TestGrid:
    def test_tiles_of_a_box_are_those_it_touches(self) -> None:
        assert tiles_of(PixelBox(7, 8, 17, 16)) == (slice(1, 2), slice(0, 3))

    def test_the_last_tile_goes_on_to_the_edge(self) -> None:
        assert in_pixels(PixelBox(1, 1, 10, 5), (43, 84)) == PixelBox(8, 8, 84, 43)

    def test_text_has_strokes_and_a_gradient_or_a_rule_has_not(self) -> None:
        assert strokes(picture("Some text"))[tiles_of(LINE)].sum() > 10
        assert not strokes(np.tile(np.linspace(0, 255, SHAPE[1], dtype=np.uint8), (SHAPE[0], 1))).any()
        ruled = picture()
        ruled[80:82] = 0
        assert not strokes(ruled).any()

    def test_a_changed_word_is_searched_with_its_whole_line(self) -> None:
        whole = strokes(picture("A longer line of 9"))
        seeds = np.zeros_like(whole)
        seeds[8, 20] = True
        (box,) = rectangles(seeds, whole)
        columns = np.flatnonzero(whole.any(0))
        assert box.x0 <= columns[0]
        assert box.x1 > columns[-1]

    def test_every_seed_is_in_some_rectangle_and_far_ones_apart(self) -> None:
        seeds = np.zeros((135, 240), np.bool_)
        seeds[5:8, 5:30] = seeds[120:123, 180:230] = True
        boxes = rectangles(seeds)
        assert len(boxes) == 2
        held = np.zeros_like(seeds)
        for box in boxes:
            held[box.y0 : box.y1, box.x0 : box.x1] = True
        assert held[seeds].all()

    def test_a_blank_page_has_nothing_to_search(self) -> None:
        assert search_areas(picture()) == []
        assert len(search_areas(picture("A note"))) == 1


class TestStrokes:
    @pytest.mark.parametrize("size", [9, 12, 24])
    def test_looking_at_single_tiles_misses_none_that_looking_at_the_picture_finds(self, size: int) -> None:
        for seed in range(4):
            luma = scene(seed, "Some text 12", size=size) if seed % 2 else noisy(picture("Some text 12", shade=190, size=size), seed, 12)
            assert not (strokes(luma) & ~may_hold_strokes(luma, EVERYWHERE)).any()
            assert not (letters(luma) & ~may_hold_letters(luma, EVERYWHERE)).any()

    def test_plain_tiles_are_let_go(self) -> None:
        luma = picture("Some text")
        assert not may_hold_strokes(luma, EVERYWHERE)[:4].any()
        assert not may_hold_letters(luma, EVERYWHERE)[:4].any()


class TestPacing:
    def test_vain_readings_double_the_rest_and_a_find_ends_it(self) -> None:
        pace, here = Pacing((4, 4), 0), np.zeros((4, 4), np.bool_)
        here[1, 1] = True
        rests, now = [], 0.0
        for _ in range(8):
            pace.was_read(here, now, in_vain=True)
            rests.append(float(pace.rest_ms[1, 1]))
            now += rests[-1]
        assert rests == sorted(rests)
        assert rests[0] < 100
        assert rests[-1] == 2560
        pace.was_read(here, now, in_vain=False)
        assert pace.rested(now).all()

    def test_neighbours_share_the_rest(self) -> None:
        pace, here = Pacing((9, 9), 2), np.zeros((9, 9), np.bool_)
        here[4, 4] = True
        pace.was_read(pace.near(here), 0, in_vain=True)
        assert not pace.rested(1)[2:7, 2:7].any()
        assert pace.rested(1)[0].all()

    def test_what_changes_again_and_again_is_one_restless_place_until_it_rests(self) -> None:
        restless, place, once = Restless((9, 40)), np.zeros((9, 40), np.bool_), np.zeros((9, 40), np.bool_)
        place[2:8, 2:8], once[4, 36] = True, True
        restless.changed(once, 40, 40)
        for now in range(80, 600, 40):
            restless.changed(place, now, 40)
        touched = np.zeros((9, 40), np.bool_)
        touched[7, 7] = True
        assert restless.around(touched, 600)[2:8, 2:8].all()
        assert not restless.tiles(600)[4, 36]
        assert not restless.around(once, 600).any()
        assert not restless.tiles(8000).any()


class TestIcons:
    def test_the_same_mark_is_found_elsewhere_and_another_is_not(self) -> None:
        icons, area = Icons(), PixelBox(0, 0, 64, 56)
        icons.learn(noisy(picture("K", at=(21, 17), size=24), 2, 3), area, [])
        found = icons.find(noisy(picture("K", at=(24, 14), size=24), 1, 3), area)
        assert found is not None and found.shared(PixelBox(24, 16, 40, 38)) > 0.9
        assert icons.find(picture("K J", at=(4, 14), size=24), area) is not None
        for other in "JXRH8":
            assert icons.find(noisy(picture(other, at=(24, 14), size=24), 1, 3), area) is None

    def test_a_word_or_a_mark_on_a_busy_ground_is_none(self) -> None:
        assert mark_in(picture("Words"), PixelBox(0, 0, 320, 96)) is None
        assert mark_in(scene(3), PixelBox(0, 0, 64, 56)) is None

    def test_a_mark_that_stood_elsewhere_and_is_there_no_longer_came_along(self) -> None:
        now, box = picture("K", at=(100, 60)), PixelBox(98, 60, 118, 84)
        assert came_along(now, box, [noisy(picture("K", at=(130, 72)), 1, 3), picture()])
        assert not came_along(now, box, [picture("K", at=(100, 60)), picture("8", at=(100, 60)), picture()])
        both = picture("K", at=(100, 60)) & picture("K", at=(130, 72))
        assert not came_along(both, box, [both, picture("K", at=(130, 72))]), "the other one is still there"

    def test_a_sign_that_was_read_surely_is_not_kept(self) -> None:
        icons, area, seven = Icons(), PixelBox(0, 0, 64, 56), picture("7", at=(24, 14), size=24)
        icons.learn(seven, area, [Reading("7", 0.99, PixelBox(24, 14, 40, 40))])
        assert mark_in(seven, area) is not None
        assert icons.find(seven, area) is None


class TestStandingStrokes:
    def given(self, shown: range) -> list[int]:
        """In which of 20 frames, 40 ms apart, words are given that are there in those `shown`; stragglers of a tile or two apart."""
        standing, given = StandingStrokes(SHAPE[0] // TILE, SHAPE[1] // TILE), []
        for frame in range(20):
            shown_now = scene(frame, "STANDING" if frame in shown else "", size=36)
            due = standing.update(halved(shown_now), 40.0 * frame, EVERYWHERE)
            standing.mark_read(due)
            if due.sum() > 8:
                given.append(frame)
                assert due[tiles_of(PixelBox(40, 52, 260, 96))].sum() >= 0.9 * due.sum()
        return given

    def test_words_over_a_moving_picture_are_given_once_when_they_have_stood(self) -> None:
        assert self.given(range(4, 20)) in ([11], [12])

    def test_words_that_go_soon_are_given_when_they_go(self) -> None:
        assert self.given(range(4, 9)) == [9]

    def test_without_words_nothing_is_given(self) -> None:
        assert self.given(range(0)) == []

    def test_what_did_not_change_goes_on_standing_without_being_looked_at(self) -> None:
        whole, told = (StandingStrokes(SHAPE[0] // TILE, SHAPE[1] // TILE) for _ in range(2))
        last = None
        for frame in range(16):
            luma = noisy(picture("STANDING"), frame, 3) if frame < 4 else picture("STANDING")
            luma[120:] = scene(frame)[120:]
            differs = EVERYWHERE if last is None else (luma != last).reshape(SHAPE[0] // 8, 8, SHAPE[1] // 8, 8).any((1, 3))
            half = halved(luma)
            assert (whole.update(half, 40.0 * frame, EVERYWHERE) == told.update(half, 40.0 * frame, differs)).all()
            assert (whole.standing() == told.standing()).all()
            last = luma
        assert told.standing()[tiles_of(LINE)].any()


class TestChangeMap:
    def feed(self, changes: ChangeMap, pictures: list[NDArray[np.uint8]], start: int = 0) -> list[tuple[int, int]]:
        """Give the pictures at 25 frames a second; what was due, as (frame in which it was known, number of unknown tiles)."""
        found, last = [], pictures[0]
        for frame, luma in enumerate(pictures, start):
            changed = changes.observe(halved(luma), 40.0 * frame)
            due = changes.due(40.0 * frame)
            if due.any():
                found.append((frame, int(changes.unknown(halved(last), due).sum())))
                changes.mark_read(halved(last), due, 40.0 * frame, Result(NOWHERE, NOWHERE, NOWHERE))
            changes.accept(halved(luma), changed, 40.0 * frame)
            last = luma
        return found

    def test_what_settles_is_due_once(self) -> None:
        first, second = picture("First"), picture("Second")
        found = self.feed(ChangeMap(*SHAPE), [first] * 10 + [second] * 10)
        assert [frame for frame, _ in found] == [2, 12]

    def test_a_single_frame_is_not_due(self) -> None:
        first = picture("First")
        assert [frame for frame, _ in self.feed(ChangeMap(*SHAPE), [first] * 5 + [picture("Flash")] + [first] * 5)][1:] == [8]

    def test_what_was_read_before_is_known(self) -> None:
        first, second = picture("First"), picture("Second")
        found = self.feed(ChangeMap(*SHAPE), [first] * 5 + [second] * 5 + [noisy(first, 2, 3)] * 5)
        assert [unknown > 0 for _, unknown in found] == [True, True, False]

    def test_noise_is_no_change(self) -> None:
        first = picture("First")
        assert len(self.feed(ChangeMap(*SHAPE), [noisy(first, seed, 3) for seed in range(20)])) == 1

    def test_a_moving_inset_that_holds_no_text_is_hardly_read_and_what_appears_beside_it_is_read_at_once(self) -> None:
        changes, last, inset, beside = ChangeMap(*SHAPE), picture("First"), NOWHERE.copy(), []
        inset[10:, 24:] = True
        searched = 0
        for frame in range(150):
            luma = picture("First" if frame < 100 else "Second")
            luma[80:, 192:] = swaying(frame)
            changed = changes.observe(halved(luma), 40.0 * frame)
            due = changes.due(40.0 * frame)
            if due.any():
                unread = changes.unknown(halved(last), due) & changes.strokes(last, due)
                searched += bool((unread & inset).any())
                beside += [frame] if (unread & ~inset).any() else []
                changes.mark_read(halved(last), due, 40.0 * frame, Result(unread, unread & ~inset, NOWHERE))
            changes.accept(halved(luma), changed, 40.0 * frame)
            last = luma
        assert searched <= 8
        assert len(beside) == 2
        assert 102 <= beside[1] <= 107
