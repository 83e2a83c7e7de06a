"""The whole shell as a process: what it loads, and how it is killed, asked to end, started twice (R20)."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.caller import free_port
from tests.web.pace import is_kept
from tests.web.scripted_eyes import write_film
from tests.web.test_faults import Program
from web.history.journal_reader import JournalReader
from web.hosted_tables import TableRequest
from web.journal.copies import copies_of
from web.journal.data_folder import DataFolder, journal_file
from web.journal.journal import wal_file
from web.journal.salvage import salvaged_from
from web.main import PageRequest, serve

pytestmark = pytest.mark.film

TURNS = ("d6", "d7", "b6", "g7", "mill:f6xd7", "a7", "b4", "f4", "d3", "a4")


class Millchen(Program):
    """A running Millchen."""

    def until(self, ply: int) -> Any:
        give_up = time.monotonic() + 60  # a start takes its time also where patience is short
        while time.monotonic() < give_up:
            state = self.ask("/api/state")
            if state is not None and state["game"]["ply"] >= ply:
                return state
            time.sleep(0.02)
        raise AssertionError(f"turn {ply} was not reached")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Any]:
    running: list[Millchen] = []

    def start_it(*, port: int, pause_s: float = 0.05) -> Millchen:
        film = write_film(tmp_path / "film.json", *TURNS, pause_s=pause_s)
        running.append(Millchen(film, tmp_path / "data", port))
        return running[-1]

    yield start_it
    for millchen in running:
        if millchen.process.poll() is None:
            millchen.end(signal.SIGKILL)
        with contextlib.suppress(OSError):
            millchen.process.stderr.close()  # type: ignore[union-attr]


def test_after_a_kill_the_game_goes_on_where_it_was_with_no_turn_lost_or_doubled(start: Any) -> None:
    port = free_port()
    millchen = start(port=port, pause_s=0.1)
    assert millchen.until(5)["game"]["ply"] < len(TURNS)
    millchen.end(signal.SIGKILL)
    state = start(port=port).until(len(TURNS))
    assert (state["game"]["id"], state["game"]["ply"]) == (1, len(TURNS))
    assert set(state["game"]["stacks"]) == {"d6", "b6", "g7", "f6", "a7", "b4", "f4", "d3", "a4"}
    turns = [said for said in state["said"] if said["kind"] == "turn"]
    assert len({said["seq"] for said in turns}) == len(turns)


def test_a_game_that_ends_is_copied(start: Any, tmp_path: Path) -> None:
    millchen = start(port=free_port())
    millchen.until(0)
    assert millchen.ask("/api/game", {"game": "tic_tac_toe", "source": "hand"})
    for act in ("a3", "a2", "b3", "b2", "c3"):
        game = millchen.until(0)["game"]
        assert millchen.ask("/api/act", {"act": act, "seen": {"game": game["id"], "seq": game["seq"]}})
    assert millchen.until(5)["game"]["outcome"] is not None
    give_up = time.monotonic() + 60
    path = journal_file(tmp_path / "data")
    while not any(game["seq"] + 1 in salvaged_from(copy).events for copy in copies_of(path)):
        assert time.monotonic() < give_up, "the game that has ended is in no copy"
        time.sleep(0.05)
    millchen.end(signal.SIGKILL)
    wal_file(path).unlink()
    with JournalReader(path) as reader:
        second = reader.replay(2).state
        assert second is not None and second.game.outcome is not None


def test_what_was_played_is_copied_when_it_ends(start: Any, tmp_path: Path) -> None:
    millchen = start(port=free_port())
    millchen.until(3)
    assert millchen.end(signal.SIGTERM)[0] == 0
    path = journal_file(tmp_path / "data")
    assert [salvaged_from(copy).events for copy in copies_of(path)] == [salvaged_from(path).events]


@pytest.mark.parametrize(
    ("number", "status"),
    [
        (signal.SIGTERM, 0),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in ((signal.SIGHUP, 0), (signal.SIGINT, 130))),
    ],
)
def test_it_ends_within_two_seconds_when_asked_to(start: Any, number: int, status: int) -> None:
    port = free_port()
    millchen = start(port=port)
    millchen.until(2)
    with socket.create_connection(("127.0.0.1", port)) as page:
        page.sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        page.recv(100)  # a page is listening
        code, said, seconds = millchen.end(number)
    assert is_kept(2.0, seconds)
    assert code == status
    assert said.count("\n") == 1
    assert "Traceback" not in said
    with socket.create_server(("127.0.0.1", port)):
        pass  # the port is free again


def test_a_second_one_on_the_same_port_or_folder_says_so(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as first, DataFolder(tmp_path / "taken"):
        port = first.getsockname()[1]
        for folder, says in (
            ("free", f"port {port} is in use"),
            ("taken", "another Millchen is using the data folder"),
        ):
            table = TableRequest("hand", "millchen")
            assert serve(PageRequest([table], port, opens_browser=False, data=tmp_path / folder)) == 1
            said = capfd.readouterr().err
            assert says in said and said.count("\n") == 1


ROOT = Path(__file__).parents[2]
HEAVY = "{'numpy', 'cv2', 'PIL', 'flask', 'cheroot', 'sqlalchemy', 'cryptography'}"


def hears_ctrl_c() -> None:
    """Tests in the background inherit deafness."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def left(code: str, *words: str) -> tuple[int, str, str]:
    """How a program ends that runs this code with these words, and what it says."""
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, preexec_fn=hears_ctrl_c)
    return done.returncode, done.stdout, done.stderr


def test_no_library_is_loaded_before_it_is_known_what_is_wanted() -> None:
    """A process of eyes loads the program's first file again, and rules are judged without seeing."""
    code = f"import sys, millchen; millchen.main(['judge']); print(sorted({HEAVY} & set(sys.modules)))"
    assert left(code) == (0, "[]\n", "")


def test_the_eyes_load_nothing_of_the_page() -> None:
    code = f"import sys, web.table.vision_process; print(sorted({HEAVY} & set(sys.modules)))"
    assert left(code)[1] == "['PIL', 'cv2', 'numpy']\n"


@pytest.mark.parametrize(("library", "words"), [("cv2", ("read", "x.jpg")), ("argparse", ())])
def test_ctrl_c_while_libraries_load_ends_without_a_word(library: str, words: tuple[str, ...], tmp_path: Path) -> None:
    """The library that is interrupted may print the exception, or take it for one of its own: here none is raised."""
    (tmp_path / f"{library}.py").write_text(
        "import os, signal\ntry: os.kill(os.getpid(), signal.SIGINT)\nexcept KeyboardInterrupt: raise ImportError('x')"
    )
    code = f"import sys; sys.path[:0] = [{str(tmp_path)!r}]; import millchen; sys.exit(millchen.main())"
    assert left(code, *words) == (130, "", "")


MANY = [(True, 0.05 * k) for k in range(20)]
"""Whether the page is there, or the first sign of life, and so many seconds after it."""


@pytest.mark.parametrize(
    "moments", [[(False, 0.1), (True, 0.1)], pytest.param(MANY, marks=pytest.mark.slow)], ids=("two", "many")
)
def test_ctrl_c_at_any_moment_of_the_start_is_one_quiet_end_of_everybody(
    moments: list[tuple[bool, float]], tmp_path: Path
) -> None:
    """A terminal sends it to the whole group: the process of the eyes, which is still loading, must not answer too."""
    start = tmp_path / "millchen"  # what pip installs, and the eyes load again
    start.write_text(
        f"import sys\nsys.path[:0] = [{str(ROOT)!r}]\nprint('here', flush=True)\nfrom millchen import main\n"
        "if __name__ == '__main__':\n    sys.exit(main())\n"
    )
    for has_page, seconds in moments:
        words = ["--port", "0", "--no-browser", "--no-link", "--data", str(tmp_path / "data")]
        how: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True}
        running = subprocess.Popen([sys.executable, start, *words], text=True, preexec_fn=hears_ctrl_c, **how)
        assert running.stdout is not None and running.stderr is not None
        assert running.stdout.readline() == "here\n"
        if has_page:
            assert running.stderr.readline().startswith("Millchen is at")
        time.sleep(seconds)
        os.killpg(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=60)
        assert running.returncode == 130, said
        assert said == "" or said.startswith("Millchen is at") and said.count("\n") == 1, said
