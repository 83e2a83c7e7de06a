"""Boards of holes: where the points themselves are seen and the strokes between them hardly.

The spots of the picture say where a board of holes may lie (``constellation``). Seen from above, the rims of the holes
and balls give their middles (``rounds``), and the strokes between them, if there are any, help to say which board it
is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.detection.blobs import Blobs, blobs
from vision.detection.board_hypotheses import BOARD_UNIT_PX, Guess, sound
from vision.detection.circle_centres import middles, votes
from vision.detection.confidence import hole_posterior
from vision.detection.edge_strokes import StrokesBetween, strokes_between
from vision.detection.hole_layout import Constellation, constellations
from vision.detection.template_search import SIDE_PX, UNIT_PX, unit_from_patch
from vision.detection.templates import Template
from vision.imaging import cv
from vision.imaging.frame import Image
from vision.imaging.homography import Floats, apply_homography, fit_homography, spacings

WORTH_A_LOOK = 5.0
"""Nats of evidence of spots from which a board is looked at more closely."""

COMMONPLACE = 12.0
"""Nats against boards of nine points: three rows of three are found on dice, dotted cloth and packs of tablets."""

FEW_POINTS = 9

LINE_NATS = 1.0
"""Nats that a link is worth that shows a stroke, or none."""

MOST_LINES = 8.0
"""Nats of strokes beyond which each counts half where it is asked whether there is a board: crossings are spots too."""

UNLINED, UNLINED_NATS = 0.05, 0.25
"""How many boards of holes have no strokes at all, and nats against it for each stroke that a board would have."""

RADII_PX = (3.0, 4.0, 5.0, 6.0, 7.5, 9.0, 11.0)
"""Radii of holes that are tried in a patch in which the board's radius is ``BOARD_UNIT_PX``."""

LINE_PX, HOLE_PX = 0.5, 1.5
"""How well a stroke and a hole tell where they are, px of that patch: balls stand out of holes, strokes lie flat."""

CROOKED = 0.05
"""Typical distance of a hole from where the plane puts it, in spacings."""


def drilled_boards(bgr: Image, templates: Sequence[Template], spots: Blobs | None = None) -> list[Guess]:
    """Boards whose points are seen as holes, balls or stones; ``Guess.holes`` says how clearly, clearest first."""
    found = constellations(blobs(bgr) if spots is None else spots, templates)
    best = [c for c in found if c.evidence > WORTH_A_LOOK and c.evidence > found[0].evidence - 2 * COMMONPLACE]
    seen = [item for c in best[:4] if (item := _closer(bgr, c)) is not None]
    seen.sort(key=lambda item: -item[0].holes)
    # Among boards every stroke counts fully; that there is a board at all they show only so far.
    excess = max(0.0, 0.5 * (seen[0][1] - MOST_LINES)) if seen else 0.0
    return [replace(guess, holes=guess.holes - excess) for guess, _ in seen]


def hole_confidence(found: Sequence[Guess]) -> float:
    """Posterior that the first of some boards of holes is the board; 0 for none."""
    if not found:
        return 0.0
    chance = hole_posterior(found[0].holes)
    rivals = [np.exp(-np.clip(found[0].holes - g.holes, 0, 30)) for g in found[1:]]
    return float(chance / (1 + sum(rivals)))


def _closer(bgr: Image, found: Constellation) -> tuple[Guess, float] | None:
    """A constellation seen from above: its points where rims and strokes say, and nats of the strokes."""
    t = found.template
    grow = BOARD_UNIT_PX / UNIT_PX
    patch_from_template: Floats = (np.linalg.inv(unit_from_patch()) @ np.diag([grow, grow, 1])).astype(np.float64)
    image_from_template = found.image_from_template
    joints = found.joints_px
    for look in range(2):
        image_from_patch = image_from_template @ np.linalg.inv(patch_from_template)
        patch = cv.warp(bgr, image_from_patch, SIDE_PX)
        at = apply_homography(patch_from_template, t.joints)
        spacing = spacings(at)
        at_spots = apply_homography(np.linalg.inv(image_from_patch).astype(np.float64), joints)
        start = at if look else np.where(found.seen[:, None], (at + at_spots) / 2, at)
        places, strength = middles(votes(patch, RADII_PX), start, 0.32 * spacing)
        size = int((strength.mean(1) * np.power(RADII_PX, 0.85)).argmax())
        rims = np.where(found.seen[:, None], (places[size] + at_spots) / 2, places[size])
        plane = _plane(t, rims, strength[size], CROOKED * spacing)
        image_from_template = image_from_patch @ plane
        flat = apply_homography(plane, t.joints)
        off = np.linalg.norm(rims - flat, axis=1) / (CROOKED * spacing)
        trust = strength[size] / (strength[size] + 0.5 * np.median(strength[size])) / (1 + (off / 2) ** 2)
        joints = apply_homography(image_from_patch, flat + trust[:, None] * (rims - flat))
    if not sound(plane[None])[0]:
        return None
    for _ in range(2):
        seen = strokes_between(patch, t, flat, RADII_PX[size])
        plane = _drawn_to_strokes(t, plane, seen, rims, trust)
        moved = apply_homography(plane, t.joints)
        rims_off, flat = rims - moved, moved
    trust *= 0.5 + 0.5 * (seen.votes < 0).mean()  # where there are strokes, they say best where they cross
    joints = apply_homography(image_from_patch, flat + trust[:, None] * rims_off)
    image_from_template = image_from_patch @ plane
    to_image = image_from_template / image_from_template[2, 2]
    lines, way = seen.votes, seen.way
    nats = LINE_NATS * float(lines.sum())
    unlined = np.log(UNLINED) - UNLINED_NATS * len(t.links)
    evidence = found.evidence + float(np.logaddexp(np.log(1 - UNLINED) + nats, unlined))
    if len(t.points_from_joints) <= FEW_POINTS:
        evidence -= COMMONPLACE
    a, b = t.links.T
    long = np.linalg.norm(joints[a] - joints[b], axis=1)
    points, samples = t.points_from_joints @ joints, apply_homography(to_image, t.sample_xy)
    share, gain = float((lines > 0).mean()), float((lines * long).sum())
    return Guess(t, joints, points, to_image, samples, share, gain, way, 0.0, evidence), nats


def _drawn_to_strokes(t: Template, plane: Floats, seen: StrokesBetween, places: Floats, trust: Floats) -> Floats:
    """A plane moved so that its links lie on the strokes; holes count where strokes are missing. One robust step."""

    def change(p: Floats) -> Floats:
        moved: Floats = plane @ np.array([[1 + p[0], p[1], p[2]], [p[3], 1 + p[4], p[5]], [p[6], p[7], 1.0]])
        return moved

    a, b = t.links.T
    ends = (0.3, 0.7)
    between = np.concatenate([t.joints[a] * (1 - k) + t.joints[b] * k for k in ends])
    normal = np.concatenate([seen.across] * 2)
    pull = seen.offset_px.T.ravel()
    weight = np.concatenate([np.maximum(seen.votes, 0)] * 2) / LINE_PX**2 / (1 + (pull / 1.5) ** 2)
    holes = places - apply_homography(plane, t.joints)
    hole_weight = trust / HOLE_PX**2 / (1 + (holes**2).sum(1) / HOLE_PX**2)
    rows, each = [], 1e-4 * np.eye(8)
    for k in range(8):
        moved = change(each[k])
        lines = ((apply_homography(moved, between) - apply_homography(plane, between)) * normal).sum(1)
        points = apply_homography(moved, t.joints) - apply_homography(plane, t.joints)
        rows.append(np.concatenate([lines, points.ravel()]) / 1e-4)
    design = np.stack(rows, axis=1)
    weights = np.concatenate([weight, np.repeat(hole_weight, 2)])
    gram = design.T @ (weights[:, None] * design) + 1e-3 * np.eye(8)
    step: Floats = np.linalg.solve(gram, design.T @ (weights * np.concatenate([pull, holes.ravel()])))
    drawn = change(step)
    return np.asarray(drawn / drawn[2, 2], dtype=np.float64)


def _plane(t: Template, places: Floats, strength: Floats, sigma_px: Floats) -> Floats:
    """The homography that most middles agree on, patch_from_template."""
    weight = strength / strength.max()
    plane = fit_homography(t.joints, places, weight)
    for _ in range(6):
        off = np.linalg.norm(apply_homography(plane, t.joints) - places, axis=1) / sigma_px
        plane = fit_homography(t.joints, places, weight / (1 + off**2) ** 2 + 1e-6)
    return plane
