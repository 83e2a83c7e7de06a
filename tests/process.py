"""A Millchen in a process of its own, with one package changed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def copy_of(package: str, folder: Path) -> Path:
    """A copy of a package, in which a test lays its files; run in ``folder`` it stands before the real one."""
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(ROOT / package, folder / package, ignore=ignored))


def printed(folder: Path, module: str, *words: str, given: str = "") -> str:
    """What ``python -m module`` prints with the packages of ``folder`` before the real ones."""
    done = subprocess.run(
        [sys.executable, "-m", module, *words], cwd=folder, input=given, capture_output=True, text=True, timeout=240,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
