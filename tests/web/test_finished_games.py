"""Finished games: what is told, listed, counted and taken away of them, and their film."""

import re
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from millchen import main
from tests.web.browsing import Serve, Visit, expect
from tests.web.conftest import LOCAL, Open, Until
from tests.web.seen import correct_point
from tests.web.test_games_page import wait_for
from web.app import create_app
from web.drawing.game_gif import encode_gif
from web.game.player_commands import name_players, take_back_turn
from web.history import exports
from web.history.finished_games import GameHistory, game_history, game_statistics
from web.history.game_film import FILM_SIZE_PX, SCENE_S, make_film
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
    assert past.plies[5].game.position == played.state.game.position


def test_statistics_count_what_was_played(played: LiveTable) -> None:
    told = game_statistics(read(played))
    assert (told["turns"], told["mills"], told["captures"]) == ([3, 2], [1, 0], [1, 0])
    assert told["fouls"] == 1
    assert told["leads"][-1] == [9, 8]


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
    for source in ("hand", "demo:trialectic", "hand"):
        journal.begin({"game": "millchen", "options": {}, "source": source}, by="hand")
    table = LiveTable(journal)
    table.open("hand", "millchen", {})
    client = create_app(AppContext(table)).test_client()
    english = {"Accept-Language": "en"}
    page = client.get("/games", base_url=LOCAL, headers=english).get_data(as_text=True)
    assert 'href="/games/1"' in page and 'href="/games/2"' not in page
    assert "Demo games: 1" in page and "<b>2</b>" in page
    demos = client.get("/games?demo=1", base_url=LOCAL, headers=english).get_data(as_text=True)
    assert 'href="/games/2"' in demos and 'href="/games/1"' not in demos
    assert [game["id"] for game in client.get("/api/games", base_url=LOCAL).get_json()["games"]] == [3, 1]
    assert [game["id"] for game in client.get("/api/games?demo=1", base_url=LOCAL).get_json()["games"]] == [2]


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


def test_the_film_shows_photographs_in_turn_and_tells_how_far_it_is(photographed: LiveTable, tmp_path: Path) -> None:
    made = list(make_film(read(photographed), photographed.photographs))
    assert [(n, of) for n, of, _ in made] == [(n, 4) for n in range(1, 5)]
    assert [bool(film) for *_, film in made] == [False, False, False, True]
    frames = frames_of(made[-1][2], tmp_path)
    seen = [frame[360, 400].astype(int) for frame in frames]
    assert [frame.shape for frame in frames] == [(*reversed(FILM_SIZE_PX), 3)] * 5
    for at, colour in zip(seen, [BLUE, BLUE, BLUE, RED, RED], strict=True):  # the last one stays
        assert np.abs(at - colour).max() < 30  # what VP8 does to a plain colour


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
