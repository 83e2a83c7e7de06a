"""A game and a size in, the steps out by which its board is made: sentences and drawings.

A way is data: names of texts (``step.need.NAME``) and of steps, each with its text (``step.do.NAME``) and its drawing.
The game tells the number of stones, its template the size of cloth and discs.

The drawings are ``step_drawings.svg``, with the board, the stones and the discs of a game filled in. The file
has a group for each step. Braces hold a name of ``SLOTS`` and its numbers. x runs to the right and y down. Lines have
the colour of the text around them (``currentColor``); the page may give the class ``accent`` another colour, and the
class ``paper`` covers everything below. The drawing hand shakes a little, and always in the same way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from math import ceil, cos, hypot, pi, sin

from calibration.making.board_template import TemplateChoice, choose_template, cloth_radii_mm, disc_radii, discs
from calibration.step_texts import phrase
from languages import DEFAULT_LANGUAGE
from referee.board import Segment, Xy
from referee.variant import Variant

WOOD_MARGIN_CM = 3.0  # wood around the outermost lines, cm
CORD_CM = 60  # of a cord that is sewn on at one point and tied around the gathered cloth, cm


@dataclass(frozen=True, slots=True)
class MakingStep:
    """One step: a sentence and its drawing, a whole SVG."""

    text: str
    svg: str


@dataclass(frozen=True, slots=True)
class Instructions:
    """How a board is made in one way, in one language."""

    title: str
    needs: tuple[str, ...]
    steps: tuple[MakingStep, ...]


WAYS: Mapping[str, Mapping[str, Sequence[str]]] = json.loads(
    files("calibration.making").joinpath("ways.json").read_text(encoding="utf-8")
)
"""What each way needs, as names of texts ("pebbles" and "paint" are those of the game), and its steps in order.
Source: the rule sheets (cloth, wool, a cord that makes a bag, the pebbles painted; discs that turn), and what children
do (chalk, paper)."""


def ways_for(variant: Variant) -> tuple[str, ...]:
    """Return the ways in which the board of a game can be made, the best first: of discs, where its rings turn.

    >>> from referee.presets import PRESETS
    >>> ways_for(PRESETS["millchen"].variant)
    ('cloth_wool', 'cloth_paint', 'wood', 'chalk', 'paper')
    >>> ways_for(PRESETS["moulin_rouge"].variant)
    ('card_discs',)
    """
    return tuple(name for name, way in WAYS.items() if ("discs" in way["needs"]) == bool(variant.board.rings))


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
        tuple(text_of(f"step.need.{_for_game(need, variant)}") for need in WAYS[way]["needs"]),
        tuple(
            MakingStep(text_of(f"step.do.{_for_game(name, variant)}"), draw_step(name, variant))
            for name in WAYS[way]["steps"]
        ),
    )


def _for_game(name: str, variant: Variant) -> str:
    """Return the name of the text that fits this game: more than two players, or stones that lie on stones."""
    of_many = {"paint": "paints", "paint_stones": "paint_stones.more", "chalk_stones": "chalk_stones.more"}
    if name == "pebbles" and variant.board.stackable:
        return "flat_pebbles"
    return of_many.get(name, name) if variant.players > 2 else name


def _values(variant: Variant, template: TemplateChoice, language: str) -> dict[str, object]:
    """Return the values of the slots of the texts; lengths are rounded up to whole centimetres."""
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
        "line": template.line_mm,
        "angle": 360 / n,
    }


# ---------------------------------------------------------------- the drawings

WIDTH, HEIGHT = 160, 120  # size of a drawing in its own units
SWAY = 0.018  # how far a stroke bends to the side, as a share of its length
FLAT = 0.3  # height of a round that lies flat, as a share of its width
STONE_PLACE = 19.5  # side of the place of a stone as it is drawn in the file, in its units
ROW_SHIFT, TURN_DEG = 0.16, 67  # how far rows of a heap are shifted (places), and each stone is turned (degrees)
_GROUP = re.compile(r'<g id="(\w+)">\n(.*?)\n</g>', re.DOTALL)
_USE = re.compile(r'<use href="#(\w+)"(?: (transform="[^"]*"))?/>')
_SLOT = re.compile(r"\{(\w+) ([^}]*)\}")


def draw_step(name: str, variant: Variant) -> str:
    """Return the drawing of a step as SVG; screen readers pass over it, because its text stands beside it."""
    inside = _SLOT.sub(lambda slot: SLOTS[slot[1]](variant, *map(float, slot[2].split())), _drawings()[name])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="step-drawing" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" '
        f'stroke-linejoin="round">{inside}</svg>'
    )


@cache
def _drawings() -> Mapping[str, str]:
    """Return the groups of the file by name, the things in its ``defs`` put in where they are used."""
    text = files("calibration.making").joinpath("step_drawings.svg").read_text(encoding="utf-8")
    groups = {name: inside.replace("\n", "") for name, inside in _GROUP.findall(text)}
    return {
        name: _USE.sub(lambda use: f"<g {use[2]}>{groups[use[1]]}</g>" if use[2] else groups[use[1]], inside)
        for name, inside in groups.items()
    }


# ---------------------------------------------------------------- what is filled in


def _board(
    variant: Variant, x: float, y: float, reach: float, first: float = 0, last: float = 3, *, is_round: bool = False
) -> str:
    """Return the strokes of a board, from one third of them to another.

    ``reach`` is how far from ``x``, ``y`` they come to lie: to the right or left, up or down on a sheet, in any
    direction on what ``is_round``.
    """
    size = hypot if is_round else lambda x, y: max(abs(x), abs(y))
    strokes = variant.board.drawings[0].strokes
    scale = reach / max(size(x - 0.5, y - 0.5) for stroke in strokes for x, y in stroke.ends)

    def there(place: Xy) -> Xy:
        return x + (place[0] - 0.5) * scale, y + (place[1] - 0.5) * scale

    paths = [
        _stroke(there(one.start), there(one.end))
        if isinstance(one, Segment)
        else _ring(*there(one.centre), one.radius * scale)
        for one in strokes
    ]
    return "".join(paths[int(len(paths) * first // 3) : int(len(paths) * last // 3)])


def _disc_radius(variant: Variant, reach: float, k: float) -> float:
    """Return the radius of disc number ``k``, where that of the largest is ``reach``."""
    radii = disc_radii(variant.board)
    return radii[int(k)] / radii[0] * reach


def _plate(variant: Variant, x: float, y: float, reach: float, k: float) -> str:
    """Return disc number ``k`` as it lies flat, with its thickness."""
    r = _disc_radius(variant, reach, k)
    rim = f"M{x - r:.1f} {y:.1f}v5A{r:.1f} {FLAT * r:.1f} 0 0 0 {x + r:.1f} {y + 5:.1f}v-5"
    face, hole = _ring(x, y, r, squash=FLAT), _ring(x, y, 2, squash=0.5)
    return f'<path d="{rim}"/><path class="paper" d="{face}"/><path d="{hole}"/>'


def _rays(variant: Variant, x: float, y: float, inner: float, outer: float) -> str:
    """Return the rays on which the hollows of all discs lie."""
    n = len(variant.board.rings[0])
    ways = [(cos(turn), sin(turn)) for turn in (2 * pi * k / n - pi / 2 for k in range(n))]
    return "".join(_stroke((x + inner * a, y + inner * b), (x + outer * a, y + outer * b)) for a, b in ways)


def _heaps(variant: Variant, left: float, top: float, width: float, height: float) -> str:
    """Return the stones of all players in a box, a heap each; the heaps differ in more than colour."""
    wide, most = width / len(variant.stones), max(variant.stones)
    columns = 3 if most <= 9 else 4
    step = min((wide - 8) / columns, height / ceil(most / columns))
    parts = []
    for player, n in enumerate(variant.stones):
        stone, middle = _drawings()[f"stone_{player + 1}"], left + wide * (player + 0.5)
        for k in range(n):
            row, column = divmod(k, columns)
            aside = column - (columns - 1) / 2 + (ROW_SHIFT if row % 2 else -ROW_SHIFT)
            x, y = middle + aside * step, top + height - (row + 0.5) * step
            how = f"translate({x:.1f} {y:.1f}) rotate({TURN_DEG * k % 360}) scale({step / STONE_PLACE:.2f})"
            parts.append(f'<g transform="{how}">{stone}</g>')
    return "".join(parts)


SLOTS: Mapping[str, Callable[..., str]] = {
    "board": _board,  # x, y, reach; from and to which third of its lines
    "round": partial(_board, is_round=True),  # the same on what is round
    "disc": lambda variant, x, y, reach, k: _ring(x, y, _disc_radius(variant, reach, k)),  # x, y, reach, number
    "plate": _plate,  # x, y, reach, number
    "rays": _rays,  # x, y, from, to
    "heaps": _heaps,  # left, top, width, height
}


def _stroke(a: Xy, b: Xy) -> str:
    """Return the path from ``a`` to ``b`` that sways a little to one side."""
    sway = SWAY * sin(a[0] + 2 * a[1] + 3 * b[0] + 5 * b[1])
    aside = (a[0] + b[0]) / 2 - sway * (b[1] - a[1]), (a[1] + b[1]) / 2 + sway * (b[0] - a[0])
    return f"M{a[0]:.1f} {a[1]:.1f}Q{aside[0]:.1f} {aside[1]:.1f} {b[0]:.1f} {b[1]:.1f}"


def _ring(x: float, y: float, radius: float, *, squash: float = 1.0) -> str:
    """Return a closed round; ``squash`` makes it lie flat."""
    half = f"A{radius:.1f} {radius * squash:.1f} 0 0 1"
    return f"M{x - radius:.1f} {y:.1f}{half} {x + radius:.1f} {y:.1f}{half} {x - radius:.1f} {y:.1f}Z"
