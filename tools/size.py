"""How big the project is: lines, files, words and chosen numbers, as a table. ``python -m tools.size`` prints it.

CONTRIBUTING.md shows the table as it was last agreed on, and tests/test_size.py fails where a figure has grown past it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("referee", "vision", "calibration", "web", "languages")
SOURCE = re.compile(r"measured|fitted|cited|https?://|ISO|RFC|Source: (?!chosen)")
"""What the text of a number says where the number is not simply chosen."""
PLAIN = {0.0, 0.5, 1.0, 2.0, *(10.0**-exponent for exponent in (3, 4, 5, 6, 9, 12, 30))}
"""Floats that need no name: 0, a half, 1, 2, and powers of ten that keep a division or a logarithm away from zero."""


def table_of_sizes() -> dict[str, int]:
    """Every figure by what it counts, in the order in which it is shown."""
    product = [ROOT / "millchen.py", *(path for package in PACKAGES for path in _python_files(package))]
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    sizes = {"product, lines of Python": _lines(product), "millchen.py": _lines(product[:1])}
    sizes |= {f"{package}/": _lines(_python_files(package)) for package in PACKAGES}
    chosen = [chosen_numbers(_text(path)) for path in _python_files("vision")]
    sizes |= {
        "vision/detection/": _lines(_python_files("vision/detection")),
        "product, files of Python": len(product),
        "page, lines of scripts, styles and templates": _lines(_page_files()),
        "tests/, lines of Python": _lines(_python_files("tests")),
        "tools/, lines of Python": _lines(_python_files("tools")),
        "README.md and docs/, words": sum(len(_text(page).split()) for page in pages),
        "README.md, words": len(_text(pages[0]).split()),
        "chosen numbers with a name in vision/": sum(names for names, _ in chosen),
        "values of these names": sum(values for _, values in chosen),
    }
    for package in ("vision", "calibration", "web"):
        sizes[f"floats without a name in functions of {package}/"] = sum(
            len(bare_numbers(_text(path))) for path in _python_files(package)
        )
    return sizes


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _python_files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def _page_files() -> Iterator[Path]:
    for suffix in ("js", "css", "html", "svg"):
        yield from (ROOT / "web" / "static").rglob(f"*.{suffix}")
        yield from (ROOT / "web" / "templates").rglob(f"*.{suffix}")


def _lines(paths: list[Path] | Iterator[Path]) -> int:
    return sum(_text(path).count("\n") for path in paths)


def chosen_numbers(source: str) -> tuple[int, int]:
    """Count the named numbers of a file, at its top or in a class, that no text under or beside them gives a source.

    Every name of `A, B = 0.2, 45` counts. The second figure counts the numbers that the names stand for.
    """
    tree, lines = ast.parse(source), source.splitlines()
    bodies = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))]
    names = values = 0
    for body in bodies:
        for statement, below in zip(body, [*body[1:], None], strict=True):
            named, n_values = named_numbers(statement)
            beside = lines[statement.end_lineno - 1] if statement.end_lineno else ""
            if named and n_values and not SOURCE.search(beside + text_under(below)):
                names, values = names + named, values + n_values
    return names, values


def bare_numbers(source: str) -> list[float]:
    """List the floats that stand in functions without a name, `PLAIN` ones aside."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.Lambda)]
    floats = {
        (node.lineno, node.col_offset): node.value
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Constant) and isinstance(node.value, float)
    }
    return [value for value in floats.values() if value not in PLAIN]


def named_numbers(statement: ast.stmt) -> tuple[int, int]:
    """How many names in capitals a statement assigns, and how many numbers."""
    if isinstance(statement, ast.Assign):
        target, value = statement.targets[0], statement.value
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        target, value = statement.target, statement.value
    else:
        return 0, 0
    names = [node for node in ast.walk(target) if isinstance(node, ast.Name) and node.id.isupper()]
    numbers = [node for node in ast.walk(value) if isinstance(node, ast.Constant) and type(node.value) in (int, float)]
    return len(names), len(numbers)


def text_under(below: ast.stmt | None) -> str:
    """Return the text that a statement is, as it stands under a name; empty where it is none."""
    return str(below.value.value) if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) else ""


def as_markdown(sizes: dict[str, int]) -> str:
    """Write the figures as a table, as CONTRIBUTING.md shows it."""
    rows = (f"| {what} | {figure:,} |" for what, figure in sizes.items())
    return "\n".join(("| what | at most |", "| --- | ---: |", *rows))


def sizes_in(text: str) -> dict[str, int]:
    """Read the figures of a table that `as_markdown` wrote, wherever it stands in a page."""
    return {what: int(figure.replace(",", "")) for what, figure in re.findall(r"^\| (.+?) \| ([\d,]+) \|$", text, re.M)}


if __name__ == "__main__":
    print(as_markdown(table_of_sizes()))
