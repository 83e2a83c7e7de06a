"""The drawings of the steps: one function each, from the game that the board is made for to a whole picture."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, sin

from calibration.making import step_tools as tool
from calibration.making.board_template import disc_radii
from calibration.making.line_art import (
    arc,
    board_lines,
    curve,
    ink,
    picture,
    placed,
    ring,
    stones,
    stroke,
)
from referee.board import Xy
from referee.variant import Variant

Draw = Callable[[Variant], str]

MIDDLE: Xy = (72.0, 61.0)  # where the board lies; its tools come from the right
CLOTH = 52.0  # radius of the round cloth
FIELD = 42.0  # how far the farthest point lies from the middle of a board


def _around(centre: Xy, radius: float, turn_deg: float, squash: float = 1.0) -> Xy:
    t = turn_deg * pi / 180
    return centre[0] + radius * cos(t), centre[1] + radius * squash * sin(t)


def _cloth() -> str:
    return ink(ring(MIDDLE, CLOTH))


def _sheet(left: float, top: float, width: float, height: float, *, kind: str = "paper") -> str:
    corners = ((left, top), (left + width, top), (left + width, top + height), (left, top + height))
    return ink(stroke(*corners, closed=True), kind=kind)


# ---------------------------------------------------------------- cloth


def cut_cloth(_: Variant) -> str:
    """A round on an old shirt, half cut out."""
    middle, radius = (74.0, 72.0), 34.0
    left = ((54, 7), (34, 11), (6, 33), (17, 48), (33, 38), (31, 114))
    right = tuple((2 * middle[0] - x, y) for x, y in reversed(left))
    shirt = ink(stroke(*left, *right), curve(left[0], (62, 18), (86, 18), right[-1]))
    seams = ink(stroke((8, 39), (14, 47)), stroke((33, 108), (115, 108)), stroke((140, 39), (134, 47)), width=1.3)
    cut = ink(arc(middle, radius, -18, 140)) + ink(arc(middle, radius, 140, 342), dashes="5 6")
    return picture(shirt, seams, cut, tool.scissors(_around(middle, radius, -18), -2))


def mark_lines(variant: Variant) -> str:
    """The lines of the board, thin, with a pencil."""
    lines = ink(*board_lines(variant.board, MIDDLE, FIELD, is_round=True), dashes="3 4.4", width=1.6)
    return picture(_cloth(), lines, tool.pencil((95, 70), 24))


def sew_lines(variant: Variant) -> str:
    """The lines of the board, half of them in stitches of wool."""
    lines = board_lines(variant.board, MIDDLE, FIELD, is_round=True)
    sewn = len(lines) * 2 // 3
    done = ink(*lines[:sewn], kind="accent", dashes="7 4.6", width=3.4)
    rest = ink(*lines[sewn:], dashes="2 4.4", width=1.4)
    return picture(_cloth(), rest, done, tool.needle((98, 66), 16, (-9, 6)))


def paint_lines(variant: Variant) -> str:
    """The lines of the board, most of them painted."""
    lines = board_lines(variant.board, MIDDLE, FIELD, is_round=True)
    done = len(lines) * 2 // 3
    painted = ink(*lines[:done], kind="accent", width=3.8)
    rest = ink(*lines[done:], dashes="3 4.4", width=1.4)
    pot = ink(arc((138, 100), 13, 0, 180, squash=0.4), stroke((125, 84), (125, 100)), stroke((151, 84), (151, 100)))
    paint = ink(ring((138, 84), 13, squash=0.4), kind="accent", filled=True)
    return picture(_cloth(), rest, painted, pot, paint, tool.brush((97, 58), -14))


def sew_cord(_: Variant) -> str:
    """The back of the cloth with loops around its rim and a cord through them."""
    cord = ink(arc(MIDDLE, CLOTH - 8, 40, 382), kind="accent", width=3)
    loops = []
    for turn in range(15, 375, 30):
        a, b = _around(MIDDLE, CLOTH - 3.6, turn), _around(MIDDLE, CLOTH - 12.4, turn)
        loops.append(stroke(a, b))
    ends = ink(
        curve(_around(MIDDLE, CLOTH - 8, 22), (128, 84), (137, 96), (150, 94)),
        curve(_around(MIDDLE, CLOTH - 8, 40), (118, 98), (126, 110), (144, 109)),
        kind="accent",
        width=3,
    )
    knots = ink(ring((151, 94), 2.4), ring((146, 109), 2.4), kind="accent", filled=True)
    needle = tool.needle((64, 58), 28, (-20, -14))
    return picture(_cloth(), cord, ink(*loops, width=4), ends, knots, needle)


def pull_bag(_: Variant) -> str:
    """The cloth as a bag, its cord drawn tight around the pebbles."""
    bag = curve((64, 45), (44, 62), (28, 86), (38, 108), (78, 114), (118, 108), (130, 86), (112, 62), (94, 45))
    frill = curve(
        (64, 45), (54, 30), (47, 16), (58, 21), (66, 12), (74, 20), (83, 11), (91, 20), (101, 13), (104, 26), (94, 45)
    )
    folds = ink(
        curve((70, 49), (60, 66), (54, 80)), curve((79, 50), (79, 66), (77, 78)), curve((88, 49), (98, 66), (103, 82)),
        curve((68, 40), (64, 30)), curve((79, 40), (79, 28)), curve((89, 40), (94, 30)), width=1.6,
    )  # fmt: skip
    cord = ink(
        curve((62, 45), (79, 50), (96, 44)), curve((62, 42), (79, 46), (96, 41)),
        curve((95, 43), (112, 38), (122, 46), (136, 40)), curve((95, 44), (110, 50), (116, 60), (131, 58)),
        kind="accent", width=3,
    )  # fmt: skip
    ends = ink(ring((138, 40), 2.6), ring((133, 58), 2.6), kind="accent", filled=True)
    bumps = ink(
        arc((52, 100), 9, 190, 330),
        arc((72, 104), 9, 200, 340),
        arc((98, 103), 9, 195, 335),
        arc((116, 97), 8, 200, 330),
        width=1.6,
    )
    return picture(ink(bag, frill), folds, bumps, cord, ends)


# ---------------------------------------------------------------- stones


def _heaps(variant: Variant) -> str:
    return stones(variant.stones, (6, 6, 148, 80)) + ink(stroke((10, 90), (150, 90)), width=1.4)


def paint_stones(variant: Variant) -> str:
    """A heap of stones for each player: as many as the game needs, no two heaps alike."""
    return picture(_heaps(variant), tool.brush((60, 102), 4))


def chalk_stones(variant: Variant) -> str:
    """The same heaps, and chalk."""
    return picture(_heaps(variant), tool.chalk((64, 103), 6))


def gather_stones(variant: Variant) -> str:
    """The same heaps, with a button and a bean."""
    button = ink(ring((96, 103), 9))
    holes = ink(*(ring((96 + x, 103 + y), 1.1) for x in (-2.6, 2.6) for y in (-2.6, 2.6)), filled=True)
    bean = ink(curve((62, 104), (65, 96), (74, 98), (80, 106), (72, 110), (68, 104), closed=True), kind="accent")
    return picture(_heaps(variant), button, holes, bean)


# ---------------------------------------------------------------- wood


WOOD: Xy = (72.0, 58.0)  # the middle of the board of wood


def _plank(kind: str = "") -> str:
    face = ink(stroke((16, 10), (128, 10), (128, 106), (16, 106), closed=True), kind=kind)
    return face + ink(stroke((16, 106), (20, 112), (132, 112), (132, 15), (128, 10)), stroke((128, 106), (132, 112)))


def sand_wood(_: Variant) -> str:
    """A board of wood under sandpaper."""
    grain = ink(
        curve((22, 28), (60, 24), (90, 31), (122, 27)), curve((22, 92), (66, 88), (96, 96), (122, 91)),
        curve((22, 46), (34, 46), (42, 52), (30, 60), (22, 60)), curve((108, 46), (116, 44), (122, 46)),
        curve((22, 76), (44, 73), (60, 78)), width=1.4,
    )  # fmt: skip
    block = ink(stroke((62, 50), (112, 50), (112, 76), (62, 76), closed=True), kind="paper")
    side = ink(stroke((62, 76), (66, 83), (116, 83), (116, 56), (112, 50)), stroke((112, 76), (116, 83)), kind="paper")
    to_and_fro = ink(
        stroke((52, 40), (106, 40)),
        stroke((58, 35), (52, 40), (58, 45)),
        stroke((100, 35), (106, 40), (100, 45)),
        kind="accent",
    )
    dust = ink(*(ring(at, 0.8) for at in ((122, 66), (126, 74), (122, 84), (54, 86), (60, 92), (48, 80))), filled=True)
    return picture(_plank(), grain, side, block, to_and_fro, dust)


def rule_wood(variant: Variant) -> str:
    """The lines of the board on wood, drawn along a ruler."""
    lines = ink(*board_lines(variant.board, WOOD, 36), dashes="3 4.4", width=1.6)
    return picture(_plank(), lines, tool.ruler((38, 100), -32, 104), tool.pencil((100, 62), -62))


def burn_wood(variant: Variant) -> str:
    """The lines of the board on wood, burnt in."""
    lines = board_lines(variant.board, WOOD, 36)
    done = len(lines) * 2 // 3
    burnt = ink(*lines[:done], kind="accent", width=3.4)
    rest = ink(*lines[done:], dashes="3 4.4", width=1.4)
    smoke = ink(
        curve((92, 50), (88, 42), (96, 36), (91, 27)), curve((99, 46), (96, 38), (103, 33), (100, 24)), width=1.4
    )
    return picture(_plank(), rest, burnt, smoke, tool.burner((94, 58), 26))


def oil_wood(variant: Variant) -> str:
    """The finished board of wood, a drop of oil and a cloth to rub it in."""
    lines = ink(*board_lines(variant.board, WOOD, 36), width=2.6)
    rag = curve(
        (84, 78),
        (92, 66),
        (108, 64),
        (122, 72),
        (138, 70),
        (142, 86),
        (130, 96),
        (112, 93),
        (96, 98),
        (86, 90),
        closed=True,
    )
    folds = ink(curve((98, 76), (106, 80), (104, 88)), curve((120, 78), (116, 84), (124, 90)), width=1.6)
    drop = ink(curve((146, 22), (139, 37), (146, 44), (153, 37), (146, 22)), kind="accent", filled=True)
    swirl = ink(arc((72, 58), 30, 200, 300), stroke((93, 33), (88, 30)), kind="accent")
    return picture(_plank(), lines, swirl, ink(rag, kind="paper"), folds, drop)


# ---------------------------------------------------------------- discs that turn


def draw_discs(variant: Variant) -> str:
    """Rounds of all discs, drawn with compasses."""
    radii = disc_radii(variant.board)
    middle = (66.0, 66.0)
    scale = 46 / radii[0]
    rounds = ink(*(ring(middle, r * scale, wobble=0.004) for r in radii[1:]))
    last = ink(arc(middle, radii[0] * scale, 8, 310))
    return picture(
        rounds, last, ink(ring(middle, 1.2), filled=True), tool.compasses(middle, _around(middle, radii[0] * scale, 8))
    )


def cut_discs(variant: Variant) -> str:
    """The discs side by side, the largest still under the scissors."""
    radii = disc_radii(variant.board)
    middle, scale = (48.0, 66.0), 42 / radii[0]
    lie = ((117.0, 91.0), (140.0, 52.0), (104.0, 60.0))
    others = [ring(at, r * scale * 0.8, wobble=0.004) for at, r in zip(lie, radii[1:], strict=False)]
    middles = ink(*(ring(at, 1.2) for at in (middle, *lie[: len(others)])), filled=True)
    cut = ink(arc(middle, 42, -52, 150)) + ink(arc(middle, 42, 150, 308), dashes="5 6")
    return picture(ink(*others), middles, cut, tool.scissors(_around(middle, 42, -52), -12))


def mark_hollows(variant: Variant) -> str:
    """All hollows of the board, with the rays on which they lie."""
    board, middle = variant.board, (72.0, 61.0)
    n = len(board.rings[0])
    rays = ink(
        *(stroke(_around(middle, 9, 360 * k / n - 90), _around(middle, 50, 360 * k / n - 90)) for k in range(n)),
        dashes="2 4",
        width=1.3,
    )
    hollows = ink(*board_lines(board, middle, 45), kind="accent")
    scale = 41 * 2
    rims = ink(*(ring(middle, r * scale, wobble=0.003) for r in disc_radii(variant.board)), width=1.6)
    return picture(rims, rays, hollows, tool.pencil((105, 45), -20))


def pin_discs(variant: Variant) -> str:
    """The discs above one another with a split pin through their middles."""
    radii = disc_radii(variant.board)
    scale = 62 / radii[0]
    heights = [91 - 62 * i / len(radii) for i in range(len(radii))]
    parts = []
    for radius, y in zip(radii, heights, strict=True):
        r = radius * scale
        thick = ink(
            arc((74, y + 5), r, 0, 180, squash=0.3),
            stroke((74 - r, y), (74 - r, y + 5)),
            stroke((74 + r, y), (74 + r, y + 5)),
        )
        parts += [
            thick,
            ink(ring((74, y), r, squash=0.3, wobble=0.003), kind="paper"),
            ink(ring((74, y), 2, squash=0.5)),
        ]
    top = heights[-1]
    line = ink(stroke((74, top - 12), (74, 106)), dashes="3 4", width=1.4)
    pin = ink(ring((74, top - 20), 8, squash=0.5), kind="accent", filled=True)
    legs = ink(stroke((72.6, top - 17), (71.6, top - 5)), stroke((75.4, top - 17), (76.4, top - 5)), kind="accent")
    return picture(*parts, line, legs, pin)


def turn_discs(variant: Variant) -> str:
    """The finished board, and arrows that turn its rings."""
    middle = (78.0, 60.0)
    hollows = ink(*board_lines(variant.board, middle, 42))
    radii = [r * 76 for r in disc_radii(variant.board)]
    rims = ink(*(ring(middle, r, wobble=0.003) for r in radii))
    return picture(rims, hollows, ink(ring(middle, 3), kind="accent", filled=True), _turning(middle, radii[0] + 8))


def _turning(middle: Xy, radius: float) -> str:
    """Two arrows clockwise around a round."""
    parts = []
    for start in (-20, 160):
        tip = _around(middle, radius, start + 52)
        parts.append(ink(arc(middle, radius, start, start + 52), kind="accent", width=3))
        parts.append(placed(tip, start + 52 + 90, ink(stroke((-7, -5), (0, 0), (-7, 5)), kind="accent", width=3)))
    return "".join(parts)


# ---------------------------------------------------------------- chalk


def _paving() -> str:
    rows = (18, 54, 90)
    joints = [stroke((4, y), (156, y)) for y in (*rows, 116)]
    for i, y in enumerate(rows):
        joints += [
            stroke((x, y), (x, y + (36 if y < 90 else 26)))
            for x in (range(30, 156, 52) if i % 2 else range(56, 156, 52))
        ]
    return ink(*joints, width=1.2)


def sweep_ground(_: Variant) -> str:
    """Paving stones and a broom."""
    leaf = ink(curve((34, 76), (44, 68), (54, 72), (46, 80), closed=True), stroke((34, 76), (50, 73)))
    dust = ink(*(ring(at, 0.9) for at in ((60, 96), (67, 101), (52, 100), (64, 88), (44, 95), (72, 94))), filled=True)
    wind = ink(curve((28, 98), (40, 92), (50, 96)), curve((24, 86), (30, 82), (36, 86)), kind="accent")
    return picture(_paving(), leaf, dust, wind, tool.broom((100, 100), 24))


def chalk_outline(variant: Variant) -> str:
    """The first lines of the board in chalk."""
    lines = board_lines(variant.board, (72, 60), 44)
    first = lines[: max(1, len(lines) // 3)]
    return picture(
        ink(*first, kind="accent", width=4),
        ink(*lines[len(first) :], dashes="2 5", width=1.3),
        tool.chalk((112, 74), 28),
    )


def chalk_board(variant: Variant) -> str:
    """The whole board in chalk."""
    lines = ink(*board_lines(variant.board, (72, 60), 44), kind="accent", width=4.4)
    crumbs = ink(*(ring(at, 0.9) for at in ((136, 96), (142, 90), (130, 101), (146, 99))), filled=True)
    return picture(lines, crumbs, tool.chalk((126, 84), 34))


# ---------------------------------------------------------------- paper


def print_sheet(variant: Variant) -> str:
    """A printer that gives out the board."""
    machine = ink(stroke((24, 44), (136, 44), (142, 50), (142, 80), (18, 80), (18, 50), closed=True), kind="paper")
    tray = ink(stroke((44, 44), (48, 14), (112, 14), (116, 44)), kind="paper")
    slot = ink(stroke((36, 62), (124, 62)))
    sheet = ink(stroke((44, 62), (116, 62), (124, 114), (36, 114), closed=True), kind="paper")
    lines = ink(*board_lines(variant.board, (80, 88), 17), kind="accent", width=1.8)
    lamp = ink(ring((130, 54), 1.6), filled=True)
    return picture(tray, machine, lamp, sheet, slot, lines)


def check_ruler(_: Variant) -> str:
    """A ruler beside the printed one: both are as long."""
    sheet = _sheet(10, 8, 140, 70)
    printed = ink(
        stroke((24, 50), (136, 50)),
        *(stroke((24 + 11.2 * i, 50), (24 + 11.2 * i, 40 if i % 5 == 0 else 44)) for i in range(11)),
        kind="accent",
    )
    same = ink(stroke((24, 58), (24, 66)), stroke((136, 58), (136, 66)), dashes="2 3", width=1.4)
    ticks = ink(curve((66, 24), (73, 32), (90, 16)), kind="accent", width=3.4)
    return picture(sheet, printed, ticks, tool.ruler((24, 70), 0, 112), same)


def glue_sheets(variant: Variant) -> str:
    """Two sheets that overlap at their glue mark, the board across both."""
    lines = board_lines(variant.board, (74, 58), 34)
    left, right = _sheet(8, 12, 72, 92), _sheet(66, 15, 76, 92)
    overlap = ink(stroke((80, 15), (80, 104)), dashes="3 4", width=1.4)
    return picture(left, right, ink(*lines, width=1.6), overlap, tool.glue_stick((84, 92), 24))


def trace_lines(variant: Variant) -> str:
    """The printed lines, made thick with a felt pen."""
    lines = board_lines(variant.board, (66, 60), 38)
    done = len(lines) * 2 // 3
    thick = ink(*lines[:done], kind="accent", width=4)
    return picture(_sheet(8, 6, 116, 108), ink(*lines[done:], width=1.3), thick, tool.felt_pen((96, 66), 22))
