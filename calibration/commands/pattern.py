"""The command ``millchen pattern``: writes the sheet with which a lens is measured, to be printed."""

from __future__ import annotations

import argparse
from pathlib import Path

from calibration.printed_target import PAPER_SIZES_MM, sheet_pdf, sheet_svg, target_sheet
from languages import LANGUAGES
from vision.commands.arguments import make_writable


def add_pattern(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register ``millchen pattern``."""
    parser = commands.add_parser("pattern", help="write the sheet that a lens is measured with")
    parser.add_argument(
        "file", nargs="?", type=Path, default=Path("millchen-target.pdf"), metavar="FILE", help="a .pdf or a .svg"
    )
    parser.add_argument("--paper", choices=list(PAPER_SIZES_MM), default="a4", help="paper in the printer (default a4)")
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="language of the words on it")
    parser.set_defaults(run=_pattern)


def _pattern(words: argparse.Namespace) -> int:
    page = target_sheet(words.paper, words.language)
    kind = words.file.suffix.lower()
    if kind not in (".pdf", ".svg"):
        raise ValueError(f"the target is written as .pdf or .svg, got {str(words.file)!r}")
    make_writable(words.file)
    words.file.write_bytes(sheet_pdf(page) if kind == ".pdf" else sheet_svg(page).encode())
    print(words.file)
    return 0
