"""What the documents promise is there: commands and what they print, options, examples, links.

Of what stands in a fenced block a ``console`` one is typed into a shell, and what it prints compared whole (``...``
within a line stands for what is too long); of an ``sh`` one, which may open a page, want a camera or take hours, the
words are checked. A block without a language holds no command.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

import millchen
from millchen import main
from web.app import ROUTES
from web.table.source_names import demo_games

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SET_UP = "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/millchen"
SET_UP_TESTS = "python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]' && .venv/bin/pytest"
COMMANDS = ("read", "watch", "games", "cases", "doctor", "calibrate", "tables", "pattern", "make", "judge", "rules")
DOCUMENTS = sorted(path for path in ROOT.glob("**/*.md") if not {".venv", "node_modules"} & set(path.parts))
BLOCKS = [
    (path.relative_to(ROOT).as_posix(), language, text)
    for path in DOCUMENTS
    for language, text in re.findall(
        r"^```(\w*)\n(.*?)^```$", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
]
CONSOLES = [pytest.param(text, id=document) for document, language, text in BLOCKS if language == "console"]


@cache
def helped(*words: str) -> str:
    """What a command's --help prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), pytest.raises(SystemExit) as ended:
        main([*words, "--help"])
    assert ended.value.code == 0
    return said.getvalue()


def test_the_two_commands_of_set_up_stand_in_the_readme_and_in_ci() -> None:
    typed = [text.strip() for document, language, text in BLOCKS if (document, language) == ("README.md", "sh")]
    assert typed[:2] == [SET_UP, SET_UP_TESTS]
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert ci[-1] == SET_UP_TESTS


@pytest.mark.film
@pytest.mark.parametrize("block", CONSOLES)
def test_a_console_prints_what_the_document_says(block: str, tmp_path: Path) -> None:
    for folder in ("docs", "web"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    search = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    typed = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    assert typed
    for command, promised in typed:
        assert "..." not in promised.splitlines(), "no line may be left out"
        printed = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env=os.environ | {"PATH": search, "XDG_DATA_HOME": tmp_path.as_posix()},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=240,
        ).stdout
        # Processors round differently, so that the same is sometimes said a frame or two later.
        wanted, given = (re.sub(r"^(\d\d:\d\d)\.\d", r"\1", text, flags=re.MULTILINE) for text in (promised, printed))
        assert doctest.OutputChecker().check_output(wanted, given, doctest.ELLIPSIS), f"{command}\n{printed}"


def test_a_command_without_its_output_is_marked_as_one_to_type() -> None:
    assert {language for _, language, _ in BLOCKS} == {"sh", "console", "python", ""}
    plain = [(document, text) for document, language, text in BLOCKS if not language]
    indented = [
        (path.name, text)
        for path in DOCUMENTS
        for text in re.findall(r"(?:^    .*\n)+", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    command = re.compile(r"^ *(\$|millchen|(\.venv/bin/)?(python|pytest|pip|ruff|mypy)) ", re.MULTILINE)
    assert [document for document, text in plain + indented if command.search(text)] == []


def test_every_millchen_that_a_document_types_is_understood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is only mentioned may leave words out; those in capitals are the reader's to fill in."""
    lines = [line for _, language, text in BLOCKS if language == "sh" for line in text.splitlines()]
    for path in DOCUMENTS:
        lines += re.findall(r"`(millchen [^`]*--[^`]*)`", path.read_text(encoding="utf-8"))
    typed = [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("millchen ")]
    given = [words for words in typed if not re.search(r"\b[A-Z]{2,}\b|\bN\b", " ".join(words))]
    assert len(given) > 5
    monkeypatch.chdir(tmp_path)
    (tmp_path / "archive").write_text("postgresql://server/club")
    for words in given:
        parser = millchen._parser()
        with contextlib.suppress(SystemExit):
            millchen._check_options(parser, parser.parse_args(words))
        assert all("missing" in said for said in capsys.readouterr().err.splitlines()), words


def test_every_script_that_a_document_runs_is_there_and_has_its_options() -> None:
    text = "\n".join(document.read_text(encoding="utf-8") for document in DOCUMENTS)
    for script, words in re.findall(r"python (?:-m )?((?:tests|tools)[\w./]+)([^`#\n]*)", text):
        module = ROOT / script.removesuffix(".py").replace(".", "/")
        file = module / "__main__.py" if module.is_dir() else module.with_suffix(".py")
        code = file.read_text(encoding="utf-8")
        assert {option for option in re.findall(r"--[a-z][a-z-]*", words) if f'"{option}"' not in code} == set(), script
    for words in re.findall(r"pytest ([^`#\n]*)", text):
        assert [path for path in re.findall(r"tests/[\w./]+", words) if not (ROOT / path).exists()] == []


def test_every_package_on_disk_is_packed() -> None:
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    packed = setuptools["packages"]["find"]["include"]
    tops = ("languages", "referee", "vision", "calibration", "web")
    assert packed == [f"{top}*" for top in tops]
    with_code = {path.parent for top in tops for path in (ROOT / top).rglob("*.py")}
    assert [folder for folder in with_code if not (folder / "__init__.py").exists()] == []


MADE_UP = {"bee_morris.py", "links.json"}  # an example, and a file of the data folder


def test_every_file_that_a_document_names_is_there() -> None:
    folders = [folder for folder in ROOT.iterdir() if folder.is_dir() and folder.name[0] != "."]
    inside = (path for folder in folders for path in folder.rglob("*"))
    files = [f"/{path.relative_to(ROOT).as_posix()}" for path in (*ROOT.iterdir(), *inside)]
    for document in DOCUMENTS:
        named = re.findall(r"`((?:[a-z_0-9]+/)*[a-z_0-9]+\.(?:py|js|json|onnx))`", document.read_text(encoding="utf-8"))
        gone = {name for name in named if not any(path.endswith(f"/{name}") for path in files)}
        assert {name for name in gone if name.split("/")[-1] not in MADE_UP} == set(), document


def test_the_python_examples_of_the_documents_run() -> None:
    runner = doctest.DocTestRunner()
    for document in {document for document, language, text in BLOCKS if language == "python" and ">>> " in text}:
        examples = "\n".join(text for name, language, text in BLOCKS if (name, language) == (document, "python"))
        runner.run(doctest.DocTestParser().get_doctest(examples, {}, document, document, 0))
    assert runner.tries > 5
    assert runner.failures == 0


def test_the_pages_and_the_demos_of_the_readme_are_there() -> None:
    pages = set(re.findall(r"`(/[a-z]+)`", README))
    assert pages and pages <= {route.rule for route in ROUTES}
    bundled = README.split("`--demo GAME`")[1].split(";")[0]
    assert {"millchen", *re.findall(r"`(\w+)`", bundled)} == set(demo_games())
    assert f"game: {', '.join(demo_games())}" in " ".join(helped().split())


def test_every_promise_names_one_test_that_is_there() -> None:
    promises = (ROOT / "docs" / "PROMISES.md").read_text(encoding="utf-8")
    asked = re.findall(r"^(?:- |\| R\d+ ).*?`test_.*$", promises, re.MULTILINE)
    named = [name for line in asked for name in re.findall(r"`(test_\w+)`", line)]
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    assert len(named) == len(asked) == len(set(named)) > 50
    assert [name for name in named if f"\ndef {name}(" not in code] == []


def test_every_document_is_in_the_list_of_them() -> None:
    listed = re.findall(r"\]\((\w+\.md)\)", (ROOT / "docs" / "README.md").read_text(encoding="utf-8"))
    assert {*listed, "README.md"} == {path.name for path in (ROOT / "docs").glob("*.md")}


def test_the_readme_has_every_option_of_the_command_and_no_other() -> None:
    known: set[str] = set()
    for command in ("", *COMMANDS, "games analyse"):
        options = set(re.findall(r"--[a-z][a-z-]*", helped(*command.split())))
        assert options and {option for option in options if option not in README} == set()
        assert f"millchen {command}".strip() in README
        known |= options
    for command in ("list", "delete"):
        known |= set(re.findall(r"--[a-z][a-z-]*", helped("games", command)))
    words = README.split("## Words of the command")[1].split("## How it works")[0]
    assert set(re.findall(r"--[a-z][a-z-]*", words)) <= known


def test_every_link_to_a_file_leads_somewhere() -> None:
    for document in DOCUMENTS:
        targets = re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8"))
        local = [target for target in targets if "://" not in target]
        assert [target for target in local if not (document.parent / target).exists()] == [], document
