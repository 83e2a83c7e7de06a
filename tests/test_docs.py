"""What the documents promise is there: commands, options, examples, links."""

import contextlib
import doctest
import io
import json
import re
import tomllib
from functools import cache
from pathlib import Path

import cv2
import pytest

from millchen import main
from referee.presets import PRESETS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SET_UP = "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/millchen"
SET_UP_TESTS = "python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]' && .venv/bin/pytest"
COMMANDS = ("read", "watch", "games", "doctor", "calibrate", "tables", "pattern", "make", "judge", "rules")
DOCUMENTS = sorted(path for path in ROOT.glob("**/*.md") if not {".venv", "node_modules"} & set(path.parts))


@cache
def helped(*words: str) -> str:
    """What a command's --help prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), pytest.raises(SystemExit) as ended:
        main([*words, "--help"])
    assert ended.value.code == 0
    return said.getvalue()


def test_the_two_commands_of_set_up_stand_in_the_readme_and_in_ci() -> None:
    assert re.findall(r"```sh\n(.*?)\n```", README, re.DOTALL) == [SET_UP, SET_UP_TESTS]
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert ci[-1] == SET_UP_TESTS


def test_the_command_and_the_extra_of_the_readme_are_in_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"millchen": "millchen:main"}
    assert "test" in project["optional-dependencies"]


def test_every_package_on_disk_is_packed() -> None:
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    packed = setuptools["packages"]["find"]["include"]
    tops = ("languages", "referee", "vision", "calibration", "web")
    assert packed == [f"{top}*" for top in tops]
    with_code = {path.parent for top in tops for path in (ROOT / top).rglob("*.py")}
    assert [folder for folder in with_code if not (folder / "__init__.py").exists()] == []


NAMES_OF_OLD = {"CHANGELOG.md"}  # it may name files that are gone
MADE_UP = {"bee_morris.py", "links.json"}  # an example, and a file of the data folder


@cache
def project_files() -> frozenset[str]:
    """Every file of the project, from its root."""
    inside = (
        path for folder in ROOT.iterdir() if folder.is_dir() and folder.name[0] != "." for path in folder.rglob("*")
    )
    return frozenset(path.relative_to(ROOT).as_posix() for path in (*ROOT.iterdir(), *inside))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_file_that_a_document_names_is_there(document: Path) -> None:
    if document.name in NAMES_OF_OLD:
        return
    named = re.findall(r"`((?:[a-z_0-9]+/)*[a-z_0-9]+\.(?:py|js|json|npz))`", document.read_text(encoding="utf-8"))
    gone = {name for name in named if not any(path == name or path.endswith(f"/{name}") for path in project_files())}
    assert {name for name in gone if name.split("/")[-1] not in MADE_UP} == set()


def test_the_python_examples_of_the_readme_run() -> None:
    examples = "\n".join(re.findall(r"```python\n(.*?)```", README, re.DOTALL))
    runner = doctest.DocTestRunner()
    runner.run(doctest.DocTestParser().get_doctest(examples, {}, "README.md", "README.md", 0))
    assert runner.tries > 5
    assert runner.failures == 0


@pytest.mark.parametrize("command", ["", *COMMANDS, "games analyse"])
def test_every_option_of_the_command_is_in_the_readme(command: str) -> None:
    options = set(re.findall(r"--[a-z][a-z-]*", helped(*command.split())))
    assert options
    assert {option for option in options if option not in README} == set()
    assert f"millchen {command}".strip() in README


def test_every_option_of_the_readme_is_an_option_of_the_command() -> None:
    known = set()
    for command in ((), ("games", "analyse"), ("games", "list"), *((command,) for command in COMMANDS)):
        known |= set(re.findall(r"--[a-z][a-z-]*", helped(*command)))
    words = README.split("## Words of the command")[1].split("## How it works")[0]
    assert set(re.findall(r"--[a-z][a-z-]*", words)) <= known


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_to_a_file_leads_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (document.parent / target).exists()] == []


def test_the_bundled_demo_is_small_and_can_be_read() -> None:
    folder = ROOT / "web" / "demo"
    card = json.loads((folder / "demo.json").read_text(encoding="utf-8"))
    assert (folder / card["video"]).stat().st_size <= 8_000_000
    assert all(path.stat().st_size <= 4_000_000 for path in folder.iterdir() if path.name != card["video"])
    video = cv2.VideoCapture(str(folder / card["video"]))
    n_frames = 0
    while video.grab():
        n_frames += 1
    seconds = n_frames / video.get(cv2.CAP_PROP_FPS)
    assert f"game of {seconds:.0f} seconds" in README
    assert card["game"] == "millchen"


def names_of_tests() -> set[str]:
    """The test functions, as ``file.name``; two test files may have one name."""
    texts = [(path.stem, path.read_text(encoding="utf-8")) for path in (ROOT / "tests").rglob("test_*.py")]
    return {f"{stem}.{name}" for stem, text in texts for name in re.findall(r"^ *def (test_\w+)", text, re.MULTILINE)}


def test_every_rule_names_tests_that_exist_and_every_game_has_its_rules() -> None:
    table = (ROOT / "docs" / "RULES_TESTS.md").read_text(encoding="utf-8")
    have = names_of_tests()
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| ") and line != "| rule | tests |"]
    for rule, named in rows:
        tests = re.findall(r"`(test_\w+\.test_\w+)`", named)
        assert tests, rule
        assert [name for name in tests if name not in have] == [], rule
    assert {f"## {n} " in table for n in (0, 1, 2, 3, 4, 5, 6, 9)} == {True}
    assert {name for name in PRESETS if f"`{name}`" not in table} == set(), "write its rows, with a test for each rule"
