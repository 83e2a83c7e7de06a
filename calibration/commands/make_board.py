"""The command ``millchen make``: writes the template of a board at 1:1, tiled over sheets of paper.

With ``--check`` it looks at a photograph of the finished board instead.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from calibration.making.board_check import BoardCheck, check_board
from calibration.making.board_template import SIZES_CM, TemplateChoice, board_to_make, choose_template
from calibration.making.check_report import (
    check_html,
    check_json,
    check_title,
    draw_check,
    fault_texts,
    not_found_texts,
)
from calibration.making.tiles import template_pdf, template_svgs
from calibration.printed_target import PAPER_SIZES_MM, target_sheet
from calibration.sheets import PAPERS_MM, sheet_svg, sheets_pdf
from languages import LANGUAGES, message_of, translated
from referee.board import Board
from referee.boards import BOARDS, HOLE_COUNTS, board_family
from vision.capture.pictures import PictureError, read_picture
from vision.commands.arguments import make_writable, parse_number
from vision.overlay import encode_png

# options of a template, which a photograph does not ask for
TEMPLATE_WORDS = ("to", "size", "paper", "line", "marks", "mirror", "drawing", "holes", "cloth")

CHECK_WORDS = ("json", "sheet", "draw")  # options of a check alone


def add_make(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register ``millchen make``."""
    parser = commands.add_parser("make", help="write the template of a board at its size, or check a finished one")
    number = partial(parse_number, "must be a number", -math.inf, math.inf)
    parser.add_argument("board", nargs="?", metavar="BOARD", help=f"a game, or one of {', '.join(BOARDS)}")
    parser.add_argument("--to", type=Path, metavar="FILE", help="a .pdf or a .svg (default: millchen-BOARD.pdf)")
    parser.add_argument(
        "--size", type=number, metavar="CM", help=f"how large the board is, {SIZES_CM[0]} to {SIZES_CM[1]} cm across"
    )
    parser.add_argument("--paper", choices=list(PAPERS_MM), default="a4", help="paper in the printer (default a4)")
    parser.add_argument("--line", type=number, metavar="MM", help="width of the lines (default: what a camera sees)")
    parser.add_argument("--marks", type=number, metavar="MM", help="width of the dots on the points, 0 for none")
    parser.add_argument("--mirror", action="store_true", help="a mirror image, to be ironed on")
    parser.add_argument("--drawing", default="", metavar="NAME", help="cells, framed or lines, where there is a choice")
    parser.add_argument(
        "--holes", type=int, metavar="N", help=f"holes of each disc, {HOLE_COUNTS[0]} to {HOLE_COUNTS[-1]}"
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
    parser.set_defaults(run=partial(_make, parser))


def _make(parser: argparse.ArgumentParser, given: argparse.Namespace) -> int:
    """Run the command. Numbers can only be judged together with the board: wrong ones are wrong words, too."""
    if given.check is None and given.board is None:
        parser.error("name a board to make, or a photograph to check with --check PHOTO")
    of_the_other = CHECK_WORDS if given.check is None else TEMPLATE_WORDS
    wrong = [f"--{word}" for word in of_the_other if getattr(given, word) != parser.get_default(word)]
    if wrong:
        only = "needs --check PHOTO" if given.check is None else "belongs to a template, not to --check"
        parser.error(f"{wrong[0]} {only}")
    try:
        board = None if given.board is None else board_to_make(given.board, given.holes)
        choice = _choice(board, given) if board is not None and given.check is None else None
    except ValueError as why:
        parser.error(str(why))
    if choice is None:
        return _check(board, given)
    file = Path(f"millchen-{choice.board.name}.pdf") if given.to is None else given.to
    return _write(file, lambda: template_pdf(choice, given.language), lambda: template_svgs(choice, given.language))


def _choice(board: Board, given: argparse.Namespace) -> TemplateChoice:
    return choose_template(
        board,
        given.drawing,
        size_cm=given.size,
        paper=given.paper,
        line_mm=given.line,
        mark_mm=given.marks,
        is_mirrored=given.mirror,
        has_cloth=given.cloth,
    )


def _write(
    file: Path, pdf: Callable[[], bytes], svgs: Callable[[], Mapping[str, str]], what: str = "a template"
) -> int:
    """Write sheets, several ones as SVG into a file each, and print the files; ValueError when that cannot be."""
    kind = file.suffix.lower()
    if kind not in (".pdf", ".svg"):
        raise ValueError(f"{what} is written as .pdf or .svg, got {str(file)!r}")
    if kind == ".pdf":
        contents: Mapping[Path, bytes] = {file: pdf()}
    else:
        sheets = svgs()
        names = {name: file.with_name(f"{file.stem}-{name}{file.suffix}") for name in sheets}
        contents = {file if len(sheets) == 1 else names[name]: svg.encode() for name, svg in sheets.items()}
    for path in contents:
        make_writable(path)
    for path, content in contents.items():
        path.write_bytes(content)
        print(path)
    return 0


def _check(board: Board | None, given: argparse.Namespace) -> int:
    """Check the board in a photograph and print what came out; exit status 0 where a board was found, good or not.

    Raises ValueError when a file cannot be written.
    """
    photo, language = given.check, given.language
    named = [path.resolve() for path in (photo, given.sheet, given.draw) if path is not None]
    for k, path in enumerate(named[1:], 1):
        if path in named[:k]:
            raise ValueError(f"{str(path)!r} would be overwritten: write the check into files of their own")
        make_writable(path)
    try:
        bgr = read_picture(photo).shown
    except PictureError as why:
        reason = translated(message_of(why), language)
        unread = {"image": str(photo), "board": None, "good": False, "reason": reason}
        print(json.dumps(unread) if given.json else f"{photo}: {reason}", flush=True)
        return 1
    check = check_board(bgr, None if board is None else board_family(board.name))
    if given.sheet is not None:
        given.sheet.write_text(check_html(bgr, check, language), encoding="utf-8")
    if given.draw is not None:
        given.draw.write_bytes(encode_png(draw_check(bgr, check)))
    if given.json:
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
    parser.add_argument("file", type=Path, metavar="FILE", help="a .pdf or a .svg")
    parser.add_argument("--paper", choices=list(PAPER_SIZES_MM), default="a4", help="paper in the printer (default a4)")
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="language of the words on it")
    parser.set_defaults(run=_pattern)


def _pattern(words: argparse.Namespace) -> int:
    page = target_sheet(words.paper, words.language)
    return _write(words.file, lambda: sheets_pdf([page]), lambda: {"": sheet_svg(page)}, "the target")
