"""The page in a real Chromium: what the tests of all pages share."""

from __future__ import annotations

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
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
const fake = { getVoices: () => VOICES.map((lang) => ({ lang, localService: true })),
               speak: (said) => window.spoken.push(said.text), cancel: () => {} };
Object.defineProperty(window, "speechSynthesis", { value: fake });
"""
__all__ = [
    "SPEAKER",
    "Browser",
    "Late",
    "Page",
    "Route",
    "Serve",
    "Served",
    "Visit",
    "browser",
    "expect",
    "served",
    "settles_within",
    "sync_playwright",
    "tabs",
    "visit",
    "wait_until",
]
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
        page.on(
            "console",
            lambda said: (
                complaints.append(said.text)
                if said.type == "error" and not any(note in said.text + said.location["url"] for note in REFUSED + GONE)
                else None
            ),
        )
        page.on("pageerror", lambda why: complaints.append(str(why)))
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
