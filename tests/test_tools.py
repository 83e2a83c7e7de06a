"""What ships as data is made by a command that is written down, of scripts that are there."""

import re
from pathlib import Path

import pytest

from tools import make

ROOT = Path(__file__).parents[1]
MADE_IN_TOOLS = [path for end in ("onnx", "json") for path in sorted((ROOT / "vision").rglob(f"*.{end}"))]
MADE_IN_TOOLS += sorted((ROOT / "referee").rglob("*.table"))
OF_EARLIER_LESSONS = "stones_alone.onnx"  # whose network is not trained any more: see tools/readers/README.md


@pytest.mark.parametrize("path", MADE_IN_TOOLS, ids=lambda path: path.name)
def test_every_shipped_file_of_numbers_has_a_recipe_and_a_line_in_the_readme(path: Path) -> None:
    assert (path.name in make.RECIPES) == (path.name != OF_EARLIER_LESSONS)
    assert f"| `{path.relative_to(ROOT).as_posix()}` |" in (ROOT / "tools" / "README.md").read_text(encoding="utf-8")


def test_every_recipe_makes_a_file_that_ships() -> None:
    assert sorted(make.RECIPES) == sorted(path.name for path in MADE_IN_TOOLS if path.name != OF_EARLIER_LESSONS)


@pytest.mark.parametrize("file", make.RECIPES)
def test_a_recipe_names_scripts_and_options_that_there_are_and_makes_what_it_reads(file: str, tmp_path: Path) -> None:
    written = {tmp_path.as_posix()}
    for words in make.commands(make.RECIPES[file], tmp_path.as_posix(), ["STILLS"], ["CLIPS"], 0.01):
        script = ROOT / (words[1].replace(".", "/") + ".py" if words[0] == "-m" else words[0])
        text = script.read_text(encoding="utf-8")
        assert {word for word in words if re.match(r"--\w", word) and f'"{word}"' not in text} == set()
        files = [word.split(":")[0] for word in words if word.startswith(tmp_path.as_posix())]
        assert len([name for name in files if name not in written]) <= 1  # the one that it writes
        written |= set(files)
    assert (tmp_path / file).as_posix() in written or "--write" in words
