"""What the tests of an archive share: a server for all of them, an empty database for each, and a line to cut."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.web import cluster as pg
from tests.web.cluster import Cluster, Line

MISSING = (
    "psycopg is not installed" if find_spec("psycopg") is None
    else "PostgreSQL's server is not installed (apt-get install postgresql)" if pg.binary("initdb") is None
    else ""
)  # fmt: skip
needs_archive = pytest.mark.skipif(bool(MISSING) and "CI" not in os.environ, reason=MISSING)

Until = Callable[[Callable[[], bool]], None]


@pytest.fixture(scope="session")
def server() -> Iterator[Cluster]:
    """Not in pytest's own folder: the next run that starts beside this one closes that to PostgreSQL's user."""
    with tempfile.TemporaryDirectory(prefix="millchen-archive-") as folder, pg.running(Path(folder) / "own") as cluster:
        yield cluster


@pytest.fixture
def cluster(server: Cluster) -> Cluster:
    """The server with an empty database."""
    server.sql(f"DROP DATABASE {pg.DATABASE} WITH (FORCE)", database="postgres")
    server.sql(f"CREATE DATABASE {pg.DATABASE}", database="postgres")
    return server


@pytest.fixture
def line(cluster: Cluster) -> Iterator[Line]:
    line = Line(cluster.port)
    yield line
    line.close()
