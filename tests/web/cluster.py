"""A throw-away PostgreSQL on loopback, and a line to it that can be cut."""

import os
import selectors
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

USER, PASSWORD, DATABASE = "millchen", "a p@ss/word", "club"
ROOT_IS = "postgres"  # the server refuses to run as root; Debian's package brings this user


def binary(name: str) -> str | None:
    """The path of a program of PostgreSQL's server, None where it is not installed."""
    found = shutil.which(name)
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return found or (str(places[-1]) if places else None)


MISSING = (
    "psycopg is not installed" if find_spec("psycopg") is None
    else "PostgreSQL's server is not installed (apt-get install postgresql)" if binary("initdb") is None
    else ""
)  # fmt: skip
needs_archive = pytest.mark.skipif(bool(MISSING) and "CI" not in os.environ, reason=MISSING)


def _as_user(*command: str) -> list[str]:
    change = ["setpriv", f"--reuid={ROOT_IS}", f"--regid={ROOT_IS}", "--init-groups"] if os.geteuid() == 0 else []
    return [*change, *command]


class Cluster:
    """One server with one empty database; `stop` and `start` are power cuts and their end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        if os.geteuid() == 0:
            shutil.chown(folder, ROOT_IS, ROOT_IS)
            for above in folder.parents:
                if above.stat().st_uid == 0 and not above.stat().st_mode & 0o001:
                    above.chmod(above.stat().st_mode | 0o001)  # so that its user may pass
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        secret = folder / "secret"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        make = [str(binary("initdb")), "-D", str(folder / "data"), "-U", USER, "-E", "UTF8", "--no-sync"]
        make += ["-A", "scram-sha-256", "--pwfile", str(secret)]
        subprocess.run(_as_user(*make), check=True, capture_output=True, cwd="/")
        self._server: subprocess.Popen[bytes] | None = None
        self.start()
        self.sql(f"CREATE DATABASE {DATABASE}", database="postgres")

    def start(self) -> None:
        """Start the server and wait until it answers."""
        settings = {"port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": self.folder}
        words = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        run = _as_user(str(binary("postgres")), "-D", str(self.folder / "data"), *words)
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen(run, stdout=log, stderr=log, cwd="/")
        give_up = time.monotonic() + 60
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            assert time.monotonic() < give_up, (self.folder / "log").read_text()
            time.sleep(0.02)

    def stop(self) -> None:
        """End it at once, as a power cut does (SIGQUIT: no goodbyes, recovery at the next start)."""
        assert self._server is not None
        self._server.send_signal(3)
        self._server.wait(20)

    def address(self, port: int | None = None, database: str = DATABASE, password: str = PASSWORD) -> str:
        """What ``--archive`` takes."""
        secret = password.replace("@", "%40").replace("/", "%2F").replace(" ", "%20")
        return f"postgresql://{USER}:{secret}@127.0.0.1:{port or self.port}/{database}"

    def sql(self, statement: str, database: str = DATABASE) -> list[tuple[object, ...]]:
        """Ask the server itself."""
        import psycopg  # noqa: PLC0415  # only where there is a server

        give_up = time.monotonic() + 60
        while True:
            try:
                with psycopg.connect(self.address(database=database), autocommit=True) as connection:
                    found = connection.execute(statement)
                    return found.fetchall() if found.description else []
            except psycopg.OperationalError:  # still starting
                assert time.monotonic() < give_up
                time.sleep(0.05)


class Line:
    """A line to a port that can be cut (closed at both ends), frozen (nothing passes, nobody is told) and mended."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._is_open, self._is_ended = True, False
        self._flows = threading.Event()
        self._flows.set()
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Close what is open and let nobody in."""
        self._is_open = False
        for end in self._sockets:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self._sockets.clear()

    def freeze(self) -> None:
        """Let nothing through, and tell nobody."""
        self._flows.clear()

    def mend(self) -> None:
        """As before."""
        self._is_open = True
        self._flows.set()

    def close(self) -> None:
        """For good."""
        self._is_ended = True
        self.cut()
        self._flows.set()
        self._listener.close()

    def _accept(self) -> None:
        while not self._is_ended:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            if not self._is_open:
                near.close()
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self._to), 2)
            except OSError:
                near.close()
                continue
            self._sockets += [near, far]
            threading.Thread(target=self._carry, args=(near, far), daemon=True).start()

    def _carry(self, near: socket.socket, far: socket.socket) -> None:
        with selectors.DefaultSelector() as waiting, near, far:
            waiting.register(near, selectors.EVENT_READ, far)
            waiting.register(far, selectors.EVENT_READ, near)
            with suppress(OSError):
                while True:
                    for key, _ in waiting.select():
                        data = key.fileobj.recv(65536)  # type: ignore[union-attr]
                        self._flows.wait()
                        if not data:
                            return
                        key.data.sendall(data)


@contextmanager
def running(folder: Path) -> Iterator[Cluster]:
    """A server for as long as the block lasts."""
    cluster = Cluster(folder)
    try:
        yield cluster
    finally:
        cluster.stop()
