"""The command ``millchen make``: writes the template of a board at 1:1, tiled over sheets of paper.

With ``--check`` it looks at a photograph of the finished board instead.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from calibration.making.board_check import check_board
from calibration.making.board_faults import BoardCheck
from calibration.making.board_template import SIZES_CM, TemplateChoice, board_to_make, choose_template
from calibration.making.check_report import (
    check_html,
    check_json,
    check_title,
    draw_check,
    fault_texts,
    not_found_texts,
)
from calibration.making.sheets import PAPERS_MM
from calibration.making.tiles import template_pdf, template_svgs
from calibration.printed_target import PAPER_SIZES_MM, sheet_pdf, sheet_svg, target_sheet
from languages import LANGUAGES, translated
from referee.board import Board
from referee.boards import BOARDS, HOLE_COUNTS, board_family
from vision.capture.sources import read_picture
from vision.commands.arguments import make_writable, unreadable_picture_reason
from vision.overlay import encode_png

# options of a template, which a photograph does not ask for
TEMPLATE_WORDS = ("to", "size", "paper", "line", "marks", "mirror", "drawing", "holes", "cloth")

CHECK_WORDS = ("json", "sheet", "draw")  # options of a check alone


def add_make(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register ``millchen make``."""
    parser = commands.add_parser("make", help="write the template of a board at its size, or check a finished one")
    parser.add_argument("board", nargs="?", metavar="BOARD", help=f"a game, or one of {', '.join(BOARDS)}")
    parser.add_argument("--to", type=Path, metavar="FILE", help="a .pdf or a .svg (default: millchen-BOARD.pdf)")
    parser.add_argument(
        "--size", type=_number, metavar="CM", help=f"how large the board is, {SIZES_CM[0]} to {SIZES_CM[1]} cm across"
    )
    parser.add_argument("--paper", choices=list(PAPERS_MM), default="a4", help="paper in the printer (default a4)")
    parser.add_argument("--line", type=_number, metavar="MM", help="width of the lines (default: what a camera sees)")
    parser.add_argument("--marks", type=_number, metavar="MM", help="width of the dots on the points, 0 for none")
    parser.add_argument("--mirror", action="store_true", help="a mirror image, to be ironed on")
    parser.add_argument("--drawing", default="", metavar="NAME", help="cells, framed or lines, where there is a choice")
    parser.add_argument(
        "--holes", type=_whole, metavar="N", help=f"holes of each disc, {HOLE_COUNTS[0]} to {HOLE_COUNTS[-1]}"
    )
    parser.add_argument("--cloth", action="store_true", help="draw the round cloth and the line of its cord, too")
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="language of the words (default en)")
    parser.add_argument(
        "--check",
        type=Path,
        metavar="PHOTO",
        help="say whether the finished board in a photograph is good; BOARD is what it is meant to be, else recognised",
    )
    parser.add_argument("--json", action="store_true", help="with --check: print one JSON object")
    parser.add_argument("--sheet", type=Path, metavar="HTML", help="with --check: one sheet to print or keep")
    parser.add_argument("--draw", type=Path, metavar="PNG", help="with --check: the photograph drawn over")
    parser.set_defaults(run=_Run(parser))


class _Run:
    """What the command does. Numbers can only be judged together with the board: wrong ones are wrong words, too."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self._parser = parser

    def __call__(self, given: argparse.Namespace) -> int:
        try:
            self._refuse_mixed_words(given)
            if given.check is not None:
                board = None if given.board is None else board_to_make(given.board)
            else:
                choice = _choice(given)
        except ValueError as why:
            self._parser.error(str(why))
        if given.check is not None:
            return check_command(
                given.check,
                board,
                as_json=given.json,
                sheet=given.sheet,
                drawing=given.draw,
                language=given.language,
            )
        file = Path(f"millchen-{choice.board.name}.pdf") if given.to is None else given.to
        for path in _write(file, choice, given.language):
            print(path)
        return 0

    def _refuse_mixed_words(self, given: argparse.Namespace) -> None:
        """Raise ``ValueError`` when words of a template and of a check stand together, or nothing is asked for."""
        if given.check is None and given.board is None:
            raise ValueError("name a board to make, or a photograph to check with --check PHOTO")
        of_the_other = CHECK_WORDS if given.check is None else TEMPLATE_WORDS
        wrong = [f"--{word}" for word in of_the_other if getattr(given, word) != self._parser.get_default(word)]
        if wrong:
            only = "needs --check PHOTO" if given.check is None else "belongs to a template, not to --check"
            raise ValueError(f"{wrong[0]} {only}")


def _choice(given: argparse.Namespace) -> TemplateChoice:
    return choose_template(
        board_to_make(given.board, given.holes),
        given.drawing,
        size_cm=given.size,
        paper=given.paper,
        line_mm=given.line,
        mark_mm=given.marks,
        is_mirrored=given.mirror,
        has_cloth=given.cloth,
    )


def _write(file: Path, choice: TemplateChoice, language: str) -> list[Path]:
    """Write the template, as SVG a file for each sheet; ValueError when a file cannot be written."""
    kind = file.suffix.lower()
    if kind not in (".pdf", ".svg"):
        raise ValueError(f"a template is written as .pdf or .svg, got {str(file)!r}")
    if kind == ".pdf":
        contents: Mapping[Path, bytes] = {file: template_pdf(choice, language)}
    else:
        sheets = template_svgs(choice, language)
        one = len(sheets) == 1
        contents = {
            file if one else file.with_name(f"{file.stem}-{name}{file.suffix}"): svg.encode()
            for name, svg in sheets.items()
        }
    for path in contents:
        make_writable(path)
    for path, content in contents.items():
        path.write_bytes(content)
    return list(contents)


def _parsed(text: str, kind: Callable[[str], Any], what: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{what}, got {text[:40]!r}") from None


def _number(text: str) -> float:
    return float(_parsed(text.replace(",", "."), float, "must be a number"))


def _whole(text: str) -> int:
    return int(_parsed(text, int, "must be a whole number"))


def check_command(
    photo: Path,
    board: Board | None = None,
    *,
    as_json: bool = False,
    sheet: Path | None = None,
    drawing: Path | None = None,
    language: str = "en",
) -> int:
    """Check the board in a photograph and print what came out; exit status 0 where a board was found, good or not.

    Raises ValueError when a file cannot be written.
    """
    named = [path.resolve() for path in (photo, sheet, drawing) if path is not None]
    for k, path in enumerate(named[1:], 1):
        if path in named[:k]:
            raise ValueError(f"{str(path)!r} would be overwritten: write the check into files of their own")
        make_writable(path)
    bgr = read_picture(photo)
    if bgr is None:
        reason = translated(unreadable_picture_reason(photo), language)
        unread = {"image": str(photo), "board": None, "good": False, "reason": reason}
        print(json.dumps(unread) if as_json else f"{photo}: {reason}", flush=True)
        return 1
    check = check_board(bgr, None if board is None else board_family(board.name))
    if sheet is not None:
        sheet.write_text(check_html(bgr, check, language), encoding="utf-8")
    if drawing is not None:
        drawing.write_bytes(encode_png(draw_check(bgr, check)))
    if as_json:
        print(json.dumps({"image": str(photo), **check_json(check, language)}), flush=True)
    else:
        _print_check(photo, check, language)
    return 0 if check.is_found else 1


def _print_check(photo: Path, check: BoardCheck, language: str) -> None:
    if not check.is_found:
        reason, advice = not_found_texts(check, language)
        print(f"{photo}: {reason}\n  {advice}", flush=True)
        return
    print(f"{photo}: {check_title(check, language)}")
    for text in fault_texts(check, language):
        print(f"  {text.letter}  {text.what} {text.advice}", flush=True)


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
