"""What has killed the eyes twice is not tried a third time, and the page says so; a camera is tried again and again."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.conftest import Open, Until
from tests.web.deadly_eyes import die_at, n_starts
from tests.web.scripted_eyes import write_film
from web.journal.journal import Journal
from web.table import live_table, supervisor
from web.table.live_table import LiveTable
from web.table.source_names import Source
from web.table.supervisor import STEADY_RUN_S, VisionRestartPolicy
from web.table.vision_messages import Corners, CrashCause

SQUARE: Corners = ((200.0, 150.0), (600.0, 150.0), (600.0, 550.0), (200.0, 550.0))
CAMERA, FILM = Source("0", "camera", "0"), Source("film.mp4", "file", "film.mp4")


@pytest.fixture
def open_table(journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    monkeypatch.setattr(supervisor, "RESTART_DELAYS_S", (0.01,))
    opened: list[LiveTable] = []

    def open_it(deadly: str, corners: Corners | None = None, *, is_camera: bool = False) -> LiveTable:
        film = write_film(tmp_path / f"{deadly}.json", "d6", "d7")
        if is_camera:
            monkeypatch.setattr(live_table, "parse_source", lambda name, _: Source(name, "camera", name))
        table = LiveTable(journal, die_at)
        table.camera.known_tables = lambda _: ("a table",) if deadly == "known" else ()  # type: ignore[assignment,return-value]
        opened.append(table)
        table.open(str(film), "nine_mens_morris", {}, corners)
        return table

    yield open_it
    for table in opened:
        table.close()


def note(table: LiveTable) -> str:
    return str(table.publisher.snapshot.sight.note.get("en", ""))


@pytest.mark.parametrize("deadly", ["corners", "known"])
def test_what_kills_the_eyes_twice_is_let_go(deadly: str, open_table: Open, tmp_path: Path, until: Until) -> None:
    table = open_table(deadly, SQUARE)
    until(lambda: table.publisher.snapshot.game.ply == 2)
    assert n_starts(tmp_path / f"{deadly}.json") == 3
    told = {"corners": "With the four corners that were set,", "known": "With what was measured of this table,"}[deadly]
    assert note(table).startswith(told)
    assert len(set(table.publisher.snapshot.sight.note.values())) == 4, "in every language"
    if deadly == "corners":
        table.camera.place_corners(SQUARE)
        assert table.camera.next_job().corners == SQUARE, "others are tried again"


@pytest.mark.parametrize(("deadly", "told"), [("source", "choose another film"), ("game", "go on from this game")])
def test_a_film_or_a_game_that_kills_the_eyes_twice_is_not_tried_a_third_time(
    deadly: str, told: str, open_table: Open, tmp_path: Path, until: Until
) -> None:
    table = open_table(deadly)
    until(lambda: table.publisher.snapshot.source.state == "failed")
    assert told in table.publisher.snapshot.source.reason
    assert table.camera.is_idle and n_starts(tmp_path / f"{deadly}.json") == 2
    table.new_game("tic_tac_toe", {})
    until(lambda: n_starts(tmp_path / f"{deadly}.json") == 4)  # another game may do


@pytest.mark.parametrize(
    ("deadly", "told"),
    [("source", r"has stopped (\d+) times in a row"), ("unplugged", r"not answer \(tried (\d+) times\)")],
)
def test_a_camera_is_tried_again_and_the_page_counts(deadly: str, told: str, open_table: Open, until: Until) -> None:
    table = open_table(deadly, is_camera=True)
    until(lambda: any(int(n) >= 4 for n in re.findall(told, table.publisher.snapshot.source.reason)))
    assert not table.camera.is_idle


def test_only_the_same_thing_at_the_same_place_of_the_game_is_let_go() -> None:
    crashes = VisionRestartPolicy(lambda: 0.0)
    crashes.use(FILM, SQUARE)
    for at in ((1, 1), (1, 2), (2, 2)):
        crashes.risk = CrashCause.CORNERS
        assert crashes.died(at)[0] == "lost"
    assert crashes.corners == SQUARE
    crashes.risk = CrashCause.CORNERS
    crashes.died((2, 2))
    assert crashes.corners is None and crashes.disabled_features_note["en"].endswith("set them again.")
    crashes.place(SQUARE)
    crashes.risk = CrashCause.CORNERS
    crashes.died((2, 2))
    assert crashes.corners == SQUARE and not crashes.disabled_features_note, "those are new"


def test_corners_are_let_go_where_a_camera_kills_the_eyes_soon_after_their_start_and_not_later() -> None:
    now = [0.0]
    crashes = VisionRestartPolicy(lambda: now[0])
    crashes.use(CAMERA, SQUARE)
    for life_s in (STEADY_RUN_S + 1, STEADY_RUN_S + 1, STEADY_RUN_S + 1):
        crashes.begin()
        crashes.saw(1.0)
        now[0] += life_s
        crashes.died((1, 1))
    assert crashes.corners == SQUARE
    for _ in range(2):
        crashes.begin()
        crashes.saw(1.0)
        now[0] += 1
        _, reason = crashes.died((1, 1))
    assert crashes.corners is None and "3 times in a row" in reason
