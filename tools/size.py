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
KNOWN = re.compile(r"measured|fitted|cited|https?://|ISO|RFC")
"""What the text under a number says where the number is not simply chosen."""


def table_of_sizes() -> dict[str, int]:
    """Every figure by what it counts, in the order in which it is shown."""
    product = [ROOT / "millchen.py", *(path for package in PACKAGES for path in _python_files(package))]
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    sizes = {"product, lines of Python": _lines(product), "millchen.py": _lines(product[:1])}
    sizes |= {f"{package}/": _lines(_python_files(package)) for package in PACKAGES}
    return sizes | {
        "vision/detection/": _lines(_python_files("vision/detection")),
        "product, files of Python": len(product),
        "page, lines of scripts, styles and templates": _lines(_page_files()),
        "tests/, lines of Python": _lines(_python_files("tests")),
        "tools/, lines of Python": _lines(_python_files("tools")),
        "README.md and docs/, words": sum(len(page.read_text(encoding="utf-8").split()) for page in pages),
        "README.md, words": len(pages[0].read_text(encoding="utf-8").split()),
        "chosen numbers with a name in vision/": sum(map(_n_chosen_numbers, _python_files("vision"))),
    }


def _python_files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def _page_files() -> Iterator[Path]:
    for suffix in ("js", "css", "html", "svg"):
        yield from (ROOT / "web" / "static").rglob(f"*.{suffix}")
        yield from (ROOT / "web" / "templates").rglob(f"*.{suffix}")


def _lines(paths: list[Path] | Iterator[Path]) -> int:
    return sum(path.read_text(encoding="utf-8").count("\n") for path in paths)


def _n_chosen_numbers(path: Path) -> int:
    """Count a file's named numbers, at its top or in a class, of which no text says how they were found."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bodies = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))]
    return sum(
        _is_named_number(statement) and not KNOWN.search(_text_under(below))
        for body in bodies
        for statement, below in zip(body, [*body[1:], None], strict=True)
    )


def _is_named_number(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign):
        target, value = statement.targets[0], statement.value
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        target, value = statement.target, statement.value
    else:
        return False
    numbers = [node for node in ast.walk(value) if isinstance(node, ast.Constant) and type(node.value) in (int, float)]
    return isinstance(target, ast.Name) and target.id.isupper() and bool(numbers)


def _text_under(below: ast.stmt | None) -> str:
    is_text = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
    return str(below.value.value) if is_text else ""  # type: ignore[union-attr]


def as_markdown(sizes: dict[str, int]) -> str:
    """Write the figures as a table, as CONTRIBUTING.md shows it."""
    rows = (f"| {what} | {figure:,} |" for what, figure in sizes.items())
    return "\n".join(("| what | at most |", "| --- | ---: |", *rows))


def sizes_in(text: str) -> dict[str, int]:
    """Read the figures of a table that `as_markdown` wrote, wherever it stands in a page."""
    return {what: int(figure.replace(",", "")) for what, figure in re.findall(r"^\| (.+?) \| ([\d,]+) \|$", text, re.M)}


if __name__ == "__main__":
    print(as_markdown(table_of_sizes()))
