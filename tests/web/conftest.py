"""What the tests of the shell share: journals, tables that film what a test says, the page's application."""

import http.client
import json
import multiprocessing
import ssl
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.web import cluster as pg
from tests.web.pace import GIVE_UP_S
from tests.web.scripted_eyes import look, write_film
from tests.web.table_nursery import Nursery
from web import child_process
from web.app import create_app
from web.club.club import Club
from web.game.player_commands import play_act
from web.hosted_tables import AppContext, HostedTables
from web.journal.data_folder import DataFolder
from web.journal.journal import Journal
from web.net.image_upload import DECODER
from web.net.server import Server, make_server
from web.setup.setup_session import SetupSession
from web.table.live_table import LiveTable, VisionTarget
from web.table.vision_messages import Corners
from web.thinking import Thinker

if find_spec("playwright") is not None:
    from tests.web.browsing import browser as browser
    from tests.web.browsing import served as served
    from tests.web.browsing import stage as stage
    from tests.web.browsing import tabs as tabs
    from tests.web.browsing import visit as visit
    from tests.web.browsing import whole_stage as whole_stage


@pytest.fixture(scope="session", autouse=True)
def _forked_eyes() -> Iterator[None]:
    """Eyes are forked off a process that has loaded them, as a start takes half a second and these tests make hundreds.

    How real ones start is seen by those tests that run the whole program (test_main, test_faults).
    """
    with pytest.MonkeyPatch.context() as patch:
        if "forkserver" in multiprocessing.get_all_start_methods():
            multiprocessing.set_forkserver_preload(["pytest", "tests.web.scripted_eyes"])
            patch.setattr(child_process, "START_METHOD", "forkserver")
            patch.setattr(DECODER, "_process", child_process.CalledProcess("pictures"))  # forked off it has more memory
        yield


LOCAL = "http://127.0.0.1:8321"
Until = Callable[[Callable[[], bool]], None]
Open = Callable[..., LiveTable]


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "journal.sqlite") as opened:
        yield opened


@pytest.fixture
def until() -> Until:
    """Wait until something is so, at most a minute: so slow may a busy machine be."""

    def wait(is_so: Callable[[], bool]) -> None:
        give_up = time.monotonic() + GIVE_UP_S
        while not is_so():
            assert time.monotonic() < give_up, f"waited {GIVE_UP_S:.0f} s in vain"
            time.sleep(0.01)

    return wait


@pytest.fixture
def start(journal: Journal) -> Iterator[Open]:
    """Start Millchen at the journal, with the words of a command; the table before is closed."""
    with ExitStack() as open_one:

        def start_it(
            source: str = "hand", game: str = "nine_mens_morris", *, name: str = "", eyes: VisionTarget = look,
            thinker: Thinker | None = None, corners: Corners | None = None, **options: Any,
        ) -> LiveTable:  # fmt: skip
            open_one.close()
            table = open_one.enter_context(closing(LiveTable(journal, eyes, name, thinker)))
            table.open(source, game, options, corners)
            return table

        yield start_it


@pytest.fixture
def open_table(start: Open, tmp_path: Path) -> Open:
    """Open a table whose eyes see the given scenes."""

    def open_it(*scenes: str, game: str = "nine_mens_morris", pause_s: float = 0.0, end: str = "wait") -> LiveTable:
        return start(str(write_film(tmp_path / "film.json", *scenes, pause_s=pause_s, end=end)), game)

    return open_it


def play(table: LiveTable, *acts: str, player: int | None = None) -> None:
    """Have people do these acts on the page."""
    for act in acts:
        table.apply_command(partial(play_act, act=act, player=player))


def texts(table: LiveTable, language: str = "en") -> list[str]:
    """What was said of the game, the newest at last."""
    return [said.texts[language] for said in table.publisher.snapshot.said]


def kinds(journal: Journal, game: int = 1) -> list[str]:
    """Kinds of the records of a game."""
    return [record.kind for record in journal.records(game)]


def fill_disk(journal: Journal) -> Callable[[], None]:
    """Let the journal's file not grow any more; return how it may again."""
    driver: Any = journal._connection.connection.driver_connection  # a limit of its own that nobody else sees
    pages = driver.execute("PRAGMA page_count").fetchone()[0]
    driver.execute(f"PRAGMA max_page_count = {pages}").fetchall()
    return lambda: driver.execute("PRAGMA max_page_count = 1000000").fetchall()


@dataclass(frozen=True)
class House:
    """Tables as `serve` opens them, in one data folder."""

    folder: Path
    games: Journal
    club: Club
    tables: HostedTables

    @property
    def address(self) -> str:
        """The page of the first table."""
        return self.tables.tables[0].listeners.address

    def ask(self, address: str, path: str, body: Any = None, token: str = "") -> tuple[int, Any]:
        """Ask a page of this computer, or that of the network with its certificate checked."""
        with self._asked(address, path, body, token) as answer:
            return answer.status, json.loads(answer.read())

    @contextmanager
    def _asked(self, address: str, path: str, body: Any, token: str) -> Iterator[http.client.HTTPResponse]:
        parts = urlsplit(address)
        where = parts.hostname or "", parts.port
        if parts.scheme == "https":
            trusted = ssl.create_default_context(cafile=str(self.folder / "network" / "certificate.pem"))
            line: http.client.HTTPConnection = http.client.HTTPSConnection(*where, context=trusted, timeout=60)
        else:
            line = http.client.HTTPConnection(*where, timeout=60)
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        with closing(line):
            line.request("GET" if body is None else "POST", path, None if body is None else json.dumps(body), headers)
            yield line.getresponse()

    def listening(self, address: str, token: str) -> AbstractContextManager[http.client.HTTPResponse]:
        """Open the event stream of a page."""
        return self._asked(address, "/api/events", None, token)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with ExitStack() as stack:
        folder = stack.enter_context(DataFolder(tmp_path / "data"))
        games, evenings = (stack.enter_context(Journal(path)) for path in (folder.journal, folder.evenings))
        club = stack.enter_context(closing(Club(games, evenings)))
        club.start()
        tables = stack.enter_context(closing(HostedTables(create_app, club, 0, None, look)))
        yield House(folder.path, games, club, tables)


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with closing(Nursery()) as made:
        yield made


@contextmanager
def serving(server: Server) -> Iterator[int]:
    """Serve, and stop; its port."""
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield int(server.bind_addr[1])
    finally:
        server.stop()
        thread.join(timeout=60)


@pytest.fixture(scope="module")
def port(app: Flask) -> Iterator[int]:
    """The port at which the application is served."""
    with serving(make_server(app, 0)) as number:
        yield number


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppContext]:
    """A table at which two turns have been played; the tests of one file share it."""
    folder = tmp_path_factory.mktemp("table")
    with Journal(folder / "journal.sqlite") as journal:
        table = LiveTable(journal, look)
        table.open(str(write_film(folder / "film.json", "d6", "d7")), "nine_mens_morris", {})
        give_up = time.monotonic() + GIVE_UP_S
        while table.publisher.snapshot.game.ply < 2:
            assert time.monotonic() < give_up, "two turns were waited for in vain"
            time.sleep(0.01)
        yield AppContext(table, setup=SetupSession(folder))
        table.close()


@pytest.fixture(scope="module")
def app(shell: AppContext) -> Flask:
    made = create_app(shell)
    made.testing = True
    made.config["PROPAGATE_EXCEPTIONS"] = False
    return made


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture(scope="session")
def server() -> Iterator[pg.Cluster]:
    """Not in pytest's own folder: the next run that starts beside this one closes that to PostgreSQL's user."""
    with tempfile.TemporaryDirectory(prefix="millchen-archive-") as folder, pg.running(Path(folder) / "own") as cluster:
        yield cluster


@pytest.fixture
def cluster(server: pg.Cluster) -> pg.Cluster:
    """The server with an empty database."""
    server.sql(f"DROP DATABASE {pg.DATABASE} WITH (FORCE)", database="postgres")
    server.sql(f"CREATE DATABASE {pg.DATABASE}", database="postgres")
    return server


@pytest.fixture
def line(cluster: pg.Cluster) -> Iterator[pg.Line]:
    line = pg.Line(cluster.port)
    yield line
    line.close()
