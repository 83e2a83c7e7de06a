"""What ``millchen make --check PHOTO`` does: says whether the board in a photograph is good, and what to mend."""

from __future__ import annotations

import json
from pathlib import Path

from calibration.making.board_check import check_board
from calibration.making.board_faults import BoardCheck
from calibration.making.check_report import (
    check_html,
    check_json,
    check_title,
    draw_check,
    fault_texts,
    not_found_texts,
)
from languages import translated
from referee.board import Board
from referee.boards import board_family
from vision.capture.sources import read_picture
from vision.commands.arguments import make_writable, unreadable_picture_reason
from vision.overlay import encode_png


def check_command(
    photo: Path,
    board: Board | None = None,
    *,
    as_json: bool = False,
    sheet: Path | None = None,
    drawing: Path | None = None,
    language: str = "en",
) -> int:
    """Check the board in a photograph and print what came out.

    Args:
        board: What it is meant to be; recognised when omitted.
        as_json: Whether to print one JSON object instead of sentences.
        sheet: Where to write the sheet to print or keep, HTML.
        drawing: Where to write the photograph drawn over, PNG.
        language: Of the sentences.

    Returns:
        Exit status: 0 when the board was found, whatever is wrong with it (``good`` says whether it is); 1 when the
        picture cannot be read or shows no board.

    Raises:
        ValueError: When a file cannot be written; one sentence.
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
