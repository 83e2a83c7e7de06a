"""The real eyes: camera and vision in a child process, on the bundled demo."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from languages import LANGUAGES
from referee.boards import boards_for
from referee.presets import find_variant
from tests.simulation.shown_table import in_sight
from tests.web.conftest import Until
from vision.imaging.frame import Frame
from vision.watching.state import TableSetup, start
from web.journal.journal import Journal
from web.table.live_table import LiveTable
from web.table.vision_process import (
    VisionReporter,
)


@pytest.mark.film
def test_real_eyes_referee_the_demo_and_take_corners_and_show_pictures(journal: Journal, until: Until) -> None:
    table = LiveTable(journal)
    table.open("demo", "millchen", {})
    try:
        desk = table.publisher
        until(lambda: len(desk.snapshot.sight.points) == 24)
        table.camera.supervisor.request_pictures()
        until(lambda: desk.picture[0] > 0)
        picture = cv2.imdecode(np.frombuffer(desk.picture[1], np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None
        assert picture.shape[1::-1] == desk.snapshot.sight.size
        until(lambda: desk.snapshot.game.ply >= 1)
        assert desk.snapshot.sight.colours[0].startswith("#")
        spots = dict(zip(table.variant.board.points, desk.snapshot.sight.points, strict=True))
        table.camera.place_corners(tuple(spots[name] for name in ("a7", "g7", "g1", "a1")))
        until(lambda: desk.snapshot.game.ply >= 2)
        assert table.health()["losses"] == 0
    finally:
        table.close()
    kinds = [record.kind for record in journal.records(1)]
    assert set(kinds) == {"start", "turn"}


@pytest.mark.parametrize(("file", "says"), [("no film at all", "is no film that can be read"), ("", "no film")])
def test_a_broken_film_is_one_sentence(journal: Journal, tmp_path: Path, until: Until, file: str, says: str) -> None:
    film = tmp_path / "broken.mp4"
    film.write_text(file)
    table = LiveTable(journal)
    table.open(str(film), "millchen", {})
    try:
        until(lambda: table.publisher.snapshot.source.state == "failed")
        reason = table.publisher.snapshot.source.reason
        assert says in reason and "\n" not in reason
        assert "'broken.mp4'" in reason and tmp_path.name not in reason, "pages are told what it is, not where it lies"
    finally:
        table.close()


def test_the_page_is_told_which_points_the_picture_cuts_off() -> None:
    variant = find_variant("millchen")
    state = in_sight(start(TableSetup(variant, boards_for(variant))), left_px=-10.0)
    reporter = VisionReporter()
    reporter.known_table_note = dict.fromkeys(LANGUAGES, "The table is known.")
    note = reporter.status(state, Frame(np.zeros((240, 240, 3), np.uint8), 0.0, 0)).note
    assert note["en"] == "The table is known. The picture cuts off a7, a4, a1: what lies there is not seen."
    assert set(note) == set(LANGUAGES)
