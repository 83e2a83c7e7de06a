"""Known holes: in our own code by the linter's rules, in what we stand on by the list of the Python packages (R21)."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = ("web", "vision", "calibration", "referee", "languages", "millchen.py")
ACCEPTED = {
    "S101": "an assert states what the types cannot; nothing is refused by one",
    "S105": "a token of the game's notation is no password",
}
"""Rules that are not asked, each with its reason."""


def test_the_linter_knows_no_hole_in_our_code() -> None:
    words = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "S", "--ignore", ",".join(ACCEPTED)]
    done = subprocess.run([*words, "--output-format", "concise", *OURS], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "All checks passed!"


@pytest.mark.slow
def test_no_package_that_we_need_has_a_known_hole() -> None:
    if shutil.which("pip-audit") is None:
        pytest.skip("pip-audit is not installed: pip install pip-audit")
    words = ["pip-audit", "--disable-pip", "--require-hashes", "-r", "requirements.lock"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300)
    if "could not be audited" in done.stdout + done.stderr:
        pytest.skip("the list of known holes cannot be reached from here")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow  # of a release, not of every change: whoever adds a package makes the lock anew before the next one
def test_the_lock_names_every_package_that_we_ask_for_with_its_hashes() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(one for more in project["optional-dependencies"].values() for one in more)]
    pinned = dict(
        re.findall(r"^([a-z0-9][a-z0-9._-]*)==\S+ \\\n((?:    --hash=sha256:[0-9a-f]{64}[ \\]*\n)+)", lock, re.M)
    )
    names = {re.match(r"[A-Za-z0-9._-]+", one)[0].lower() for one in wanted}  # type: ignore[index]
    assert names - set(pinned) == set()
    assert len(pinned) == len(re.findall(r"^\S+==", lock, re.M))
