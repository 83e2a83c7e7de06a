"""For every promise: with its defence taken away its test fails (docs/PROMISES.md, "seen to fail when")."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE_S = "15"
"""After so many seconds tests that wait for something give up."""
BY_ASSERTION = r"assert |AssertionError|Failed: |playwright\S*TimeoutError"
LEFT_OUT = shutil.ignore_patterns(".*", "shared", "*.egg-info", "__pycache__", "node_modules")


@dataclass(frozen=True, slots=True)
class Mutation:
    """Lines of the code and what comes in their place, and the test that must then fail."""

    promise: str
    name: str
    edits: tuple[tuple[str, str], ...]
    test: str
    by: str

    @classmethod
    def parse(cls, text: str) -> Mutation:
        title, *lines = text.splitlines()
        parts: dict[str, list[str]] = {kind: [] for kind in "-+!?"}
        for kind, some in groupby(lines, key=lambda line: line[0]):
            parts[kind].append("\n".join(line[1:] for line in some))
        promise, name = title.split(" ", 1)
        edits = tuple(zip(parts["-"], parts["+"], strict=True))
        by = "|".join([BY_ASSERTION, *(mistake.strip() for mistake in parts["?"])])
        return cls(promise, name, edits, parts["!"][0].strip(), by)


MUTATIONS = [Mutation.parse(text) for text in (ROOT / "tests/web/mutations.txt").read_text("utf-8").split("\n\n")[1:]]


@cache
def product() -> dict[Path, str]:
    """The text of every file that an edit may be in, by its place."""
    files = (file for part in ("referee", "vision", "web") for file in (ROOT / part).rglob("*.*"))
    return {file.relative_to(ROOT): file.read_text("utf-8") for file in files if file.suffix in (".py", ".js")}


def places(old: str) -> list[Path]:
    return [place for place, text in product().items() for _ in range(text.count(old))]


def failures(tests: Iterable[str], root: Path, **variables: str) -> list[str]:
    """Run tests of a tree in a process of their own: what those say that fail."""
    environment = os.environ | variables | {"PYTHONPATH": str(root), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    found = root / "found.xml"
    words = [sys.executable, "-m", "pytest", "-p", "xdist", "-p", "pytest_timeout", "-p", "no:cacheprovider"]
    words += ["-n0", "-m", "slow or not slow", f"--junitxml={found}"]
    done = subprocess.run([*words, *tests], cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    cases = list(ElementTree.parse(found).iter("testcase"))
    assert any(case.find("skipped") is None for case in cases), f"no test was run: {done.stdout}"
    assert not any(case.find("error") is not None for case in cases), done.stdout
    return [" ".join(why.attrib["message"].split()) for case in cases for why in case.iter("failure")]


@pytest.fixture(scope="module")
def copy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the whole tree, in which every test passes that is asked here."""
    root = shutil.copytree(ROOT, tmp_path_factory.mktemp("copy") / "millchen", ignore=LEFT_OUT)
    asked = [one.callspec.params["mutation"] for one in request.session.items if hasattr(one, "callspec")]
    assert failures({mutation.test: None for mutation in asked}, root) == []
    return root


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: f"{mutation.promise} {mutation.name}")
def test_without_its_defence_the_test_of_a_promise_fails(mutation: Mutation, copy: Path) -> None:
    changed = {places(old)[0] for old, _ in mutation.edits}
    try:
        for old, new in mutation.edits:
            file = copy / places(old)[0]
            file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")
        why = failures([mutation.test], copy, MILLCHEN_PATIENCE_S=PATIENCE_S)
    finally:
        for place in changed:
            (copy / place).write_text(product()[place], "utf-8")
    assert why, "every test still passes"
    assert re.match(mutation.by, why[0]), why
    print(f"{mutation.promise}, {mutation.name}: {mutation.test.rpartition('::')[2]} fails ({why[0][:90]})")


def test_every_promise_has_a_defence_that_can_be_taken_away() -> None:
    promises = set(re.findall(r"^\| (R\d+) \|", (ROOT / "docs" / "PROMISES.md").read_text(encoding="utf-8"), re.M))
    assert promises <= {mutation.promise for mutation in MUTATIONS}
    assert {old: len(places(old)) for mutation in MUTATIONS for old, _ in mutation.edits if len(places(old)) != 1} == {}
    for mutation in MUTATIONS:
        file, _, name = mutation.test.partition("::")
        assert f"def {name.partition('[')[0]}(" in (ROOT / file).read_text("utf-8"), mutation.test
