"""The command ``millchen make``: writes the template of a board at 1:1, tiled over sheets of paper.

With ``--check`` it looks at a photograph of the finished board instead.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

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
from calibration.making.tiles import template_sheets
from calibration.printed_target import PAPER_SIZES_MM, target_sheet
from calibration.sheets import PAPERS_MM, Sheet, sheet_svg, sheets_pdf
from languages import message_of, translated
from referee.board import Board
from referee.boards import BOARDS, HOLE_COUNTS, board_family
from vision.capture.pictures import SourceError, read_picture
from vision.commands.arguments import Language, make_writable, parse_number
from vision.commands.from_signature import Word, WrongWordsError, words_set
from vision.imaging.cv import encoded

_number = partial(parse_number, "must be a number", -math.inf, math.inf)
_Sheet = Annotated[str, Word("paper in the printer (default: a4)", choices=list(PAPERS_MM))]
_Width = Word("width of the lines (default: what a camera sees)", "MM", _number)


@dataclass(frozen=True, kw_only=True)
class TemplateWords:
    """The words about a template."""

    to: Annotated[Path | None, Word("a .pdf or a .svg (default: millchen-BOARD.pdf)", "FILE")] = None
    size: Annotated[float | None, Word("{} to {} cm across".format(*SIZES_CM), "CM", _number)] = None
    paper: _Sheet = "a4"
    line: Annotated[float | None, _Width] = None
    marks: Annotated[float | None, Word("width of the dots on the points, 0 for none", "MM", _number)] = None
    mirror: Annotated[bool, "a mirror image, to be ironed on"] = False
    drawing: Annotated[str, Word("cells, framed or lines, where there is a choice", "NAME")] = ""
    holes: Annotated[int | None, Word(f"holes of each disc, {HOLE_COUNTS[0]} to {HOLE_COUNTS[-1]}", "N")] = None
    cloth: Annotated[bool, "draw the round cloth and the line of its cord, too"] = False

    def choose(self, board: Board) -> TemplateChoice:
        """Return the template of a board. Raises ValueError where its measures do not fit the board."""
        shape = {"size_cm": self.size, "line_mm": self.line, "mark_mm": self.marks}
        return choose_template(
            board, self.drawing, paper=self.paper, is_mirrored=self.mirror, has_cloth=self.cloth, **shape
        )


@dataclass(frozen=True, kw_only=True)
class ReportWords:
    """The words about what a check writes."""

    json_: Annotated[bool, "with --check: print one JSON object"] = False
    sheet: Annotated[Path | None, Word("with --check: one sheet to print or keep", "HTML")] = None
    draw: Annotated[Path | None, Word("with --check: the photograph drawn over", "PNG")] = None


def make(
    board: Annotated[str | None, Word(f"a game, or one of {', '.join(BOARDS)}", "BOARD")] = None,
    *,
    template: TemplateWords,
    language: Language = "en",
    check: Annotated[Path | None, Word("say whether the board in a photograph is good", "PHOTO")] = None,
    report: ReportWords,
) -> int:
    """Write a template, or check a photograph; numbers can only be judged together with the board."""
    if check is None and board is None:
        raise WrongWordsError("name a board to make, or a photograph to check with --check PHOTO")
    if check is None and words_set(report):
        raise WrongWordsError(f"{words_set(report)[0]} needs --check PHOTO")
    if check is not None and words_set(template):
        raise WrongWordsError(f"{words_set(template)[0]} belongs to a template, not to --check")
    try:
        to_make = None if board is None else board_to_make(board, template.holes)
        choice = template.choose(to_make) if to_make is not None and check is None else None
    except ValueError as why:
        raise WrongWordsError(str(why)) from why
    if check is not None:
        return _check(to_make, check, report, language)
    assert choice is not None
    file = Path(f"millchen-{choice.board.name}.pdf") if template.to is None else template.to
    return _write(file, template_sheets(choice, language), "a template")


def _write(file: Path, sheets: Mapping[str, Sheet], what: str) -> int:
    """Write sheets, several ones as SVG into a file each, and print the files; ValueError when that cannot be."""
    kind = file.suffix.lower()
    if kind not in (".pdf", ".svg"):
        raise ValueError(f"{what} is written as .pdf or .svg, got {str(file)!r}")
    contents = {file: sheets_pdf(sheets.values())}
    if kind == ".svg":
        names = {name: "" if len(sheets) == 1 else f"-{name}" for name in sheets}
        contents = {file.with_stem(file.stem + names[name]): sheet_svg(one).encode() for name, one in sheets.items()}
    for path in contents:
        make_writable(path)
    for path, content in contents.items():
        path.write_bytes(content)
        print(path)
    return 0


def _check(board: Board | None, photo: Path, report: ReportWords, language: str) -> int:
    """Check the board in a photograph and print the result; exit status 0 where a board was found, good or not.

    Raises ValueError when a file cannot be written.
    """
    files = [path.resolve() for path in (photo, report.sheet, report.draw) if path is not None]
    for k, path in enumerate(files[1:], 1):
        if path in files[:k]:
            raise ValueError(f"{str(path)!r} would be overwritten: write the check into files of their own")
        make_writable(path)
    try:
        bgr = read_picture(photo).upright
    except SourceError as why:
        reason = translated(message_of(why), language)
        unread = {"image": str(photo), "board": None, "good": False, "reason": reason}
        print(json.dumps(unread) if report.json_ else f"{photo}: {reason}", flush=True)
        return 1
    check = check_board(bgr, None if board is None else board_family(board.name))
    if report.sheet is not None:
        report.sheet.write_text(check_html(bgr, check, language), encoding="utf-8")
    if report.draw is not None:
        report.draw.write_bytes(encoded(draw_check(bgr, check), ".png"))
    if report.json_:
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


def pattern(
    file: Annotated[Path, Word("a .pdf or a .svg", "FILE")],
    *,
    paper: Annotated[str, Word("paper in the printer (default: a4)", choices=list(PAPER_SIZES_MM))] = "a4",
    language: Language = "en",
) -> int:
    """Write the sheet for measuring a lens."""
    return _write(file, {"": target_sheet(paper, language)}, "the target")
