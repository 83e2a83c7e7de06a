"""Page and API for whoever makes a board: the template, paints, sizes, and the check of the finished board."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue

from calibration.making.board_template import (
    SIZES_CM,
    TemplateChoice,
    board_to_make,
    choose_template,
    line_limits_mm,
    mark_limits_mm,
)
from calibration.making.making_steps import ways_for
from calibration.making.sheets import PAPERS_MM
from calibration.making.tiles import preview_svg, template_pdf, template_svgs, template_tiles
from calibration.step_texts import number_text, phrase
from languages import catalogue
from referee.boards import HOLE_COUNTS
from referee.presets import PRESETS
from web.net.roles import VIEWER, Route
from web.table.offered_games import OFFERED_GAMES, has_story
from web.views.context import current_context
from web.views.json_answer import json_answer
from web.views.make_advice_api import PICTURE_SIZES, USUAL_COLOURS, USUAL_VIEW_DEG, USUAL_VIEWS_DEG
from web.views.make_query import known_game, number_asked, whole_number_asked
from web.views.table_page import render_page, request_language


def make_page() -> ResponseReturnValue:
    """Answer GET /make: everything about making the board of ``?game=``, or of the game at the table."""
    name = request.args.get("game", current_context().table.publisher.snapshot.game["name"])
    variant = PRESETS[known_game(name)].variant
    choice = choose_template(variant.board)
    return render_page(
        "make.html",
        says=dict(catalogue(request_language(), "making")),
        games=OFFERED_GAMES,
        game=name,
        ways=ways_for(variant),
        shown=_template_json(choice),
        drawings=[drawing.name for drawing in choice.board.drawings],
        papers=list(PAPERS_MM),
        paper_name=_paper_name,
        has_discs=bool(choice.board.rings),
        colours=USUAL_COLOURS,
        n_players=variant.players,
        views=USUAL_VIEWS_DEG,
        view=USUAL_VIEW_DEG,
        has_story=has_story(name),
        pictures=PICTURE_SIZES,
    )


@json_answer
def template_state() -> Any:
    """Answer GET /api/make/template?game=...: the preview of the template as SVG, and how many sheets it needs."""
    return _template_json(_chosen_template())


@json_answer
def template_as_pdf() -> Any:
    """Answer GET /make/template.pdf?game=...: all sheets, to be printed."""
    choice = _chosen_template()
    return _download(template_pdf(choice, request_language()), "application/pdf", f"millchen-{choice.board.name}.pdf")


@json_answer
def template_as_svgs() -> Any:
    """Answer GET /make/template.zip?game=...: each sheet as SVG."""
    choice = _chosen_template()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for sheet, svg in template_svgs(choice, request_language()).items():
            archive.writestr(f"millchen-{choice.board.name}-{sheet}.svg", svg)
    return _download(packed.getvalue(), "application/zip", f"millchen-{choice.board.name}.zip")


def _download(data: bytes, kind: str, name: str) -> Response:
    response = Response(data, mimetype=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _template_json(choice: TemplateChoice) -> dict[str, Any]:
    language, n = request_language(), len(template_tiles(choice))
    key = "make.sheets.one" if n == 1 else "make.sheets.many"
    return {
        "preview": preview_svg(choice, language),
        "sheets": phrase(key, language, n=n, paper=_paper_name(choice.paper)),
        "sliders": _sliders(choice),
    }


def _paper_name(paper: str) -> str:
    return paper.upper() if paper.startswith("a") else paper.capitalize()


def _sliders(choice: TemplateChoice) -> list[dict[str, Any]]:
    """Return the sliders of a template, as they stand; how far those of the lines go depends on its size."""
    about = choice.board, choice.drawing, choice.size_cm
    found = [
        _slider("size", "make.size", "cm", SIZES_CM, 1, choice.size_cm),
        _slider("line", "make.line", "mm", line_limits_mm(*about), 0.1, choice.line_mm),
        _slider("marks", "make.marks", "mm", mark_limits_mm(*about), 0.1, choice.mark_mm),
    ]
    if choice.board.rings:
        holes = len(choice.board.rings[0])
        found.append(_slider("holes", "make.holes", "", (HOLE_COUNTS[0], HOLE_COUNTS[-1]), 1, holes))
    return found


def _slider(name: str, key: str, unit: str, limits: tuple[float, float], step: float, value: float) -> dict[str, str]:
    numbers = {"least": limits[0], "most": limits[1], "step": step, "value": value}
    label = phrase(key, request_language())
    said = f"{number_text(value, request_language())} {unit}".strip()
    shown = {which: f"{number:g}" for which, number in numbers.items()}
    return {"name": name, "label": label, "unit": unit, "said": said} | shown


def _chosen_template() -> TemplateChoice:
    """Return the template that the query of the request asks for.

    Raises:
        Refused: When it is not possible.
    """
    asked = request.args
    board = board_to_make(known_game(asked.get("game", "")), whole_number_asked(asked, "holes"))
    usual = choose_template(board, asked.get("drawing", ""), size_cm=number_asked(asked, "size"))
    about = board, usual.drawing, usual.size_cm
    return choose_template(
        board,
        usual.drawing,
        size_cm=usual.size_cm,
        paper=asked.get("paper", "a4"),
        line_mm=_up_to(line_limits_mm(*about)[1], number_asked(asked, "line")),
        mark_mm=_up_to(mark_limits_mm(*about)[1], number_asked(asked, "marks")),
        is_mirrored=asked.get("mirror") == "1",
        has_cloth=asked.get("cloth") == "1",
    )


def _up_to(most: float, asked: float | None) -> float | None:
    """Return what a slider asks for, no more than the board has room for: it stood there when the board was larger."""
    return None if asked is None else min(asked, most)


MAKE_ROUTES = (
    Route("/make", "GET", VIEWER, make_page),
    Route("/make/template.pdf", "GET", VIEWER, template_as_pdf),
    Route("/make/template.zip", "GET", VIEWER, template_as_svgs),
    Route("/api/make/template", "GET", VIEWER, template_state),
)
"""Routes of making for the table of routes in `web.app`."""
