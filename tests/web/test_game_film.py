"""The film of a game: the table as it was photographed, the board, and what was announced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from languages import LANGUAGES
from millchen import main
from referee.game import Game
from referee.presets import find_variant
from tests.web.browsing import Serve, Visit, expect
from tests.web.conftest import Open, Until
from tests.web.test_games_page import wait_for
from web.drawing.game_gif import GIF_SIDE_PX
from web.errors import MillchenError
from web.history.finished_games import GameHistory, game_history
from web.history.game_film import FILM_SIZE_PX, SCENE_S, Scene, draw_scene, film_scenes, make_film
from web.history.journal_reader import JournalReader
from web.table.live_table import LiveTable

MILL = ("d6", "d7", "b6", "g7", "mill:f6xd7", "foul:g7=0,g4=2,a1=2")
BLUE, RED = (200, 60, 30), (30, 40, 200)  # BGR, what the table looks like in its photographs


def jpeg(bgr: tuple[int, int, int]) -> bytes:
    return bytes(cv2.imencode(".jpg", np.full((360, 640, 3), bgr, np.uint8))[1])


@pytest.fixture
def played(open_table: Open, until: Until) -> LiveTable:
    """Five turns and a foul, the third turn and the foul photographed."""
    table = open_table(*MILL)
    until(lambda: table.publisher.snapshot.game.foul is not None)
    records = table.journal.records(1)
    third, foul = ([one.seq for one in records if one.kind == kind][k] for kind, k in (("turn", 2), ("foul", 0)))
    table.photographs.save(third, jpeg(BLUE))
    table.photographs.save(foul, jpeg(RED))
    return table


def read(table: LiveTable, language: str = "en") -> GameHistory:
    with JournalReader(table.journal.path) as reader:
        return game_history(reader.replay(1), language)


def frames_of(film: bytes, folder: Path) -> list[np.ndarray[Any, Any]]:
    path = folder / "seen.webm"
    path.write_bytes(film)
    opened, frames = cv2.VideoCapture(str(path)), []
    assert opened.get(cv2.CAP_PROP_FPS) == pytest.approx(1 / SCENE_S)
    while (got := opened.read())[0]:
        frames.append(np.asarray(got[1]))
    return frames


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_film_begins_with_the_first_photograph_and_says_what_was_announced(played: LiveTable, language: str) -> None:
    history = read(played, language)
    scenes = film_scenes(history, played.photographs)
    foul = history.plies[5].interim_events[0][1]
    assert [scene.text for scene in scenes] == [*(ply.text for ply in history.plies[3:]), foul]
    assert [scene.game.ply for scene in scenes] == [3, 4, 5, 5]
    assert len({scene.photograph for scene in scenes[:3]}) == 1


def test_the_film_shows_each_photograph_in_its_turn_and_tells_how_far_it_is(played: LiveTable, tmp_path: Path) -> None:
    made = list(make_film(read(played), played.photographs))
    assert [(n, of) for n, of, _ in made] == [(n, 4) for n in range(1, 5)]
    assert [bool(film) for *_, film in made] == [False, False, False, True]
    frames = frames_of(made[-1][2], tmp_path)
    seen = [frame[360, 400].astype(int) for frame in frames]
    assert [frame.shape for frame in frames] == [(*reversed(FILM_SIZE_PX), 3)] * 5
    for at, colour in zip(seen, [BLUE, BLUE, BLUE, RED, RED], strict=True):  # the last one stays
        assert np.abs(at - colour).max() < 30  # what VP8 does to a plain colour


@pytest.mark.parametrize("text", ["Anna places on d6.", "Foul by Anna: two moves at once. Please take it off. " * 9])
def test_a_text_of_any_length_lies_below_the_board_and_in_the_picture(text: str) -> None:
    game = Game.start(find_variant("millchen"))
    bare, told = (np.asarray(draw_scene(Scene(1, game, one), jpeg(BLUE), ())) for one in ("", text))
    rows, columns = np.nonzero((bare != told).any(axis=2))
    width, height = FILM_SIZE_PX
    assert GIF_SIDE_PX <= rows.min() < rows.max() < height - 10
    assert width - GIF_SIDE_PX <= columns.min() < columns.max() < width


def test_where_nobody_wanted_photographs_there_are_none_and_no_film(open_table: Open, until: Until) -> None:
    table = open_table(*MILL)
    until(lambda: table.publisher.snapshot.game.foul is not None)
    assert not table.photographs.folder.exists()
    with pytest.raises(MillchenError, match="no turn of this game was photographed"):
        make_film(read(table), table.photographs)


def test_the_command_writes_the_film_and_says_how_long_it_takes(
    played: LiveTable, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, film = str(played.journal.path.parent), tmp_path / "evening.webm"
    assert main(["games", "film", "1", str(film), "--data", data]) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{film}\n"
    assert printed.err.splitlines()[-1] == "4 of 4, 0 s left"
    assert len(frames_of(film.read_bytes(), tmp_path)) == 5
    seqs = [record.seq for record in played.journal.records(1)]
    assert played.photographs.delete(seqs) == 2
    assert main(["games", "film", "1", str(film), "--data", data]) == 1
    assert "no turn of this game was photographed" in capsys.readouterr().err


def test_a_tap_makes_a_film_that_browsers_play(served: Serve, visit: Visit, tmp_path: Path) -> None:
    at = served("d6", "d7")
    wait_for(at, 2)
    at.table.photographs.save(at.journal.records(1)[-1].seq, jpeg(BLUE))
    page = visit(at, "games/1")
    with page.expect_download() as download:
        page.click("#make-film")
    expect(page.locator("#film-said")).to_have_text("The film is among your downloads.")
    expect(page.locator("#make-film")).to_be_enabled()
    assert download.value.suggested_filename == "millchen-1.webm"
    film = Path(download.value.path()).read_bytes()
    page.goto("about:blank")  # on its own page nothing is played from memory
    played = page.evaluate(
        """(bytes) => new Promise((done) => {
            const video = document.createElement("video");
            video.onloadeddata = () => done([video.videoWidth, video.videoHeight, video.duration]);
            video.onerror = () => done([video.error.message]);
            video.src = URL.createObjectURL(new Blob([Uint8Array.from(bytes)], { type: "video/webm" }));
        })""",
        list(film),
    )
    assert played == [*FILM_SIZE_PX, SCENE_S * len(frames_of(film, tmp_path))]
