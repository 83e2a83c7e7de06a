"""The page in a real Chromium: what the tests of all pages share."""

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.caller import free_port
from tests.web.scripted_eyes import look, seen_path, write_film
from web.app import create_app
from web.game.replay import carried_over
from web.hosted_tables import AppContext
from web.journal.journal import Journal
from web.net.server import make_server
from web.setup.setup_session import SetupSession
from web.table.live_table import LiveTable

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-gpu-rasterization",
    "--disable-software-rasterizer",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--process-per-site",  # a page takes the process of the one before, in which everything is compiled and warm
)
SPEAKER = """
window.spoken = [];
window.primed = [];
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
const fake = { getVoices: () => VOICES.map((lang) => ({ lang, localService: true })),
               speak: (said) => (said.volume ? window.spoken : window.primed).push(said.text), cancel: () => {} };
Object.defineProperty(window, "speechSynthesis", { value: fake });
"""
__all__ = [
    "SPEAKER", "Browser", "Late", "Page", "Route", "Serve", "Served", "Stage", "Visit", "browser", "expect", "served",
    "settles_within", "stage", "sync_playwright", "tabs", "visit", "wait_until", "whole_stage",
]  # fmt: skip
WINDOW = {"width": 1280, "height": 800}
REFUSED = tuple(f"status of {status}" for status in (400, 409, 422, 503)) + ("nowhere",)  # notes on what was refused
GONE = ("net::ERR_",)  # and on a server that was killed

try:
    from playwright.sync_api import Browser, Page, Route, expect, sync_playwright
    from playwright.sync_api import TimeoutError as Late
except ImportError:
    if os.environ.get("CI"):
        raise
    pytest.skip("playwright is not installed", allow_module_level=True)

expect.set_options(timeout=60_000)  # a busy machine may take its time; what comes sooner is not waited for


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("there is no Chromium, and CI must not skip the page")
        pytest.skip("there is no Chromium on this machine")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield opened
        opened.close()


class Served:
    """A table that is being served, and the address of its page."""

    def __init__(self, folder: Path, scenes: tuple[str, ...], game: str, pause_s: float, end: str) -> None:
        self.journal = Journal(folder / "journal.sqlite")
        self.table = LiveTable(self.journal, look)
        film = write_film(folder / "film.json", *scenes, pause_s=pause_s, end=end)
        self.seen = seen_path(film)
        self.table.open(str(film), game, {})
        self.wizard = SetupSession(folder)
        self.server = make_server(create_app(AppContext(self.table, setup=self.wizard)), free_port())
        self.thread = threading.Thread(target=self.server.serve, daemon=True)
        self.thread.start()
        self.address = f"http://127.0.0.1:{self.server.bind_addr[1]}/"

    def close(self) -> None:
        self.wizard.camera.close()
        self.table.close()
        self.server.stop()
        self.thread.join(timeout=5)
        self.journal.close()


Serve = Callable[..., Served]
"""Serves a table whose eyes see these scenes."""

Visit = Callable[..., Page]
"""Opens the page of what is served."""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Serve]:
    running: list[Served] = []

    def serve_it(*scenes: str, game: str = "nine_mens_morris", pause_s: float = 0.0, end: str = "wait") -> Served:
        running.append(Served(tmp_path, scenes, game, pause_s, end))
        return running[-1]

    yield serve_it
    for one in running:
        one.close()


class Tabs:
    """Contexts of the browser that are used again, test after test: a fresh one costs more than all that a page does.

    A context is what a person's browser keeps: cookies, storage, language. The first page of each stays open, so that
    the process lives on; all else is closed and forgotten between two tests.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._kept: dict[str, tuple[Any, Any]] = {}
        self._used: dict[str, str] = {}

    def take(self, address: str, has_clock: bool, **options: Any) -> Any:
        """Return a context that nobody else has in this test; the clock of one may be put forward."""
        n = 0
        while (key := f"{n} {has_clock} {sorted(options.items())}") in self._used:
            n += 1
        if key not in self._kept:
            context = self._browser.new_context(**options)
            if has_clock:
                context.clock.install()
            first = context.new_page()
            first.goto(address + "health")
            self._kept[key] = context, context.new_cdp_session(first)
        self._used[key] = address
        return self._kept[key][0]

    def give_back(self, is_to_stay: bool) -> None:
        """Forget what the test left in its contexts, or the contexts themselves where they may be broken."""
        for key, address in self._used.items():
            context, session = self._kept[key]
            if not is_to_stay:
                del self._kept[key]
                context.close()
                continue
            for page in context.pages[1:]:
                page.close()
            context.clear_cookies()
            context.clear_permissions()
            session.send("Storage.clearDataForOrigin", {"origin": address.rstrip("/"), "storageTypes": "all"})
        self._used.clear()


@pytest.fixture(scope="session")
def tabs(browser: Browser) -> Tabs:
    return Tabs(browser)


def listen(page: Page, complaints: list[str]) -> None:
    """Take down what a page complains of in its console."""
    page.on(
        "console",
        lambda said: (
            complaints.append(said.text)
            if said.type == "error" and not any(note in said.text + said.location["url"] for note in REFUSED + GONE)
            else None
        ),
    )
    page.on("pageerror", lambda why: complaints.append(str(why)))


class Stage:
    """A table and its page, which stay open while one game after the other is shown on them.

    A page that is loaded anew costs more than what most tests do on it.
    """

    def __init__(self, folder: Path, browser: Browser) -> None:
        self._folder, self._n_films = folder, 0
        self._at = Served(folder, (), "nine_mens_morris", 0.0, "wait")
        self._context = browser.new_context(locale="en-GB", reduced_motion="reduce")
        self._context.set_default_timeout(60_000)
        self.complaints: list[str] = []
        self.reload()

    @property
    def table(self) -> LiveTable:
        return self._at.table

    def reload(self) -> None:
        """Open the page anew."""
        for page in self._context.pages:
            page.close()
        self._page = self._context.new_page()
        listen(self._page, self.complaints)
        self._page.add_init_script(SPEAKER.replace("VOICES", "['en-GB']"))
        self._page.goto(self._at.address)
        self._page.mouse.click(5, 300)  # browsers are silent until somebody has touched the page

    def show(self, *scenes: str, game: str = "nine_mens_morris", pause_s: float = 0.0, end: str = "wait") -> Page:
        """Have the table see these scenes; wait for all turns of them, and until the page shows what came of them."""
        self._n_films += 1
        film = write_film(self._folder / f"{self._n_films}.json", *scenes, pause_s=pause_s, end=end)
        page = self.begin(game, source=str(film))
        seen_path(film).touch()
        n_turns = sum(
            ":" not in scene or scene.startswith(("mill:", "resumed:")) for scene in scenes if scene != "page"
        )
        publisher = self.table.publisher
        while (now := publisher.snapshot).game.ply < n_turns or now.source.state == "opening":
            publisher.wait(now.version, 60.0)
        self._wait_until_shown(f"{now.game.id} {now.game.ply}")
        return page

    def begin(self, game: str, options: dict[str, Any] | None = None, source: str = "hand") -> Page:
        """Begin a game, and wait until the page shows it."""
        if self._page.locator("dialog[open], :popover-open, #corner-tools:not([hidden])").count():
            self.reload()
        self._page.set_viewport_size(WINDOW)
        if any(carried_over(self.table.state, self.table.state)):  # names, a clock: not to another number of players
            self.table.new_game("moulin_rouge", {"players": 6}, "hand")
        self.table.new_game(game, options or {}, source)
        self._wait_until_shown(str(self.table.publisher.snapshot.game.id))
        self._page.evaluate("window.spoken.length = 0")
        return self._page

    def clear(self) -> None:
        """Take back what a test has had its page do."""
        self._page.unroute_all()

    def _wait_until_shown(self, game: str) -> None:
        wait_until(self._page, f"document.getElementById('hand-tools').dataset.shown?.startsWith('{game} ')")

    def close(self) -> None:
        self._context.close()
        self._at.close()


@pytest.fixture(scope="session")
def whole_stage(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage(tmp_path_factory.mktemp("stage"), browser)
    yield made
    made.close()


@pytest.fixture
def stage(whole_stage: Stage, request: pytest.FixtureRequest) -> Iterator[Stage]:
    """The stage, as one test gets it: nothing may be complained about in its console."""
    n_failed = request.session.testsfailed
    whole_stage.complaints.clear()
    yield whole_stage
    whole_stage.clear()
    complaints = list(whole_stage.complaints)
    if request.session.testsfailed != n_failed:
        whole_stage.reload()
    assert complaints == [], complaints


@pytest.fixture
def visit(tabs: Tabs, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """Open the page; nothing may be complained about in its console.

    Motion is off unless a test asks for it: animations that nobody looks at take a tenth of a test's time.
    """
    complaints: list[str] = []
    n_failed = request.session.testsfailed

    def go(
        at: Served,
        path: str = "",
        *,
        width: int = 1280,
        voices: tuple[str, ...] = (),
        language: str = "en-GB",
        color_scheme: Any = None,
        reduced_motion: Any = "reduce",
        has_clock: bool = False,
        **more: Any,
    ) -> Page:
        page = tabs.take(at.address, has_clock, locale=language, **more).new_page()
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=color_scheme, reduced_motion=reduced_motion)
        page.set_default_timeout(60_000)
        listen(page, complaints)
        page.add_init_script(SPEAKER.replace("VOICES", str(list(voices))))
        page.goto(at.address + path)
        page.evaluate(
            "document.fonts.ready.then(() => true)"
        )  # other letters have other widths, and move what is measured
        if isinstance(at, Served):
            at.seen.touch()
        return page

    yield go
    tabs.give_back(is_to_stay=request.session.testsfailed == n_failed)
    assert complaints == [], complaints


def settles_within(page: Page, width: int) -> None:
    """The page, once it is drawn for its window and in its own letters, is no wider than so many pixels.

    Chromium may keep what it has measured in the units of the old window until a style changes: one does.
    """
    change = "document.documentElement.style.setProperty('--asked', String(Math.random()))"
    wait_until(page, f"({change}, document.documentElement.scrollWidth <= {width})")


def wait_until(page: Page, script: str) -> None:
    """Wait until the script is true; playwright's own way evaluates text in the page, which the page forbids."""
    give_up = time.monotonic() + 60
    while not page.evaluate(script):
        assert time.monotonic() < give_up, script
        page.wait_for_timeout(30)
