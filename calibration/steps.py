"""The steps of calibration: a profile and what was measured in, the profile with it out; each can be repeated alone.

Repeating a step drops results that no longer hold. Another camera or size drops everything that was measured in its
pictures; another field drops the stones that lay on it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from calibration.field_step import max_stone_groups
from calibration.lens_calibration import LensMeasurement
from calibration.placement import Limits, estimate_pose, grade_placement, measure_placement
from calibration.profile import CameraPart, FieldPart, Profile, StonesPart, check_picture_size, encode_jpeg
from calibration.step_texts import Refused, owner_texts, phrases
from referee.presets import find_variant, variants_on
from vision.imaging.cv import decoded
from vision.imaging.field import Registration
from vision.imaging.frame import Image, in_picture, size_of
from vision.imaging.patches import cut_patches
from vision.stones.appearance import Appearance, learn_bare, learn_points, unknown_appearance
from vision.stones.photograph_reader import GROUP_NAMES, read_photograph
from vision.stones.separability import FIELD, Separability, pairwise_separability

STEPS = ("camera", "placement", "lens", "field", "stones", "check")  # names of the steps, in order


def with_camera(profile: Profile, camera: CameraPart) -> Profile:
    """Return the profile with a camera; measurements in pictures of another size are dropped."""
    before = profile.camera
    if before is not None and before.size_px == camera.size_px:
        return replace(profile, camera=camera)
    return Profile(profile.name, camera=camera)


def with_lens(profile: Profile, measurement: LensMeasurement) -> Profile:
    """Return the profile with a lens; Refused when its pictures have another size than the camera's."""
    check_picture_size(profile, measurement.lens.size_px)
    return replace(profile, lens=measurement)


def with_placement(profile: Profile, bgr: Image) -> Profile:
    """Return the profile with the placement measured in a picture."""
    check_picture_size(profile, size_of(bgr))
    field = profile.field.field if profile.field is not None else None
    return replace(profile, placement=measure_placement(bgr, field, profile.known_lens))


def with_field(profile: Profile, bgr: Image, registration: Registration, side_mm: float | None = None) -> Profile:
    """Return the profile with the field in a picture of the empty board, and the placement measured there."""
    size_px = size_of(bgr)
    check_picture_size(replace(profile, camera=None, field=None), size_px)
    lens = profile.known_lens
    off_px = estimate_pose(registration.field, size_px, lens).off_px
    part = FieldPart(registration.field, size_px, off_px, side_mm, encode_jpeg(bgr))
    return replace(
        profile, field=part, placement=measure_placement(bgr, registration.field, lens), stones=None, habits=None
    )


def with_stones(profile: Profile, bgr: Image) -> Profile:
    """Return the profile with a picture of stones of the players on the board; the first stone is player 1's.

    Raises Refused when there are no stones, or stones of fewer colours than there are players.
    """
    if profile.field is None:
        raise Refused("profile.no_field", name=profile.name)
    check_picture_size(profile, size_of(bgr))
    registration, bare = Registration(profile.field.field, 1.0), decoded(profile.field.jpeg)
    board = registration.field.board
    reading = read_photograph(bgr, registration, bare, max_stone_groups(board))
    tops = tuple(0 if stone is None else GROUP_NAMES.index(stone) + 1 for stone in reading.stones)
    n_stones, n_players = np.count_nonzero(tops), min(find_variant(name).players for name in variants_on(board))
    if n_stones < n_players:
        raise Refused("stones.none_seen")
    if max(tops) < n_players:
        raise Refused("stones.few_colours", n=n_stones, seen=max(tops), players=n_players)
    return replace(profile, stones=StonesPart(tops, encode_jpeg(bgr)))


def with_next_players(profile: Profile) -> Profile:
    """Return the profile with the colours of its stones given to the players in the next possible way."""
    if (stones := profile.stones) is None:
        return profile
    order = tuple(dict.fromkeys(top for top in stones.tops if top))
    ways = list(itertools.permutations(sorted(order)))
    player_of = {0: 0} | dict(zip(order, ways[(ways.index(order) + 1) % len(ways)], strict=True))
    return replace(profile, stones=replace(stones, tops=tuple(player_of[top] for top in stones.tops)))


def profile_appearance(profile: Profile, n_players: int | None = None) -> Appearance | None:
    """Return the appearance of table and stones in the profile's pictures, for all players or the first ones.

    None where the profile has no stones, or too few players.
    """
    field, part = profile.field, profile.stones
    if field is None or part is None or max(part.tops) < (n_players or 0):
        return None
    n_players = n_players or max(1, *part.tops)
    tops = np.array([top if top <= n_players else 0 for top in part.tops])
    bare, stones = (cut_patches(decoded(jpeg), field.field) for jpeg in (field.jpeg, part.jpeg))
    everywhere = np.ones(len(tops), np.bool_)
    appearance = learn_bare(unknown_appearance(len(tops), n_players), bare, everywhere)
    return learn_points(appearance, stones, tops, everywhere)


def profile_colour_pairs(profile: Profile) -> tuple[Separability, ...]:
    """Return the pairs of colours that must be told apart, the most alike first; empty without stones."""
    appearance = profile_appearance(profile)
    return () if appearance is None else pairwise_separability(appearance)


DISTANCE_LIMITS = Limits(3.0, 2.0, high=True)  # distances of two colours, standard deviations: surely, usually apart
FRAME_RATE_LIMITS = Limits(20, 8, high=True)  # frames a second
LENS_LIMITS = Limits(0.3, 0.6, high=False)  # error of a lens at a width of 1280 px, px
CROOKED_LIMITS = Limits(0.08, 0.2, high=False)  # distance of the points from an ideal board, spacings
MIN_LENS_COVERAGE = 0.7  # least share of the picture in which a good lens was measured


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One line of a check: its step, its grade, and its text by language."""

    step: str
    grade: str
    texts: dict[str, str]


def check_profile(profile: Profile) -> tuple[CheckLine, ...]:
    """Return a graded line for every step of the profile, in order; a missing part says what it costs."""
    meters = () if profile.placement is None else grade_placement(profile.placement)
    placement = (CheckLine("placement", meter.grade, meter.texts) for meter in meters)
    pairs = map(_pair_line, profile_colour_pairs(profile))
    stones = (_line("stones", "fair", "no_stones"),) if profile.stones is None else pairs
    return (*_check_camera(profile.camera), *placement, *_check_lens(profile.lens), *_check_field(profile), *stones)


def _line(step: str, grade: str, key: str, **values: object) -> CheckLine:
    return CheckLine(step, grade, phrases(f"check.{key}", **values))


def _pair_line(pair: Separability) -> CheckLine:
    grade = DISTANCE_LIMITS.grade(pair.d_prime)
    one, other = (owner_texts("cloth" if name == FIELD else name) for name in (pair.one, pair.other))
    verdict = phrases(f"stones.{grade}", apart=pair.d_prime, limit=DISTANCE_LIMITS.good)
    return CheckLine("stones", grade, phrases("line", a=phrases("stones.pair", one=one, other=other), b=verdict))


def _check_camera(camera: CameraPart | None) -> Iterator[CheckLine]:
    if camera is None:
        return
    (width, height), fps = camera.size_px, camera.fps
    size = {"width": width, "height": height, "fps": round(fps)}
    if not fps:
        yield _line("camera", "good", "camera_still", **size)
        return
    yield _line("camera", FRAME_RATE_LIMITS.grade(fps), "camera", **size)
    is_fixed = {"focus", "exposure", "white_balance"} <= set(camera.settings)
    yield _line("camera", "good", "fixed") if is_fixed else _line("camera", "fair", "automatic")


def _check_lens(lens: LensMeasurement | None) -> Iterator[CheckLine]:
    if lens is None:
        yield _line("lens", "fair", "no_lens")
        return
    grade = LENS_LIMITS.grade(lens.rms_px * 1280 / lens.lens.size_px[0])
    grade = "fair" if grade == "good" and lens.coverage < MIN_LENS_COVERAGE else grade
    n_used, cover = sum(error is not None for error in lens.errors_px), round(100 * lens.coverage)
    yield _line("lens", grade, "lens", rms=lens.rms_px, n=n_used, cover=cover)


def _points_in_sight(part: FieldPart) -> dict[str, int]:
    """Return how many of the points of a field lie in the picture, and how many there are."""
    is_in_sight = in_picture(part.field.points_px, part.size_px)
    return {"seen": int(is_in_sight.sum()), "n": len(is_in_sight)}


def _check_field(profile: Profile) -> Iterator[CheckLine]:
    if (part := profile.field) is None:
        yield _line("field", "poor", "no_field")
        return
    points = _points_in_sight(part)
    yield _line("field", "good" if points["seen"] == points["n"] else "poor", "field", **points)
    share = part.off_px / float(np.median(part.field.spacing_px))
    yield _line("field", CROOKED_LIMITS.grade(share), "crooked", px=part.off_px, percent=round(100 * share))
    if part.side_mm is not None:
        pose = estimate_pose(part.field, part.size_px, profile.known_lens)
        key = "height_guess" if pose.is_guess else "height"
        yield _line("field", "good", key, cm=round(pose.height * part.side_mm / 10))


def profile_summary(profile: Profile) -> dict[str, str]:
    """Return the check in one sentence, by language: "24 of 24 points seen, stones told apart, 31 frames a second"."""
    parts: list[dict[str, str]] = []
    if profile.field is not None:
        parts.append(phrases("check.field", **_points_in_sight(profile.field)))
    if pairs := profile_colour_pairs(profile):
        parts.append(phrases("check.apart" if DISTANCE_LIMITS.grade(pairs[0].d_prime) == "good" else "check.alike"))
    if profile.camera is not None and profile.camera.fps:
        parts.append(phrases("check.fps", fps=round(profile.camera.fps)))
    if not parts:
        return phrases("check.nothing")
    return {language: ", ".join(part[language] for part in parts) for language in parts[0]}
