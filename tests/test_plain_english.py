"""Docstrings and documents are plain English: none of the phrases at which a stranger stumbles."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PHRASES = re.compile(
    r"\bof before\b|\b(?:is|are) (?:none|had)\b|\b[Bb]ut for\b|\b[Ll]et go\b|\b[Ww]hoever\b|\bthe (?:house|eyes)\b"
    r"|(?:^|[.,;:(] )[Oo]f (?:which|whom)\b|\b(?:is|the) told of\b|\bThe (?:house|eyes)\b",
    re.MULTILINE,
)


def docstrings(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


def test_docstrings_and_documents_use_none_of_these_phrases() -> None:
    packages = ("referee", "vision", "calibration", "web", "languages")
    modules = [ROOT / "millchen.py", *(path for package in packages for path in (ROOT / package).rglob("*.py"))]
    texts = [(path, text) for path in modules for text in docstrings(path)]
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / package / "README.md" for package in packages)]
    texts += [(page, page.read_text(encoding="utf-8")) for page in pages if page.name != "CHANGELOG.md"]
    found = [f"{path.relative_to(ROOT)}: {match.group()!r}" for path, text in texts for match in PHRASES.finditer(text)]
    assert not found, "\n".join(found)
