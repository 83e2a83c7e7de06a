"""Finished games: what is told, listed, counted and taken away of them, and their film."""

import csv
import io
import re
from functools import partial
from math import dist
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from languages import LANGUAGES
from millchen import main
from referee.game import Game
from referee.presets import PRESETS, find_variant
from tests.web.browsing import Serve, Visit, expect
from tests.web.conftest import LOCAL, Open, Until
from tests.web.seen import correct_point
from tests.web.test_games_page import wait_for
from web.app import create_app
from web.drawing.board_svg import draw_board
from web.drawing.game_gif import GIF_SIDE_PX, encode_gif
from web.drawing.position_svg import point_labels
from web.errors import MillchenError
from web.game.player_commands import name_players, take_back_turn
from web.history import exports, game_index
from web.history.finished_games import GameHistory, game_history, game_statistics, replay_json
from web.history.game_film import FILM_SIZE_PX, SCENE_S, Scene, draw_scene, film_scenes, make_film
from web.history.game_index import GameIndex
from web.history.journal_reader import JournalReader
from web.hosted_tables import AppContext
from web.journal.journal import Journal
from web.journal.journal_record import UnwrittenRecord
from web.table.live_table import LiveTable

MILL = ("d6", "d7", "b6", "g7", "mill:f6xd7", "foul:g7=0,g4=2,a1=2")
CONTRIBUTING = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")


def read(table: LiveTable, number: int = 1, language: str = "en") -> GameHistory:
    with JournalReader(table.journal.path) as archive:
        return game_history(archive.replay(number), language)


@pytest.fixture
def played(open_table: Open, until: Until) -> LiveTable:
    """Five turns with a mill, a foul that stood, names and a remark."""
    table = open_table(*MILL)
    until(lambda: table.publisher.snapshot.game.foul is not None)
    table.apply_command(partial(name_players, names=["Anna", "Ben"]))
    table.add_record(1, UnwrittenRecord("remark", 5, {"text": "what a mill"}))
    return table


def test_turns_that_were_taken_back_are_not_told(played: LiveTable, until: Until) -> None:
    played.apply_command(take_back_turn)
    until(lambda: played.publisher.snapshot.game.ply == 4)
    assert len(read(played).plies) == 5
    correct_point(played, "a1", 1)
    until(lambda: played.publisher.snapshot.game.ply == 5)
    past = read(played)
    assert len(past.plies) == 6
    assert past.plies[5].record.kind == "corrected"
    assert past.plies[5].game.position == played._state.game.position


def test_games_are_found_by_every_word(played: LiveTable, until: Until) -> None:
    played.restart_game()
    until(lambda: played.publisher.snapshot.game.id == 2)
    played.apply_command(partial(name_players, names=["Carla", ""]))
    with JournalReader(played.journal.path) as archive:
        assert [past.number for past in GameIndex().find(archive)] == [2, 1]
        assert [past.number for past in GameIndex().find(archive, "anna")] == [1]
        assert [past.number for past in GameIndex().find(archive, "carla MORRIS")] == [2]
        assert [past.number for past in GameIndex().find(archive, "what mill")] == [1]
        assert GameIndex().find(archive, "anna carla") == []


def test_statistics_count_what_was_played(played: LiveTable) -> None:
    told = game_statistics(read(played))
    assert (told["turns"], told["mills"], told["captures"]) == ([3, 2], [1, 0], [1, 0])
    assert told["fouls"] == 1
    assert told["leads"][-1] == [9, 8]


def test_a_spreadsheet_gets_one_line_a_turn_and_no_formula(played: LiveTable) -> None:
    played.apply_command(partial(name_players, names=["=1+1", "Ben"]))
    rows = list(csv.DictReader(io.StringIO(exports.export_csv(read(played)))))
    assert [row["turn"] for row in rows] == ["d6", "d7", "b6", "g7", "f6xd7"]
    assert rows[4]["mills"] == "b6-d6-f6"
    assert rows[0]["name"] == "'=1+1"


def test_a_gif_shows_every_turn_and_only_what_has_changed() -> None:
    rng = np.random.default_rng(1)
    first = np.full((40, 60, 3), (200, 220, 240), np.uint8)
    first[::7] = rng.integers(0, 4, (6, 60, 3), np.uint8) * 60
    second = first.copy()
    second[10:14, 20:26] = (0, 0, 252)
    data = encode_gif([first, second], [500, 1500])
    ok, animation = cv2.imdecodeanimation(np.frombuffer(data, np.uint8))
    assert ok and list(animation.durations) == [500, 1500]
    for picture, frame in zip((first, second), animation.frames, strict=True):
        assert np.abs(frame[..., :3].astype(int) - picture).max() <= 3  # shades of one colour are one
    assert len(encode_gif([first, second], [1, 1])) < len(encode_gif([first], [1])) + 200


@pytest.mark.parametrize("game", PRESETS)
def test_no_name_of_a_point_lies_under_a_stone(game: str) -> None:
    board = draw_board(PRESETS[game].variant.board)
    labels = point_labels(board)
    assert {text for name, _, _ in board.points for text in (name, name[0], name[1:])} >= {
        text for text, _, _ in labels
    }
    assert all(dist(at, point) > board.stone_radius + 25 for _, *at in labels for _, *point in board.points)


def links_to_take_away(page: str) -> list[tuple[str, str]]:
    """Address and text of each link under the replay."""
    section = page.split('class="exports"')[1].split("</section>")[0]
    return re.findall(r'<a [^>]*href="([^"]*)"[^>]*>([^<]*)</a>', section)


def test_every_format_has_its_link_and_its_download(played: LiveTable) -> None:
    client = create_app(AppContext(played)).test_client()
    page = client.get("/games/1", base_url=LOCAL, headers={"Accept-Language": "en"}).get_data(as_text=True)
    assert links_to_take_away(page) == [
        ("/links", "Let others in"), ("/games/1.html", "To replay, one file"), ("/games/1.gif", "Moving picture (GIF)"),
        ("/games/1.svg", "This picture (SVG)"), ("/games/1/sheet", "Sheet to print"), ("/games/1.pgn", "PGN"),
        ("/games/1.csv", "CSV"), ("/games/1.json", "JSON"),
    ]  # fmt: skip
    for kind, row in exports.FORMATS.items():
        answer = client.get(f"/games/1.{kind}", base_url=LOCAL)
        assert (answer.status_code, answer.mimetype) == (200, row.mimetype), kind
        named = answer.headers.get("Content-Disposition", "")
        assert named.endswith(f'-1.{kind}"') if row.is_attachment else named == "", kind
    refused = client.get("/games/1.exe", base_url=LOCAL).get_json()["error"]["text"]
    assert refused == "a game can be had as html, gif, svg, pgn, csv or json"


def test_the_new_export_of_contributing_is_one_function_and_one_row(
    played: LiveTable, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    example = CONTRIBUTING.split("## A new export")[1].split("\n## ")[0]
    source = re.findall(r"```python\n(.*?)```", example, re.DOTALL)[0]
    row = re.findall(r'`("txt": .*?)`', example)[0]
    room = dict(vars(exports))
    exec(source, room)
    for kind, added in eval(f"{{{row}}}", room).items():
        monkeypatch.setitem(exports.FORMATS, kind, added)  # type: ignore[arg-type]
    lines = "d6\nd7\nb6\ng7\nf6xd7\n"
    client = create_app(AppContext(played)).test_client()
    page = client.get("/games/1", base_url=LOCAL).get_data(as_text=True)
    assert links_to_take_away(page)[-1] == ("/games/1.txt", "TXT")
    answer = client.get("/games/1.txt", base_url=LOCAL)
    assert (answer.mimetype, answer.get_data(as_text=True)) == ("text/plain", lines)
    assert main(["games", "export", "1", "--format", "txt", "--data", str(played.journal.path.parent)]) == 0
    assert capsys.readouterr().out == lines


def test_a_film_holds_what_the_page_shows_and_photographs_only_where_kept(played: LiveTable) -> None:
    past = read(played)
    shown = replay_json(past, played.photographs)
    assert [ply["seq"] for ply in shown["plies"]] == [None] * 6
    played.photographs.save(past.plies[3].record.seq, b"jpeg")
    shown = replay_json(past, played.photographs)
    assert [ply["seq"] is not None for ply in shown["plies"]] == [False, False, False, True, False, False]
    assert shown["plies"][5]["view"]["last"].mills and "points" not in shown["plies"][5]["view"]


def test_a_game_that_is_not_there_and_a_form_that_is_not_known_are_404(played: LiveTable) -> None:
    client = create_app(AppContext(played)).test_client()
    base = "http://127.0.0.1:8321"
    for path in ("/games/99", "/games/1.exe", "/games/1.svg?ply=77", "/games/1/photographs/3.jpg", "/games/x"):
        answer = client.get(path, base_url=base)
        assert answer.status_code == 404, path
        assert set(answer.get_json()["error"]) == {"code", "text"}


def test_hostile_names_and_remarks_are_text_everywhere(played: LiveTable) -> None:
    evil = "</script><script>x</script>"
    client = create_app(AppContext(played)).test_client()
    base = "http://127.0.0.1:8321"
    post = partial(client.post, base_url=base)
    assert post("/api/games/1/names", json={"names": [evil, "B"]}).status_code == 200
    assert post("/api/games/1/remark", json={"ply": 1, "text": evil}).status_code == 200
    for path in ("/games", "/games/1", "/games/1/sheet", "/games/1.html", "/games/1.svg"):
        assert "<script>x" not in client.get(path, base_url=base).get_data(as_text=True), path
    for body in ({"ply": 99, "text": "x"}, {"ply": True, "text": "x"}, {"ply": 1, "text": "x" * 1001}, {"ply": 1}):
        assert post("/api/games/1/remark", json=body).status_code == 400
    for body in ({"names": "AB"}, {"names": ["x" * 41, ""]}, {"names": ["\x07", ""]}):
        assert post("/api/games/1/names", json=body).status_code == 400
    assert post("/api/games/1/names", json={"names": ["one"]}).status_code == 422


def test_games_of_the_demos_are_kept_apart(journal: Journal) -> None:
    for source in ("hand", "demo:trialectic", "0"):
        journal.begin({"game": "millchen", "options": {}, "source": source}, by="hand")
    table = LiveTable(journal)
    assert table._current_game.take_up("millchen", {}, "0", table.photographs)
    table._publish()
    client = create_app(AppContext(table)).test_client()
    english = {"Accept-Language": "en"}
    page = client.get("/games", base_url=LOCAL, headers=english).get_data(as_text=True)
    assert 'href="/games/1"' in page and 'href="/games/2"' not in page
    assert "Demo games: 1" in page and "<b>2</b>" in page
    demos = client.get("/games?demo=1", base_url=LOCAL, headers=english).get_data(as_text=True)
    assert 'href="/games/2"' in demos and 'href="/games/1"' not in demos
    assert [game["id"] for game in client.get("/api/games", base_url=LOCAL).get_json()["games"]] == [3, 1]
    assert [game["id"] for game in client.get("/api/games?demo=1", base_url=LOCAL).get_json()["games"]] == [2]


def test_a_game_is_replayed_once_and_again_once_gone_on(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    replayed, read_line, index = list[int](), game_index._read_line, GameIndex()
    monkeypatch.setattr(game_index, "_read_line", lambda n, rows: replayed.append(n) or read_line(n, rows))
    for _ in range(2):
        journal.begin({"game": "millchen", "options": {}, "source": "hand"}, by="hand")
    for query, names in (("", ["Anna", ""]), ("anna", ["Anna", ""])):
        with JournalReader(journal.path) as reader:
            assert len(index.find(reader, query)) == (1 if query else 2)
        journal.append(1, "named", {"names": names}, by="hand")
    assert replayed == [1, 2, 1]


BLUE, RED = (200, 60, 30), (30, 40, 200)  # BGR, what the table looks like in its photographs


def jpeg(bgr: tuple[int, int, int]) -> bytes:
    return bytes(cv2.imencode(".jpg", np.full((360, 640, 3), bgr, np.uint8))[1])


@pytest.fixture
def photographed(played: LiveTable) -> LiveTable:
    """The same, the third turn and the foul photographed."""
    records = played.journal.records(1)
    third, foul = ([one.seq for one in records if one.kind == kind][k] for kind, k in (("turn", 2), ("foul", 0)))
    played.photographs.save(third, jpeg(BLUE))
    played.photographs.save(foul, jpeg(RED))
    return played


def frames_of(film: bytes, folder: Path) -> list[np.ndarray[Any, Any]]:
    path = folder / "seen.webm"
    path.write_bytes(film)
    opened, frames = cv2.VideoCapture(str(path)), []
    assert opened.get(cv2.CAP_PROP_FPS) == pytest.approx(1 / SCENE_S)
    while (got := opened.read())[0]:
        frames.append(np.asarray(got[1]))
    return frames


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_film_begins_with_a_photograph_and_says_what_was_announced(photographed: LiveTable, language: str) -> None:
    history = read(photographed, language=language)
    scenes = film_scenes(history, photographed.photographs)
    foul = history.plies[5].interim_events[0][1]
    assert [scene.text for scene in scenes] == [*(ply.text for ply in history.plies[3:]), foul]
    assert [scene.game.ply for scene in scenes] == [3, 4, 5, 5]
    assert len({scene.photograph for scene in scenes[:3]}) == 1


def test_the_film_shows_photographs_in_turn_and_tells_how_far_it_is(photographed: LiveTable, tmp_path: Path) -> None:
    made = list(make_film(read(photographed), photographed.photographs))
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
    photographed: LiveTable, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, film = str(photographed.journal.path.parent), tmp_path / "evening.webm"
    assert main(["games", "film", "1", str(film), "--data", data]) == 0
    printed = capsys.readouterr()
    assert printed.out == f"{film}\n"
    assert printed.err.splitlines()[-1] == "4 of 4, 0 s left"
    assert len(frames_of(film.read_bytes(), tmp_path)) == 5
    seqs = [record.seq for record in photographed.journal.records(1)]
    assert photographed.photographs.delete(seqs) == 2
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
    page.goto("about:blank")  # on its own page nothing is photographed from memory
    photographed = page.evaluate(
        """(bytes) => new Promise((done) => {
            const video = document.createElement("video");
            video.onloadeddata = () => done([video.videoWidth, video.videoHeight, video.duration]);
            video.onerror = () => done([video.error.message]);
            video.src = URL.createObjectURL(new Blob([Uint8Array.from(bytes)], { type: "video/webm" }));
        })""",
        list(film),
    )
    assert photographed == [*FILM_SIZE_PX, SCENE_S * len(frames_of(film, tmp_path))]
