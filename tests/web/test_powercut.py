"""No acknowledged turn is lost in a power cut (promise R2)."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.web.powercut import WRITER, WRITER_OF_COMMANDS, many_cuts, record, rows_of

pytestmark = pytest.mark.film


@pytest.fixture(scope="module", autouse=True)
def _strace() -> None:
    """Writes are recorded by strace; `.ci/run` installs it, so that only a machine that forbids tracing skips this."""
    if shutil.which("strace") is None:
        assert not os.environ.get("CI"), "strace is not installed, and CI must not skip the power cuts"
        pytest.skip("strace, which records what is written, is not installed")
    if subprocess.run(["strace", "-o", "/dev/null", "true"]).returncode != 0:
        pytest.skip("strace may not trace here")


def trials(tmp_path: Path, n_records: int, n_cuts: int, writer: str = WRITER) -> tuple[int, int]:
    (tmp_path / "written").mkdir()
    (tmp_path / "found").mkdir()
    acts = record(tmp_path / "written", n_records, writer)
    assert sum(act.kind == "ack" for act in acts) == n_records
    written = rows_of(tmp_path / "written" / "journal.sqlite")
    assert [row[0] for row in written] == list(range(1, len(written) + 1))
    return many_cuts(acts, written, n_cuts, tmp_path / "found")


@pytest.mark.parametrize(("n_records", "n_cuts"), [(50, 120), pytest.param(250, 2000, marks=pytest.mark.slow)])
def test_no_acknowledged_turn_is_lost_when_the_power_is_cut(tmp_path: Path, n_records: int, n_cuts: int) -> None:
    assert trials(tmp_path, n_records, n_cuts) == (0, 0)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_two_thousand_power_cuts_among_commands_of_every_kind_lose_nothing(tmp_path: Path) -> None:
    lost, damaged = trials(tmp_path, 400, 2000, WRITER_OF_COMMANDS)
    print(f"R22: 2000 power cuts among 400 acknowledged commands of every kind: {lost} lost, {damaged} damaged")
    assert (lost, damaged) == (0, 0)
