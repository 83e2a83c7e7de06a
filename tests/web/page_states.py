"""Pages in any state, without a camera: a small file says what has happened, the program makes its page of it.

A file in `tests/web/states` has some of these keys:

game, options, source
    As on the command line; the source is camera "0" where nothing is said.
records
    ``[kind, body]`` that the journal has before anything is seen: names, a clock, for whom Millchen plays.
scenes
    What the eyes report, in the words of `tests.web.scripted_eyes.write_film`.
acts
    What people do on the page, in notation.
then
    ``[kind, body]`` that the journal has after all that: a proposal, a hint.
stones
    Colour of each player's stones.
eyes, from
    What else the eyes say of themselves (fields of `Sight`), and how the source fares (of `SourceStatus`).
instead
    The game that the command asked for, where another one was taken up.
is_saved, is_connected
    False while the disk is full, or where the program does not answer.
path, press
    The page, where that is not the table's, and what people press on it: ``#id``, ``#id = text`` for what they type,
    and ``see PLACE`` for what they wait for.
"""

import json
import tempfile
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from flask import Response, request

from tests.web.scripted_eyes import look, write_film
from web.app import create_app
from web.club.club import Club
from web.game.player_commands import play_act
from web.hosted_tables import AppContext
from web.journal.journal import Journal
from web.journal.journal_record import UnwrittenRecord
from web.net.server import make_server
from web.setup.setup_session import SetupSession
from web.table.live_table import LiveTable
from web.table.supervisor import VisionSupervisor
from web.table.vision_messages import EncodedPicture, FrameResult, VisionCommand, VisionMessage

FOLDER = Path(__file__).with_name("states")
STATES = {path.stem: path for path in sorted(FOLDER.glob("*.json"))}
SIZE_PX = (640, 360)
PICTURE = cv2.imencode(".jpg", np.full((*SIZE_PX[::-1], 3), 170, np.uint8))[1].tobytes()
"""What the camera shows: marks are measured against it, and nobody looks for a board in it."""

PHOTOGRAPH = Path(__file__).parents[1] / "data" / "locate" / "nine_mens_morris.jpg"
"""In which the set-up finds a board with stones."""

STONES = ("#a83a2c", "#d8d2c6", "#3f5f94", "#d6a52b", "#3f7a4c", "#3b3733")


class _NoEyes(VisionSupervisor):
    """Starts no process but for the set-up: all that there is to see has been said."""

    def send(self, command: object) -> bool:
        return super().send(command) or True


class _StillTable(LiveTable):
    """A table at which nothing happens by itself."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(journal)
        self.camera.supervisor, self.camera.on_tick = _NoEyes(self.camera), lambda: None
        needs_none = self.camera.needs_no_process
        self.camera.needs_no_process = lambda: self.camera._guest is None or needs_none()  # type: ignore[method-assign]

    def see(self, film: Path, stones: tuple[str, ...]) -> None:
        """Have scripted eyes look at a film at once, and at a picture."""
        pipe = _Pipe(self, stones)
        look(pipe, replace(self.camera.next_job(), source=str(film), first_s=0.0))  # type: ignore[arg-type]
        pipe.send(EncodedPicture(PICTURE))


class _Pipe:
    """The end of a pipe that scripted eyes have; what they say is known at once, and the points lie on the picture."""

    def __init__(self, table: _StillTable, stones: tuple[str, ...]) -> None:
        self._table, self._stones = table, stones
        self._points_px = tuple((180 + 280 * x, 40 + 280 * y) for x, y in table.variant.board.xy)

    def send(self, said: VisionMessage) -> None:
        if isinstance(said, FrameResult) and said.sight.points:
            sight = replace(said.sight, points=self._points_px, size=SIZE_PX, colours=self._stones)
            said = replace(said, sight=sight)
        self._table.camera.receive(said, self._table.camera.supervisor.generation)

    def poll(self, _: float) -> bool:
        return False

    def recv(self) -> VisionCommand:
        raise EOFError  # nobody commands: the eyes have nothing more to say


@dataclass(frozen=True)
class PageState:
    """A page in a state.

    Attributes:
        told: What its file says.
    """

    told: Mapping[str, Any]
    app: Any
    close: Any

    @property
    def path(self) -> str:
        return str(self.told.get("path", ""))

    def press(self, page: Any) -> None:
        """Press on a page what belongs to the state."""
        for what in self.told.get("press", ()):
            place, is_typing, text = what.partition(" = ")
            if place.startswith("see "):
                page.locator(place[4:]).first.wait_for(state="attached")
            else:
                page.fill(place, text) if is_typing else page.click(place)


def open_state(path: Path) -> PageState:
    """Make the application whose pages are in the state of a file."""
    told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    with ExitStack() as undo:
        folder = Path(undo.enter_context(tempfile.TemporaryDirectory()))
        journal = undo.enter_context(Journal(folder / "journal.sqlite"))
        table = _StillTable(journal)
        undo.callback(table.close)
        table.open(told.get("source", "0"), told["game"], told.get("options", {}))
        n_players = table.state.game.variant.players
        stones = tuple(told.get("stones", STONES))[:n_players]
        _play(table, told, folder, stones)
        if "instead" in told:
            table = _StillTable(journal)
            undo.callback(table.close)
            table.open("0", told["instead"], {})
            _play(table, {}, folder, stones)
        _say_how_it_fares(table, told)
        setup = SetupSession(folder)
        undo.callback(setup.camera.close)
        club = Club(journal, undo.enter_context(Journal(folder / "evenings.sqlite")))
        app = create_app(AppContext(table, setup=setup, club=club))
        if not told.get("is_connected", True):
            app.before_request(_answer_no_stream)
        told["press"] = [what.replace("PICTURE", str(PHOTOGRAPH)) for what in told.get("press", ())]
        return PageState(told, app, undo.pop_all().close)


def _play(table: _StillTable, told: Mapping[str, Any], folder: Path, stones: tuple[str, ...]) -> None:
    """Let happen what a file tells."""
    for kind, body in told.get("records", ()):
        table.add_record(table.publisher.snapshot.game.id, UnwrittenRecord(kind, None, body))
    if table.camera.source.kind != "hand":
        table.see(write_film(folder / "film.json", *told.get("scenes", ())), stones)
    for act in told.get("acts", ()):
        table.apply_command(partial(play_act, act=act, player=None))
    for kind, body in told.get("then", ()):
        table.add_record(table.publisher.snapshot.game.id, UnwrittenRecord(kind, table.state.game.ply + 1, body))


def _say_how_it_fares(table: _StillTable, told: Mapping[str, Any]) -> None:
    view, eyes = table.publisher, {key: _frozen(value) for key, value in told.get("eyes", {}).items()}
    view.sight, view.source = replace(view.sight, **eyes), replace(view.source, **told.get("from", {}))
    table.publisher.publish()
    table.publisher.hand_out(replace(table.publisher.snapshot, saved=told.get("is_saved", True)))


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _answer_no_stream() -> Response | None:
    return Response(status=503) if request.path == "/api/events" else None


class StateServer:
    """Serves one state after the other at one address."""

    def __init__(self) -> None:
        self._shown: PageState | None = None
        self._server = make_server(self._answer, 0)
        self.address = f"http://127.0.0.1:{self._server.bind_addr[1]}/"
        self._thread = threading.Thread(target=self._server.serve, daemon=True)
        self._thread.start()

    def _answer(self, environ: Any, start_response: Any) -> Any:
        assert self._shown is not None
        return self._shown.app(environ, start_response)

    def show(self, path: Path) -> PageState:
        """Serve the state of a file from now on."""
        before, self._shown = self._shown, open_state(path)
        if before is not None:
            before.close()
        return self._shown

    def close(self) -> None:
        """Serve nothing any more."""
        if self._shown is not None:
            self._shown.close()
        self._server.stop()
        self._thread.join(timeout=5)
