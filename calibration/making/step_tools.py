"""What lies on the table while a board is made: pencil, brush, needle, scissors ... as line drawings.

Each is drawn with its tip at the origin and its handle to the right; ``turn_deg`` turns it clockwise about the tip.
"""

from __future__ import annotations

from calibration.making.line_art import arc, curve, ink, placed, ring, stroke
from referee.board import Xy


def pencil(tip: Xy, turn_deg: float) -> str:
    """Return a pencil."""
    wood = ink(stroke((0, 0), (11, -4.5), (50, -4.5), (50, 4.5), (11, 4.5), closed=True), kind="paper")
    inside = ink(stroke((11, -4.5), (13, 0), (11, 4.5)), stroke((13, 0), (50, 0)), stroke((44, -4.5), (44, 4.5)))
    return placed(tip, turn_deg, wood, inside, ink(stroke((0, 0), (4, -1.6), (4, 1.6), closed=True), filled=True))


def brush(tip: Xy, turn_deg: float) -> str:
    """Return a brush with paint on it."""
    hair = curve((0, 0), (6, -4.6), (15, -4), (15, 4), (6, 4.4), closed=True)
    sleeve = ink(stroke((15, -4.2), (24, -4.2), (24, 4.2), (15, 4.2), closed=True), kind="paper")
    handle = ink(curve((24, -3.4), (36, -4.6), (62, -1.4), (62, 1.4), (36, 4.6), (24, 3.4)), kind="paper")
    return placed(tip, turn_deg, handle, sleeve, ink(hair, kind="accent", filled=True))


def needle(tip: Xy, turn_deg: float, thread_to: Xy) -> str:
    """Return a needle with a thread through its eye; ``thread_to`` is where that ends, from the tip, unturned."""
    x, y = thread_to
    thread = ink(curve((35, 0), (46, -8), (40, 12), (x * 0.6, y * 0.7 + 8), (x, y)), kind="accent")
    shaft = ink(curve((0, 0), (16, -1.6), (36, -2.2), (39, 0), (36, 2.2), (16, 1.6), closed=True), kind="paper")
    return placed(tip, turn_deg, thread, shaft, ink(stroke((32, 0), (36, 0))))


def scissors(tip: Xy, turn_deg: float) -> str:
    """Return open scissors that cut at the tip."""
    blades = (
        ink(curve((-9, -6), (10, -3.4), (27, 2.6), (21, 4.6), (4, 1.4), closed=True), kind="paper"),
        ink(curve((-9, 6), (10, 3.4), (27, -2.6), (21, -4.6), (4, -1.4), closed=True), kind="paper"),
    )
    bows = (ink(ring((39, 9.5), 7.6, squash=0.8)), ink(ring((39, -9.5), 7.6, squash=0.8)))
    arms = ink(stroke((26, 2.4), (32, 6.2)), stroke((26, -2.4), (32, -6.2)))
    return placed(tip, turn_deg, *bows, arms, *blades, ink(ring((20, 0), 1.2), filled=True))


def chalk(tip: Xy, turn_deg: float) -> str:
    """Return a piece of chalk."""
    body = ink(stroke((0, -1.5), (3, -4.6), (30, -4.6), (30, 4.6), (3, 4.6), (0, 1.5), closed=True), kind="paper")
    return placed(tip, turn_deg, body, ink(arc((30, 0), 4.6, -90, 90, squash=1.0)), ink(stroke((9, -4.6), (9, 4.6))))


def felt_pen(tip: Xy, turn_deg: float) -> str:
    """Return a felt pen."""
    body = ink(stroke((7, -3.4), (13, -5.4), (48, -5.4), (48, 5.4), (13, 5.4), (7, 3.4), closed=True), kind="paper")
    nib = ink(stroke((0, 0), (3, -2.2), (7, -2.2), (7, 2.2), (3, 2.2), closed=True), kind="accent", filled=True)
    return placed(tip, turn_deg, body, nib, ink(stroke((20, -5.4), (20, 5.4)), stroke((26, 0), (42, 0))))


def burner(tip: Xy, turn_deg: float) -> str:
    """Return a pen that burns lines into wood, with its cable."""
    hot = ink(stroke((0, 0), (13, -1.8), (13, 1.8), closed=True), kind="accent", filled=True)
    grip = ink(curve((13, -3), (20, -6), (46, -5), (50, 0), (46, 5), (20, 6), (13, 3), closed=True), kind="paper")
    ribs = ink(*(stroke((x, -5), (x, 5)) for x in (20, 25, 30)))
    return placed(tip, turn_deg, ink(curve((50, 0), (60, 3), (64, -8), (76, -6))), grip, ribs, hot)


def compasses(needle_point: Xy, pencil_point: Xy) -> str:
    """Return a pair of compasses between two points of a drawing."""
    (ax, ay), (bx, by) = needle_point, pencil_point
    top = ((ax + bx) / 2, min(ay, by) - 46)
    tube = [(bx + (top[0] - bx) * share, by + (top[1] - by) * share) for share in (0.12, 0.34)]
    legs = ink(stroke(needle_point, top, pencil_point)) + ink(stroke(*tube), width=5.5)
    return legs + ink(stroke(top, (top[0], top[1] - 9)), width=4) + ink(ring(top, 4.4), kind="paper")


def broom(foot: Xy, turn_deg: float) -> str:
    """Return a broom that stands on its bristles."""
    bristles = ink(*(stroke((x * 0.55, -17), (x, 0)) for x in (-16, -9.5, -3, 3, 9.5, 16)))
    head = ink(stroke((-10, -23), (10, -23), (11, -17), (-11, -17), closed=True), kind="paper")
    return placed(foot, turn_deg, bristles, ink(stroke((0, -23), (0, -78)), width=3.4), head)


def glue_stick(tip: Xy, turn_deg: float) -> str:
    """Return a stick of glue."""
    body = ink(stroke((8, -7), (36, -7), (36, 7), (8, 7), closed=True), kind="paper")
    glue = ink(curve((0, 4.5), (-2, 0), (0, -4.5), (8, -5), (8, 5), closed=True), kind="accent")
    return placed(tip, turn_deg, glue, body, ink(stroke((31, -7), (31, 7)), stroke((14, -1), (25, -1))))


def ruler(left: Xy, turn_deg: float, length: float) -> str:
    """Return a ruler of ten centimetres from its zero mark."""
    edge = ink(stroke((-5, 0), (length + 5, 0), (length + 5, 15), (-5, 15), closed=True), kind="paper")
    marks = ink(
        *(stroke((length * i / 10, 0), (length * i / 10, 7 if i % 5 == 0 else 4)) for i in range(11)), width=1.6
    )
    return placed(left, turn_deg, edge, marks)
