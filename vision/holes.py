"""Boards of holes: where the points themselves are seen and the strokes between them hardly.

The spots of the picture say where a board of holes may lie (``constellation``). Seen from above, the rims of the holes
and balls give their middles (``rounds``), and the strokes between them, if there are any, help to say which board it
is.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision import cv
from vision.blobs import Blobs, blobs
from vision.constellation import Constellation, constellations
from vision.contest import BOARD_UNIT_PX, Guess, sound
from vision.frame import Image
from vision.rounds import middles, votes
from vision.search import SIDE_PX, UNIT_PX, unit_from_patch
from vision.spaces import Floats, apply_homography, fit_homography
from vision.templates import Template

WORTH_A_LOOK = 5.0
"""Nats of evidence of spots from which a board is looked at more closely."""

COMMONPLACE = 12.0
"""Nats against boards of nine points: three rows of three are found on dice, dotted cloth and packs of tablets."""

FEW_POINTS = 9

LINE_NATS = 1.0
"""Nats that a link is worth that shows a stroke, or none."""

MOST_LINES = 8.0
"""Nats of strokes beyond which each counts half: crossings of strokes are spots too, and boards have many."""

UNLINED, UNLINED_NATS = 0.05, 0.25
"""How many boards of holes have no strokes at all, and nats against it for each stroke that a board would have."""

RADII_PX = (3.0, 4.0, 5.0, 6.0, 7.5, 9.0, 11.0)
"""Radii of holes that are tried in a patch in which the board's radius is ``BOARD_UNIT_PX``."""

CROOKED = 0.05
"""Typical distance of a hole from where the plane puts it, in spacings."""

SURE_NATS, NATS_SPREAD = 18.0, 2.5
"""Evidence at which a board of holes is as likely as not, and how much more makes it e times likelier: spots of a
picture are no strewn seeds, so nats count less than they say."""

STUDDED = 0.55
"""Share of points with a spot from which a board of strokes may be a board of holes."""


def studded(guess: Guess, spots: Blobs) -> bool:
    """Whether most points of a guess lie on spots, so that it may be a board of holes."""
    if len(spots.xy_px) == 0:
        return False
    points = guess.points_px
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    off = np.linalg.norm(points[:, None] - spots.xy_px[None], axis=2).min(1) / apart.min(1)
    return bool((off < 0.3).mean() > STUDDED)


def drilled_boards(bgr: Image, templates: Sequence[Template], spots: Blobs | None = None) -> list[Guess]:
    """Boards whose points are seen as holes, balls or stones; ``Guess.holes`` says how clearly, clearest first."""
    found = constellations(blobs(bgr) if spots is None else spots, templates)
    best = [c for c in found if c.evidence > WORTH_A_LOOK and c.evidence > found[0].evidence - 2 * COMMONPLACE]
    out = [guess for c in best[:4] if (guess := _closer(bgr, c)) is not None]
    return sorted(out, key=lambda g: -g.holes)


def hole_confidence(found: Sequence[Guess]) -> float:
    """Posterior that the first of some boards of holes is the board; 0 for none."""
    if not found:
        return 0.0
    chance = 1 / (1 + np.exp(-np.clip((found[0].holes - SURE_NATS) / NATS_SPREAD, -30, 30)))
    rivals = [np.exp(-np.clip(found[0].holes - g.holes, 0, 30)) for g in found[1:]]
    return float(chance / (1 + sum(rivals)))


def _closer(bgr: Image, found: Constellation) -> Guess | None:
    """A constellation seen from above: its points where the rims say, its strokes where there are some."""
    t = found.template
    grow = BOARD_UNIT_PX / UNIT_PX
    patch_from_template: Floats = (np.linalg.inv(unit_from_patch()) @ np.diag([grow, grow, 1])).astype(np.float64)
    image_from_template = found.image_from_template
    joints = found.joints_px
    for look in range(2):
        image_from_patch = image_from_template @ np.linalg.inv(patch_from_template)
        patch = cv.warp(bgr, image_from_patch, SIDE_PX)
        at = apply_homography(patch_from_template, t.joints)
        spacing = _spacing(at)
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
    to_image = image_from_template / image_from_template[2, 2]
    there = apply_homography(np.linalg.inv(image_from_patch).astype(np.float64), joints)
    lines, way = _lines(patch, t, there, RADII_PX[size])
    nats = min(LINE_NATS * float(lines.sum()), MOST_LINES + 0.5 * (LINE_NATS * float(lines.sum()) - MOST_LINES))
    unlined = np.log(UNLINED) - UNLINED_NATS * len(t.links)
    evidence = found.evidence + float(np.logaddexp(np.log(1 - UNLINED) + nats, unlined))
    if len(t.points_from_joints) <= FEW_POINTS:
        evidence -= COMMONPLACE
    a, b = t.links.T
    long = np.linalg.norm(joints[a] - joints[b], axis=1)
    return Guess(
        t,
        joints,
        t.points_from_joints @ joints,
        to_image,
        apply_homography(to_image, t.sample_xy),
        float((lines > 0).mean()),
        float((lines * long).sum()),
        way,
        0.0,
        evidence,
    )


def _lines(patch: Image, t: Template, joints_px: Floats, radius_px: float) -> tuple[Floats, Floats]:
    """For each link -1 for nothing to 1 for a stroke, and the direction in Lab in which strokes are bright.

    Every link is looked at as a whole: the mean profile across it shows a hair line that no single place shows.
    """
    lab = cv2.cvtColor(cv2.GaussianBlur(patch, (0, 0), 0.6), cv2.COLOR_BGR2LAB).astype(np.float32)
    a, b = joints_px[t.links[:, 0]], joints_px[t.links[:, 1]]
    long = np.linalg.norm(b - a, axis=1)
    along = (b - a) / long[:, None]
    across = np.column_stack([-along[:, 1], along[:, 0]])
    clear = np.minimum((radius_px + 2.0) / long, 0.35)
    part = clear[:, None] + np.linspace(0, 1, 24) * (1 - 2 * clear[:, None])
    on = a[:, None] + part[..., None] * (b - a)[:, None]
    steps = np.arange(-10.0, 11.0)
    at = (on[:, :, None] + steps[:, None] * across[:, None, None]).astype(np.float32)
    seen = cv2.remap(lab, at[..., 0].reshape(len(a), -1), at[..., 1].reshape(len(a), -1), cv2.INTER_LINEAR)
    profile = np.median(seen.reshape(len(a), 24, len(steps), 3), axis=1)  # (n_links, n_steps, 3)
    differs = profile[:, 3:-3] - (profile[:, :-6] + profile[:, 6:]) / 2  # against 3 px to each side
    middle = differs.shape[1] // 2
    ground = np.concatenate([differs[:, : middle - 2], differs[:, middle + 3 :]], axis=1).reshape(-1, 3)
    spread = ground.T @ ground / len(ground) + np.diag([0.5, 0.2, 0.2])
    typical = np.median(differs[:, middle - 1 : middle + 2].mean(1), axis=0)
    way = np.linalg.solve(spread, typical)
    way /= np.sqrt(max(float(way @ spread @ way), 1e-9))
    answer = differs @ way  # the ground varies by about 1 in it
    best = answer[:, middle - 1 : middle + 2].max(1)
    usual = float(np.median(best))
    # A stroke answers like the others do, bare ground like the ground beside it.
    votes_of: Floats = np.clip((best - 0.5 * max(usual, 3.0)) / (0.35 * max(usual, 3.0)), -1, 1)
    return votes_of, np.asarray(way, dtype=np.float64)


def _plane(t: Template, places: Floats, strength: Floats, sigma_px: Floats) -> Floats:
    """The homography that most middles agree on, patch_from_template."""
    weight = strength / strength.max()
    plane = fit_homography(t.joints, places, weight)
    for _ in range(6):
        off = np.linalg.norm(apply_homography(plane, t.joints) - places, axis=1) / sigma_px
        plane = fit_homography(t.joints, places, weight / (1 + off**2) ** 2 + 1e-6)
    return plane


def _spacing(xy: Floats) -> Floats:
    """Distance of each place to the nearest other one, shape (n,)."""
    apart = np.linalg.norm(xy[:, None] - xy[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return np.asarray(apart.min(1), dtype=np.float64)
