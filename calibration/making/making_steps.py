"""How a board is made, step by step: the ways of making, what each needs, and a drawing for each step.

A way is data: names of texts (``step.need.NAME``) and of steps, each with its text (``step.do.NAME``) and its drawing.
How many stones there are is told by the game itself; how large cloth and discs are, by its template.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from calibration.making.board_template import TemplateChoice, choose_template, cloth_radii_mm, discs
from calibration.making.step_drawings import draw_step
from calibration.step_texts import number_text, phrase
from languages import DEFAULT_LANGUAGE
from referee.variant import Variant

WOOD_MARGIN_CM = 3.0  # wood around the outermost lines, cm
CORD_CM = 60  # of a cord that is sewn on at one point and tied around the gathered cloth, cm


@dataclass(frozen=True, slots=True)
class Way:
    """A way of making a board."""

    needs: tuple[str, ...]  # names of texts; "stones" stands for the stones, "paint" for what colours them
    steps: tuple[str, ...]  # what is done, in order


@dataclass(frozen=True, slots=True)
class MakingStep:
    """What is done at once: a sentence and its drawing, a whole SVG."""

    text: str
    svg: str


@dataclass(frozen=True, slots=True)
class Instructions:
    """How a board is made in one way, in one language."""

    title: str
    needs: tuple[str, ...]
    steps: tuple[MakingStep, ...]


_BAG = ("sew_cord", "paint_stones", "pull_bag")

# Source: the rule sheets (cloth, wool, a cord that makes a bag, the pebbles painted; discs that turn), and what
# children do (chalk, paper)
WAYS: Mapping[str, Way] = {
    "cloth_wool": Way(
        ("cloth", "wool", "needle", "cord", "pebbles", "paint"), ("cut_cloth", "mark_lines", "sew_lines", *_BAG)
    ),
    "cloth_paint": Way(
        ("cloth", "fabric_paint", "needle", "cord", "pebbles", "paint"),
        ("cut_cloth", "mark_lines", "paint_lines", *_BAG),
    ),
    "wood": Way(
        ("board", "sandpaper", "burner", "oil", "pebbles", "paint"),
        ("sand_wood", "rule_wood", "burn_wood", "oil_wood", "paint_stones"),
    ),
    "card_discs": Way(
        ("discs", "split_pin", "compasses", "pebbles", "paint"),
        ("draw_discs", "cut_discs", "mark_hollows", "pin_discs", "turn_discs", "paint_stones"),
    ),
    "chalk": Way(("ground", "chalk", "pebbles"), ("sweep_ground", "chalk_outline", "chalk_board", "chalk_stones")),
    "paper": Way(
        ("print", "glue", "stones"), ("print_sheet", "check_ruler", "glue_sheets", "trace_lines", "gather_stones")
    ),
}

TURNING = frozenset({"card_discs"})  # the ways to make a board whose rings turn; the others make boards that lie still


def ways_for(variant: Variant) -> tuple[str, ...]:
    """Return the ways in which the board of a game can be made, the best first.

    >>> from referee.presets import PRESETS
    >>> ways_for(PRESETS["millchen"].variant)
    ('cloth_wool', 'cloth_paint', 'wood', 'chalk', 'paper')
    >>> ways_for(PRESETS["moulin_rouge"].variant)
    ('card_discs',)
    """
    return tuple(name for name in WAYS if (name in TURNING) == bool(variant.board.rings))


def steps_for(
    way: str, variant: Variant, language: str = DEFAULT_LANGUAGE, *, size_cm: float | None = None
) -> Instructions:
    """Return how the board of a game is made; ``size_cm`` is what suits it when omitted.

    Raises ValueError when this board is not made in this way, and Refused when no template is as large as that.
    """
    if way not in ways_for(variant):
        raise ValueError(f"way must be one of {', '.join(ways_for(variant))} for {variant.name}, got {way!r}")
    values = _values(variant, choose_template(variant.board, size_cm=size_cm), language)

    def text_of(key: str) -> str:
        return phrase(key, language, **values)

    return Instructions(
        text_of(f"step.way.{way}"),
        tuple(text_of(f"step.need.{_for_game(need, variant)}") for need in WAYS[way].needs),
        tuple(
            MakingStep(text_of(f"step.do.{_for_game(name, variant)}"), draw_step(name, variant))
            for name in WAYS[way].steps
        ),
    )


def _for_game(name: str, variant: Variant) -> str:
    """Return the name of the text that fits this game: more than two players, or stones that lie on stones."""
    of_many = {"paint": "paints", "paint_stones": "paint_stones.more", "chalk_stones": "chalk_stones.more"}
    if name == "pebbles" and variant.board.stackable:
        return "flat_pebbles"
    return of_many.get(name, name) if variant.players > 2 else name


def _values(variant: Variant, template: TemplateChoice, language: str) -> dict[str, object]:
    """Return what the texts are filled with; lengths are rounded up to whole centimetres."""
    board = variant.board
    cloth_cm = 0 if board.rings else ceil(2 * cloth_radii_mm(template)[1] / 10)
    n = len(board.rings[0]) if board.rings else 1
    return {
        "stones": sum(variant.stones),
        "heaps": " + ".join(map(str, variant.stones)),
        "colours": variant.players,
        "across": ceil(template.size_cm),
        "cloth": cloth_cm,
        "cord": CORD_CM,
        "plank": ceil(template.size_cm + 2 * WOOD_MARGIN_CM),
        "discs": " / ".join(str(ceil(disc.radius_mm / 5)) for disc in discs(template)),
        "hollows": n,
        "line": number_text(template.line_mm, language),
        "angle": number_text(360 / n, language),
    }
