"""A table that is known is known again at once; one that moved is followed, another one is not taken for it."""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration import steps
from calibration.field_step import find_field
from calibration.known_table import (
    KnownTable,
    begin_with_known_table,
    candidate_tables,
    load_known_table,
    recognise_table,
)
from calibration.profile import CameraPart, Profile, StonesPart, encode_jpeg
from calibration.profile_folder import ProfileFolder
from calibration.step_texts import Refused
from referee.board import Board
from referee.boards import BOARDS, boards_for
from referee.layouts import NINE_MENS_MORRIS, moulin_rouge
from referee.presets import find_variant
from tests.drawn import drawn, field_at, field_of
from tests.synthetic import Bump, Light, Scene, Truth, random_spec
from tests.web.pace import is_kept
from vision.imaging.field import Registration
from vision.imaging.frame import Frame, Image
from vision.watching.state import TableSetup, start

pytestmark = pytest.mark.film

AT_MOST_S = 1.0


def scene(seed: int, size_px: tuple[int, int] = (960, 540)) -> Scene:
    return drawn(random_spec(np.random.default_rng(seed), NINE_MENS_MORRIS, hardness=0.3, size_px=size_px))


def tops() -> list[list[int]]:
    stacks: list[list[int]] = [[] for _ in range(24)]
    for k, point in enumerate((0, 4, 9, 13, 17, 22, 11, 6)):
        stacks[point] = [k % 2]
    return stacks


def measured(name: str, made: Scene, bgr: Image, truth: Truth) -> Profile:
    found = Registration(field_of(made, truth.points_px), 1.0)
    return steps.with_field(Profile(name), bgr, found)


def table_for(game: str) -> TableSetup:
    variant = find_variant(game)
    return TableSetup(variant, boards_for(variant))


@pytest.fixture(scope="module")
def table() -> tuple[Scene, Profile]:
    made = scene(7)
    bgr, truth = made.render([[] for _ in range(24)], rng=np.random.default_rng(0))
    profile = measured("kitchen", made, bgr, truth)
    with_stones, truth = made.render(tops(), rng=np.random.default_rng(1))
    return made, replace(profile, stones=StonesPart(tuple(truth.tops), encode_jpeg(with_stones)))


def test_each_of_three_players_has_a_colour_and_colours_go_round_all_players() -> None:
    rng, board = np.random.default_rng(3), BOARDS["trialectic"]
    scene = Scene(random_spec(rng, board, n_players=3, size_px=(960, 540), hardness=0.2))
    bare = scene.render([[] for _ in board.points], rng=rng)[0]
    found = find_field(bare, None, (board,))
    assert isinstance(found, Registration)
    profile = steps.with_field(Profile("three"), bare, found)

    def laid(n_players: int) -> Image:
        return scene.render([[k % n_players] if 1 < k < 14 else [] for k in range(len(board.points))], rng=rng)[0]

    with pytest.raises(Refused, match="only 2 of 3 colours"):
        steps.with_stones(profile, laid(2))
    after = steps.with_stones(profile, laid(3))
    ways = []
    for _ in range(7):
        assert after.stones is not None and max(after.stones.tops) == 3
        ways.append(after.stones.tops)
        after = steps.with_next_players(after)
    assert len(set(ways)) == 6 and ways[0] == ways[-1]


def test_a_known_table_is_known_at_once_with_stones_and_in_another_light(table: tuple[Scene, Profile]) -> None:
    made, profile = table
    for stacks, light in (([[] for _ in range(24)], None), (tops(), None), (tops(), Light(gain=0.7, warmth=0.5))):
        bgr, _ = made.render(stacks, rng=np.random.default_rng(5), light=light)
        began = time.process_time()  # the machine may be busy with other things
        assert recognise_table(profile, bgr).verdict == "known"
        assert is_kept(AT_MOST_S, time.process_time() - began)


def test_a_camera_that_has_moved_is_followed_and_told(table: tuple[Scene, Profile]) -> None:
    made, profile = table
    bump = Bump(yaw_deg=2.0, roll_deg=3.0)
    bgr, truth = made.render(tops(), rng=np.random.default_rng(5), bump=bump)
    seen = recognise_table(profile, bgr)
    assert seen.verdict == "moved"
    assert "Repeat step 2" in seen.texts["en"]
    assert seen.registration is not None
    off = np.linalg.norm(seen.registration.field.points_px - truth.points_px, axis=1)
    assert np.median(off) < 2.0


def test_another_table_and_an_empty_one_are_strange(table: tuple[Scene, Profile]) -> None:
    _, profile = table
    other, _ = scene(21).render([[] for _ in range(24)], rng=np.random.default_rng(5))
    nothing = np.random.default_rng(3).integers(80, 120, (540, 960, 3)).astype(np.uint8)
    for bgr in (other, nothing):
        seen = recognise_table(profile, bgr)
        assert seen.verdict == "strange"
        assert "Repeat step 2, then 4" in seen.texts["en"]


def test_a_picture_of_another_size_and_a_profile_without_field_are_refused(table: tuple[Scene, Profile]) -> None:
    _, profile = table
    with pytest.raises(Refused, match="measured in pictures of 960 x 540, these have 640 x 360"):
        recognise_table(profile, np.zeros((360, 640, 3), np.uint8))
    with pytest.raises(Refused, match="has no field yet: do step 4 first"):
        recognise_table(Profile("new"), np.zeros((360, 640, 3), np.uint8))


def test_a_game_begins_with_the_field_and_the_stones_of_the_profile(table: tuple[Scene, Profile]) -> None:
    made, profile = table
    what = table_for("nine_mens_morris")
    bgr, truth = made.render([[] for _ in range(24)], rng=np.random.default_rng(8))
    state, events, seen = KnownTable(profile).begin(start(what), Frame(bgr, 0.0, 0), what)
    assert seen is not None and seen.verdict == "known"
    assert [type(event).__name__ for event in events] == ["BoardFound"]
    assert isinstance(state.registration, Registration)
    off = np.linalg.norm(state.registration.field.points_px - truth.points_px, axis=1)
    assert off.max() < 1.0
    assert all(len(stones) >= 3 for stones in state.appearance.stones)


@pytest.mark.parametrize(
    ("game", "board", "said"),
    [
        ("six_mens_morris", NINE_MENS_MORRIS, "has a board for nine_mens_morris, this game is played on six_mens"),
        # two players have twenty stones, and a ring no more holes than that
        ("moulin_rouge", moulin_rouge(24), r"has a board for moulin_rouge \(3 x 24\), this game is played on moulin_r"),
    ],
)
def test_a_table_of_another_board_or_with_too_many_holes_is_refused(
    table: tuple[Scene, Profile], game: str, board: Board, said: str
) -> None:
    _, profile = table
    assert profile.field is not None
    own = replace(profile.field, field=field_at(board, 200 + 150 * np.array(board.xy)))
    what, frame = table_for(game), Frame(np.zeros((540, 960, 3), np.uint8), 0.0, 0)
    with pytest.raises(Refused, match=said):
        KnownTable(replace(profile, field=own)).begin(start(what), frame, what)


def test_of_several_tables_the_one_that_lies_there_is_taken_up(table: tuple[Scene, Profile]) -> None:
    made, profile = table
    other = scene(21)
    bgr, truth = other.render([[] for _ in range(24)], rng=np.random.default_rng(0))
    hall, what = measured("hall", other, bgr, truth), table_for("nine_mens_morris")
    both = (KnownTable(hall), KnownTable(profile))
    here = Frame(made.render(tops(), rng=np.random.default_rng(2))[0], 0.0, 0)
    state, events, _, note = begin_with_known_table(both, start(what), here, what)
    assert isinstance(state.registration, Registration)
    assert len(events) == 1
    assert note["en"].startswith("The table is known")
    nowhere = Frame(np.full((540, 960, 3), 100, np.uint8), 0.0, 0)
    state, events, _, note = begin_with_known_table(both, start(what), nowhere, what)
    assert not isinstance(state.registration, Registration)
    assert "Repeat step 2" in note["de"] or "Wiederhole Schritt 2" in note["de"]
    small = Frame(np.full((360, 640, 3), 100, np.uint8), 0.0, 0)
    assert begin_with_known_table(both, start(what), small, what)[3] == {}


def test_tables_are_found_by_what_they_were_measured_through(tmp_path: Path, table: tuple[Scene, Profile]) -> None:
    tables = ProfileFolder(tmp_path)
    for name, source in (("kitchen", "0"), ("hall", "http://10.0.0.7/video")):
        tables.save(replace(table[1], name=name, camera=CameraPart(source, "", (960, 540), 30.0, {"focus": 30.0})))
    (tables.folder / "broken.json").write_text("{", encoding="utf-8")
    assert [known.profile.name for known in candidate_tables(tables, None, "0")] == ["kitchen"]
    assert candidate_tables(tables, None, "1") == ()
    assert [known.source for known in candidate_tables(tables, "hall", "1")] == ["http://10.0.0.7/video"]
    assert candidate_tables(tables, "kitchen", "0")[0].game == "millchen"
    assert candidate_tables(tables, "kitchen", "0")[0].settings == {"focus": 30.0}
    assert KnownTable(Profile("new")).settings == {}
    with pytest.raises(Refused, match='no table "cellar"'):
        load_known_table("cellar", tmp_path)
