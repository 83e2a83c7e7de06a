"""Pages and API for makers of boards: template, steps, paints, sizes, and what is wrong with the finished board."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest, NotFound

from calibration.making.board_template import (
    SIZES_CM,
    TemplateChoice,
    board_to_make,
    choose_template,
    line_limits_mm,
    mark_limits_mm,
)
from calibration.making.check_report import check_html, check_title, fault_texts, not_found_texts
from calibration.making.making_steps import steps_for, ways_for
from calibration.making.paints import PaintChoice, advise_paints
from calibration.making.sizes import VIEW_PRESETS_DEG, advise_sizes
from calibration.making.tiles import preview_svg, template_sheets
from calibration.sheets import PAPERS_MM, sheet_svg, sheets_pdf
from calibration.step_texts import Refused, phrase
from languages import catalogue, number_text
from referee.boards import HOLE_COUNTS, boards_for
from referee.presets import PRESETS, choose
from referee.variant import Variant
from web.hosted_tables import current_context
from web.net.roles import REFEREE, VIEWER, Route
from web.page_words import words
from web.setup.board_photographs import CheckedBoard, colours_in, look_for_faults
from web.table.offered_games import OFFERED_GAMES, has_story
from web.views.command_routes import picture_route
from web.views.table_page import (
    attachment,
    board_picture,
    known_game,
    number_asked,
    render_page,
    request_language,
    whole_number_asked,
)

USUAL_COLOURS = {
    "cloth": "#e9dfc8",
    "line": "#3f5f3c",
    "paints": ("#b3191f", "#1d4fa8", "#e3b31c", "#1c1c1e", "#f2efe6", "#2a7d3c"),
}
"""Colours with which the page begins: linen, green wool, and paints for up to six players."""

USUAL_VIEWS_DEG, USUAL_VIEW_DEG = VIEW_PRESETS_DEG, 78
"""Angles of view that are offered, across the diagonal of the picture, degrees, and the one chosen at first, that of
most webcams."""

PICTURE_SIZES = ("1280x720", "1920x1080", "640x480")
"""Usual sizes of a webcam's pictures, px; the first is chosen at first."""

WIDTH_STEP_MM = 0.1  # step of the sliders of lines and marks, mm
MOST_CLEAR_PAIRS = 3  # pairs of colours that are shown where all are clear


def _variant_asked(name: str) -> Variant:
    """Return the game of a query, for ``?players=`` where its board depends on them; raises NotFound, BadRequest."""
    preset, players = PRESETS[known_game(name)], whole_number_asked(request.args, "players")
    if players is None or "players" not in preset.offers:
        return preset.variant
    try:
        return choose(preset, {"players": players})
    except ValueError as why:
        raise BadRequest(str(why)) from None


def check_picture() -> ResponseReturnValue:
    """Answer POST /api/make/check?game=GAME: the picture in the body; what is wrong with the board on it."""
    variant, language = _variant_asked(request.args.get("game", "")), request_language()
    data, boards = request.get_data(cache=False), boards_for(variant)
    photograph = current_context().board_photographs.look(look_for_faults, data, boards)
    check = photograph.check
    if not check.is_found:
        reason, advice = not_found_texts(check, language)
        return {
            "number": photograph.number,
            "grade": "poor",
            "summary": reason,
            "lines": [{"grade": "poor", "text": advice}],
        }
    faults = fault_texts(check, language)
    label = words(language)["label"]
    lines = [
        {"grade": "poor", "text": label.format(name=text.letter, text=f"{text.what} {text.advice}")} for text in faults
    ]
    grade = "good" if check.is_good else "fair"
    return {"number": photograph.number, "grade": grade, "summary": check_title(check, language), "lines": lines}


def checked_picture(number: int) -> Response:
    """Answer GET /make/checked/N.jpg: the photograph with points and faults drawn over it."""
    return Response(_checked(number).picture_jpeg, mimetype="image/jpeg")


def checked_sheet(number: int) -> Response:
    """Answer GET /make/checked/N.html: one sheet to print or keep."""
    photograph = _checked(number)
    return attachment(
        check_html(photograph.bgr, photograph.check, request_language()), "text/html", "millchen-board.html"
    )


def _checked(number: int) -> CheckedBoard:
    return current_context().board_photographs.find(number, CheckedBoard, "this board was checked too long ago")


def paint_advice() -> ResponseReturnValue:
    """Answer GET /api/make/paints?cloth=...&line=...&paint1=...: which colours will be mistaken, and better ones."""
    query, language = request.args, request_language()
    players = [n for n in range(1, 7) if f"paint{n}" in query]
    paints = tuple(None if query.get(f"bare{n}") == "1" else query[f"paint{n}"] for n in players)
    choice = PaintChoice(query.get("cloth", ""), query.get("line", ""), paints)
    advice = advise_paints(choice)
    unclear = [pair for pair in advice.pairs if pair.grade != "good"]
    return {
        "grade": advice.grade,
        "summary": advice.texts[language],
        "pairs": [
            {"grade": pair.grade, "text": pair.texts[language]} for pair in unclear or advice.pairs[:MOST_CLEAR_PAIRS]
        ],
        "proposals": [
            {"paint": f"paint{one.player}", "colour": one.colour, "text": one.texts[language]}
            for one in advice.proposals
        ],
    }


def photographed_colours() -> ResponseReturnValue:
    """Answer POST /api/make/colours?game=GAME: the picture in the body; colours of cloth, line and each player."""
    n_players = _variant_asked(request.args.get("game", "")).players
    return colours_in(request.get_data(cache=False), n_players).to_json()


def size_advice() -> ResponseReturnValue:
    """Answer GET /api/make/sizes?game=...&size=...&view=...&picture=...: how large pebbles, how high the camera."""
    query, choice = request.args, _chosen_template()
    picture = query.get("picture", PICTURE_SIZES[0])
    if picture not in PICTURE_SIZES:
        raise BadRequest(f"picture must be one of {', '.join(PICTURE_SIZES)}")
    width, height = map(int, picture.split("x"))
    view = number_asked(query, "view")
    degrees = USUAL_VIEW_DEG if view is None else view
    advice = advise_sizes(choice.board, choice.size_cm, degrees, width, height, choice.drawing)
    grade = advice.verdict if advice.verdict in ("good", "fair") else "poor"
    return {"lines": [{"grade": grade, "text": text} for text in advice.texts[request_language()]]}


def make_page() -> ResponseReturnValue:
    """Answer GET /make: everything about making the board of ``?game=``, or of the game at the table."""
    name = request.args.get("game", current_context().table.publisher.snapshot.game.name)
    variant = _variant_asked(name)
    choices = {choice.name: choice.values for game in OFFERED_GAMES if game.name == name for choice in game.choices}
    player_counts = range(int(choices["players"][0]), int(choices["players"][1]) + 1) if "players" in choices else ()
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
        asked=f"{name}&players={variant.players}" if player_counts else name,
        player_counts=player_counts,
        views=USUAL_VIEWS_DEG,
        view=USUAL_VIEW_DEG,
        has_story=has_story(name),
        pictures=PICTURE_SIZES,
    )


def template_state() -> ResponseReturnValue:
    """Answer GET /api/make/template?game=...: the preview of the template as SVG, and how many sheets it needs."""
    return _template_json(_chosen_template())


def template_as_pdf() -> ResponseReturnValue:
    """Answer GET /make/template.pdf?game=...: all sheets, to be printed."""
    choice = _chosen_template()
    pdf = sheets_pdf(template_sheets(choice, request_language()).values())
    return attachment(pdf, "application/pdf", f"millchen-{choice.board.name}.pdf")


def template_as_svgs() -> ResponseReturnValue:
    """Answer GET /make/template.zip?game=...: each sheet as SVG."""
    choice = _chosen_template()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, sheet in template_sheets(choice, request_language()).items():
            archive.writestr(f"millchen-{choice.board.name}-{name}.svg", sheet_svg(sheet))
    return attachment(packed.getvalue(), "application/zip", f"millchen-{choice.board.name}.zip")


def _template_json(choice: TemplateChoice) -> dict[str, Any]:
    language, n = request_language(), len(template_sheets(choice))
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
    sliders = [
        _slider("size", "make.size", "cm", SIZES_CM, 1, choice.size_cm),
        _slider("line", "make.line", "mm", line_limits_mm(*about), WIDTH_STEP_MM, choice.line_mm),
        _slider("marks", "make.marks", "mm", mark_limits_mm(*about), WIDTH_STEP_MM, choice.mark_mm),
    ]
    if choice.board.rings:
        holes = len(choice.board.rings[0])
        sliders.append(_slider("holes", "make.holes", "", (HOLE_COUNTS[0], HOLE_COUNTS[-1]), 1, holes))
    return sliders


def _slider(name: str, key: str, unit: str, limits: tuple[float, float], step: float, value: float) -> dict[str, str]:
    numbers = {"least": limits[0], "most": limits[1], "step": step, "value": value}
    label = phrase(key, request_language())
    value_text = f"{number_text(value, request_language())} {unit}".strip()
    texts = {which: f"{number:g}" for which, number in numbers.items()}
    return {"name": name, "label": label, "unit": unit, "said": value_text} | texts


def _chosen_template() -> TemplateChoice:
    """Return the template that the query of the request asks for."""
    query = request.args
    board = board_to_make(known_game(query.get("game", "")), whole_number_asked(query, "holes"))
    usual = choose_template(board, query.get("drawing", ""), size_cm=number_asked(query, "size"))
    about = board, usual.drawing, usual.size_cm
    return choose_template(
        board,
        usual.drawing,
        size_cm=usual.size_cm,
        paper=query.get("paper", "a4"),
        line_mm=_up_to(line_limits_mm(*about)[1], number_asked(query, "line")),
        mark_mm=_up_to(mark_limits_mm(*about)[1], number_asked(query, "marks")),
        is_mirrored=query.get("mirror") == "1",
        has_cloth=query.get("cloth") == "1",
    )


def _up_to(most: float, value: float | None) -> float | None:
    """Return what a slider asks for, no more than the board has room for: it stood there when the board was larger."""
    return None if value is None else min(value, most)


def steps_page(game: str) -> ResponseReturnValue:
    """Answer GET /make/steps/GAME: how its board of ``?size=`` cm is made in the way ``?way=``, or in the first one."""
    variant, language = _variant_asked(game), request_language()
    ways = ways_for(variant)
    way = request.args.get("way", ways[0])
    if way not in ways:
        raise NotFound("this board is not made in this way")
    try:
        if (holes := whole_number_asked(request.args, "holes")) is not None:
            variant = replace(variant, board=board_to_make(game, holes))
        instructions = steps_for(way, variant, language, size_cm=number_asked(request.args, "size"))
    except Refused as why:
        raise BadRequest(why.texts["en"]) from None
    names, sizes = ("needs", "how", "ways", "to_make"), ("players", "size", "holes")
    return render_page(
        "steps.html",
        keep=("way", *sizes),
        game=game,
        way=way,
        asked={name: request.args[name] for name in sizes if name in request.args},
        ways={name: phrase(f"step.way.{name}", language) for name in ways},
        instructions=instructions,
        picture=board_picture(variant.board),
        told={name: phrase(f"step.{name}", language) for name in names},
        has_story=has_story(game),
    )


MAKE_ROUTES = (
    Route("/make", "GET", VIEWER, make_page),
    Route("/make/steps/<game>", "GET", VIEWER, steps_page),
    Route("/make/template.pdf", "GET", VIEWER, template_as_pdf),
    Route("/make/template.zip", "GET", VIEWER, template_as_svgs),
    Route("/api/make/template", "GET", VIEWER, template_state),
    picture_route("/api/make/check", REFEREE, check_picture),
    Route("/make/checked/<int:number>.jpg", "GET", REFEREE, checked_picture),
    Route("/make/checked/<int:number>.html", "GET", REFEREE, checked_sheet),
    Route("/api/make/paints", "GET", VIEWER, paint_advice),
    picture_route("/api/make/colours", REFEREE, photographed_colours),
    Route("/api/make/sizes", "GET", VIEWER, size_advice),
)
