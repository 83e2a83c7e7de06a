"""Tables in processes of their own, started in a tenth of a second: what they need is loaded once, then forked.

A line of JSON (source, game, port, data) on standard input starts one; its process id is the answer. The tests kill it.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.web.scripted_eyes import look
from web.app import create_app
from web.hosted_tables import AppContext
from web.journal.data_folder import DataFolder
from web.journal.journal import Journal
from web.net.server import make_server
from web.table.live_table import LiveTable

ROOT = Path(__file__).parents[2]


def be_a_table(source: str, game: str, port: int, data: str) -> None:
    """Serve one table until the end."""
    with DataFolder(Path(data)) as folder, Journal(folder.journal) as journal:
        table = LiveTable(journal, look)
        table.open(source, game, {})
        make_server(create_app(AppContext(table)), port).serve()


class Nursery:
    """The process that forks them, as a test sees it."""

    def __init__(self) -> None:
        words = [sys.executable, "-m", "tests.web.table_nursery"]
        self._process = subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def start(self, source: str, game: str, port: int, data: Path) -> int:
        """Start a table; its process id."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps([source, game, port, str(data)]) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # whoever is killed leaves nothing behind
    for line in sys.stdin:
        words: list[Any] = json.loads(line)
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.dup2(os.open(os.devnull, os.O_RDWR), sys.stdout.fileno())
            be_a_table(*words)
            os._exit(0)
        print(pid, flush=True)


if __name__ == "__main__":
    main()
