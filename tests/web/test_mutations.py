"""For every promise: with its defence taken away its test fails (docs/PROMISES.md)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.web.mutations import MUTATIONS, Mutation

ROOT = Path(__file__).parents[2]
PATIENCE_S = "15"
"""After so many seconds tests that wait for something give up."""


def failures(tests: Iterable[str], mutation: str = "") -> list[str]:
    """Run tests in a process of their own: what those say that fail."""
    places = (ROOT / "tests" / "web" / "mutating", ROOT)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, places)),
        "MILLCHEN_MUTATION": mutation,
        "MILLCHEN_PATIENCE_S": PATIENCE_S,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # half of a start
    }
    with TemporaryDirectory() as folder:
        found = Path(folder) / "found.xml"
        words = [sys.executable, "-m", "pytest", "-p", "xdist", "-p", "pytest_timeout", "-p", "no:cacheprovider"]
        words += ["-n0", "-m", "slow or not slow", f"--maxfail={1 if mutation else 1000}", f"--junitxml={found}"]
        done = subprocess.run([*words, *tests], cwd=ROOT, env=environment, capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stdout + done.stderr
        cases = list(ElementTree.parse(found).iter("testcase"))
    assert any(case.find("skipped") is None for case in cases), f"no test was run: {done.stdout}"
    assert not any(case.find("error") is not None for case in cases), done.stdout
    return [" ".join(why.attrib["message"].split()) for case in cases for why in case.iter("failure")]


@pytest.fixture(scope="module")
def sound(request: pytest.FixtureRequest) -> None:
    """With all defences in their place every test passes that is asked here."""
    asked = [one.callspec.params["mutation"] for one in request.session.items if hasattr(one, "callspec")]
    tests = {test: None for mutation in asked for test in mutation.tests}
    assert failures(tests) == []


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("sound")
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: f"{mutation.promise} {mutation.name}")
def test_without_its_defence_the_test_of_a_promise_fails(mutation: Mutation) -> None:
    why = failures(mutation.tests, mutation.name)
    assert why, "every test still passes"
    assert re.match(mutation.by, why[0]), why
    print(f"{mutation.promise}, {mutation.name}: {mutation.tests[0].rpartition('::')[2]} fails ({why[0][:90]})")


def test_every_promise_has_a_defence_that_can_be_taken_away() -> None:
    promises = set(re.findall(r"^\| (R\d+) \|", (ROOT / "docs" / "PROMISES.md").read_text(encoding="utf-8"), re.M))
    assert promises <= {mutation.promise for mutation in MUTATIONS}
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS)
