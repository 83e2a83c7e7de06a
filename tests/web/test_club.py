"""A club: tables of one house and of others, seen in one hall, looked for on one shelf, led from one desk."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.web.browsing import Visit, expect
from tests.web.cluster import Cluster, Line, needs_archive
from tests.web.conftest import LOCAL, House, Until
from tests.web.scripted_eyes import write_film
from web.app import create_app
from web.club.club import Club
from web.club.postgres_archive import PostgresArchive
from web.game.replay import start_record_body
from web.hosted_tables import AppContext, TableRequest
from web.journal.journal import Journal
from web.journal.journal_record import record_digest
from web.table.live_table import LiveTable

pytestmark = pytest.mark.film


def begin(journal: Journal, table: str) -> int:
    return journal.begin(start_record_body("nine_mens_morris", {}, "0", table), by="hand").game


def place(journal: Journal, game: int, ply: int) -> None:
    """The turn ``ply`` of a game in which stones are laid so that no mill comes about."""
    order = ("a1", "a4", "a7", "d7", "d1", "g1", "g4", "g7", "b2", "b4", "d2", "b6", "f2", "d6", "f4", "f6", "c3", "c4")
    body = {"t": 1.0 * ply, "frame": ply, "player": 1 + (ply - 1) % 2, "moves": [order[ply - 1]], "mills": [],
            "confidence": 1.0, "skipped": []}  # fmt: skip
    journal.append(game, "turn", body, ply=ply, by="camera")


class Computer:
    """A computer of the club: its journals and its part in the evening."""

    def __init__(self, folder: Path, address: str | None = None) -> None:
        self.stack = ExitStack()
        folder.mkdir()
        self.games = self.stack.enter_context(Journal(folder / "journal.sqlite"))
        self.evenings = self.stack.enter_context(Journal(folder / "evenings.sqlite"))
        central = None if address is None else PostgresArchive(address)
        self.club = self.stack.enter_context(closing(Club(self.games, self.evenings, central)))
        self.club.start()

    def shown(self) -> dict[str, int]:
        """Turns at each table that its hall shows, by name."""
        names = self.club.scoreboard.display_names()
        return {names[one.key]: one.game.ply for one in self.club.scoreboard.tables}


@pytest.fixture
def computer(tmp_path: Path) -> Iterator[Callable[..., Computer]]:
    with ExitStack() as all_of_them:

        def make(name: str, address: str | None = None) -> Computer:
            made = Computer(tmp_path / name, address)
            all_of_them.enter_context(made.stack)
            return made

        yield make


def test_a_result_is_filled_in_when_an_open_pairing_has_played(computer: Callable[..., Computer], until: Until) -> None:
    here = computer("here")
    here.club.begin_evening({"name": "", "system": "swiss", "players": ["Anna", "Ben", "Clara", "Dan"]})
    here.club.record_evening_event("round", {"pairings": [[0, 1], [2, 3]]})
    number = begin(here.games, "Kitchen")
    here.games.append(number, "named", {"names": ["dan", "Clara"]}, by="hand")
    place(here.games, number, 1)
    here.games.append(number, "resigned", {"player": 1}, ply=1, by="hand")
    until(lambda: bool(here.club.evening and here.club.evening.rounds[0][1].result))
    assert here.club.evening is not None
    assert [(one.result, one.by) for one in here.club.evening.rounds[0]] == [("", ""), ("1-0", "camera")]
    here.club.record_evening_event("result", {"round": 1, "board": 2, "result": "1/2-1/2"})  # people have the last word
    assert here.club.evening.rounds[0][1].result == "1/2-1/2"


def test_a_table_can_be_added_on_the_page_and_what_cannot_be_is_said(house: House, tmp_path: Path) -> None:
    film = str(write_film(tmp_path / "film.json"))
    first = house.tables.open(TableRequest(film, "nine_mens_morris", name="Kitchen")).listeners.address
    wanted = {"name": "Garden", "source": film, "game": "tic_tac_toe"}
    status, told = house.ask(first, "/api/club/tables", wanted)
    assert status == 200 and house.ask(told["page"], "/api/state")[1]["game"]["name"] == "tic_tac_toe"
    for change, sentence in (
        ({}, "called “Garden” already"),
        ({"name": ""}, "each needs a name"),
        ({"name": "x" * 41}, "at most 40 letters"),
        ({"name": "Attic", "source": "/nothing"}, "no file"),
        ({"name": "Attic", "game": "chess"}, "chess"),
    ):
        status, told = house.ask(first, "/api/club/tables", wanted | change)
        assert status in (400, 422) and sentence in told["error"]["text"]
    for name in ("Third", "Fourth"):
        assert house.ask(first, "/api/club/tables", wanted | {"name": name})[0] == 200
    status, told = house.ask(first, "/api/club/tables", wanted | {"name": "Fifth"})
    assert status == 422 and "carries 4 tables" in told["error"]["text"]
    assert len(house.tables.tables) == 4


@needs_archive
def test_a_hall_shows_tables_of_other_computers_and_goes_on_after_an_outage(
    computer: Callable[..., Computer], cluster: Cluster, line: Line, until: Until
) -> None:
    here, there = computer("here", cluster.address(line.port)), computer("there", cluster.address())
    number = begin(there.games, "Garden")
    place(there.games, number, 1)
    until(lambda: here.shown() == {"Garden": 1})
    line.cut()
    place(there.games, number, 2)
    until(lambda: here.club.scoreboard.status.link is not None and here.club.scoreboard.status.link.state == "away")
    assert here.shown() == {"Garden": 1}
    line.mend()
    until(lambda: here.shown() == {"Garden": 2})
    late = computer("late", cluster.address())
    until(lambda: late.shown() == {"Garden": 2})
    begin(here.games, "Garden")
    until(lambda: len(here.shown()) == 2)  # told apart by the computer
    assert here.club.scoreboard.duplicate_names() == ("garden",)


@needs_archive
def test_an_evening_led_elsewhere_is_shown_and_its_results_come_from_any_table(
    computer: Callable[..., Computer], cluster: Cluster, until: Until
) -> None:
    desk, table = computer("desk", cluster.address()), computer("table", cluster.address())
    desk.club.begin_evening({"name": "Sunday", "system": "swiss", "players": ["Anna", "Ben"]})
    desk.club.record_evening_event("round", {"pairings": [[0, 1]]})
    until(lambda: table.club.scoreboard.status.evening is not None and not table.club.scoreboard.status.is_ours)
    number = begin(table.games, "Garden")
    table.games.append(number, "named", {"names": ["Ben", "Anna"]}, by="hand")
    until(lambda: bool(desk.shown()))
    table.games.append(number, "resigned", {"player": 1}, ply=0, by="hand")
    until(lambda: bool(desk.club.evening and desk.club.evening.rounds[0][0].result == "1-0"))


@needs_archive
def test_the_shelf_has_the_games_of_all_computers_and_says_when_it_has_only_its_own(
    computer: Callable[..., Computer], cluster: Cluster, line: Line, until: Until
) -> None:
    here, there = computer("here", cluster.address(line.port)), computer("there", cluster.address())
    for each, table in ((here, "Kitchen"), (there, "Garden")):
        place(each.games, begin(each.games, table), 1)
    until(lambda: len(here.club.archive_reader.find("")[0]) == 2)
    garden = here.club.archive_reader.find("garden")[0][0]
    assert here.club.archive_reader.open(garden.origin, garden.number, "en").game.ply == 1
    line.cut()
    found, missing = here.club.archive_reader.find("")
    assert [one.line and one.line.table for one in found] == ["Kitchen"] and "cannot be reached" in missing


@pytest.fixture
def evening(house: House, tmp_path: Path) -> House:
    """A house with two tables."""
    for name, scenes in (("Kitchen", ("d6", "f4")), ("Garden", ("b2",))):
        film = write_film(tmp_path / f"{name}.json", *scenes)
        house.tables.open(TableRequest(str(film), "nine_mens_morris", name=name))
    return house


def settled(at: House) -> None:
    """Wait until both tables have played their scenes."""
    version = -1
    while sorted(one.game.ply for one in at.club.scoreboard.tables) != [1, 2]:
        version, _, _ = at.club.scoreboard.wait(version, 10)


def test_the_desk_leads_an_evening_and_the_screen_in_the_hall_follows(evening: House, visit: Visit) -> None:
    desk = visit(evening, "club")
    desk.fill("#begin-form [name=name]", "Rainy Sunday")
    desk.fill("#begin-form [name=players]", "Anna\nBen\nClara\nDan")
    desk.check("#begin-form [value=swiss]")
    desk.click("#begin-form button")
    expect(desk.locator("#begin-form")).to_be_hidden()  # folded away
    expect(desk.locator("#rounds-title")).to_be_focused()
    expect(desk.locator("#pair")).to_be_in_viewport()
    screen = visit(evening, "scoreboard", width=1600)
    expect(screen.locator("#evening-name")).to_have_text("Rainy Sunday")
    expect(screen.locator(".hall-table h2")).to_have_text(["Garden", "Kitchen"])
    desk.click("#pair")
    expect(screen.locator("#pairings li")).to_have_count(2)
    expect(desk.locator("#pair")).to_be_hidden()  # results are missing
    results = desk.locator("#round-list select.open")
    for missing in (1, 0):
        results.first.select_option("1-0")
        expect(results).to_have_count(missing)  # the desk has heard the result before the next one is given
    expect(desk.locator("#error")).to_be_hidden()
    expect(screen.locator("#standings li").first).to_contain_text("1")
    expect(desk.locator("#pair")).to_be_visible()
    desk.click("#pair")
    expect(desk.locator(".club-round")).to_have_count(2)
    expect(desk.locator("#cross tbody tr")).to_have_count(4)
    for missing in (1, 0):
        results.first.select_option("0-1")
        expect(results).to_have_count(missing)
    expect(desk.locator("#over")).to_contain_text("The evening is over")  # two rounds are enough for four
    desk.fill("#begin-form [name=name]", "Next Sunday")
    desk.click("#begin-form button")
    expect(desk.locator("#rounds-title")).to_have_text("Next Sunday")
    desk.click("#close")
    desk.click("#sure-close [value=yes]")
    expect(desk.locator("#over")).to_have_text("The evening is over.")
    expect(desk.locator("#begin-form")).to_be_visible()


def test_a_game_is_found_on_the_shelf_and_replayed_but_not_changed(evening: House, visit: Visit) -> None:
    settled(evening)
    page = visit(evening, "archive")
    expect(page.locator(".game-row")).to_have_count(2)
    page.fill("#search", "kitchen")
    page.press("#search", "Enter")
    expect(page.locator(".game-row")).to_have_count(1)
    page.click(".game-row")
    expect(page.locator("#turns .turn")).to_have_count(2)
    expect(page.locator("#rename")).to_have_count(0)
    assert page.request.get(page.url.partition("#")[0] + ".pgn").text().startswith("[")


START = {"game": "nine_mens_morris", "options": {}, "source": "0", "table": "Kitchen"}
TURN = {"t": 1.0, "frame": 1, "player": 1, "moves": ["a1"], "mills": [], "confidence": 1.0, "skipped": []}
ODD = {
    "no JSON": ("start", "{"), "brackets without end": ("start", "[" * 60_000),
    "a game of a newer Millchen": ("start", START | {"game": "hyper_morris"}),
    "options that are none": ("start", START | {"options": [[1]]}),
    "a kind of a newer Millchen": ("teleported", {"to": "a1", "t": 1.0, "frame": 1}),
    "a turn of nobody": ("turn", TURN | {"player": None}), "moves of numbers": ("turn", TURN | {"moves": [7, None]}),
    "a clock that is text": ("turn", TURN | {"clock": ["a", "b"]}), "too many names": ("named", {"names": ["A"] * 9}),
    "a foul of nothing": ("foul", {"points": None, "t": 1.0, "frame": 1}),
    "infinity": ("turn", '{"t": Infinity, "frame": 1e999, "player": 1, "moves": ["a1"], "mills": 3}'),
}  # fmt: skip


def text_of(name: str) -> str:
    body = ODD[name][1]
    return body if isinstance(body, str) else json.dumps(body)


def row(seq: int, kind: str, body: str, game: int = 1) -> Any:
    columns = (game, kind, None, body, "2026-01-01T00:00:00+00:00", "camera")
    return SimpleNamespace(
        seq=seq, game=game, kind=kind, ply=None, body=body, wall_time=columns[4], by="camera",
        digest=record_digest(*columns),
    )  # fmt: skip


@needs_archive
@pytest.mark.film
def test_the_archive_shows_every_other_game_beside_odd_rows(cluster: Cluster, tmp_path: Path, until: Until) -> None:
    here = Computer(tmp_path / "here", cluster.address())
    with here.stack:
        place(here.games, begin(here.games, "Garden"), 1)
        until(lambda: getattr(here.club.scoreboard.status.link, "last_sent_seq", 0) == 2)
        origin = "f" * 32
        cluster.sql(f"INSERT INTO journal (origin, host, begun) VALUES ('{origin}', 'elsewhere', '2026')")
        values = []
        for game, name in enumerate(ODD, start=1):
            rows = [row(2 * game, ODD[name][0], text_of(name), game)]
            if rows[0].kind != "start":
                rows.insert(0, row(2 * game - 1, "start", json.dumps(START), game))
            for one in rows:
                texts = (one.kind, one.body, one.wall_time, one.digest, origin)
                told = ", ".join("'" + text.replace("'", "''") + "'" for text in texts)
                values.append(f"({told}, {one.game}, {one.seq}, 0, 'camera', now())")
        columns = "kind, body, wall_time, digest, origin, game, origin_seq, monotonic_s, by, arrived"
        cluster.sql(f"INSERT INTO event ({columns}) VALUES {', '.join(values)}")
        app = create_app(AppContext(cast(LiveTable, SimpleNamespace()), club=here.club))
        client = app.test_client()
        for words in ("", "?q=elsewhere", "?q=garden"):
            answer = client.get(f"/archive{words}", base_url=LOCAL)
            assert answer.status_code == 200, answer.get_data(as_text=True)[:500]
            page = answer.get_data(as_text=True)
            assert ("Garden" in page) == (words != "?q=elsewhere")
            assert page.count("cannot be shown") >= 4 or words == "?q=garden"
        for game, name in enumerate(ODD, start=1):
            for end in ("", ".svg") if game % 5 else ("", "/sheet", ".json", ".pgn", ".svg"):
                status = client.get(f"/archive/{origin}/{game}{end}", base_url=LOCAL).status_code
                assert status in (200, 404), (name, end)
        place(here.games, 1, 2)
        until(lambda: here.shown().get("Garden") == 2)
        until(lambda: len(cluster.sql(f"SELECT 1 FROM event WHERE origin <> '{origin}'")) == 3)
