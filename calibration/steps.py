"""The steps of calibration as functions from profile to profile; each can be repeated alone.

Repeating a step drops results that no longer hold. Another camera or size drops everything that was measured in its
pictures; another field drops the stones that lay on it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from calibration import placement as meters
from calibration import stones_step
from calibration.lens_calibration import LensMeasurement
from calibration.placement import estimate_pose
from calibration.profile import (
    CameraPart,
    FieldPart,
    Profile,
    StonesPart,
    check_picture_size,
    decode_jpeg,
    encode_jpeg,
    refuse_other_size,
)
from calibration.step_texts import Refused, phrases
from vision.imaging.field import Registration
from vision.imaging.frame import Image, in_picture
from vision.imaging.lens import Lens
from vision.stones.appearance import Appearance

STEPS = ("camera", "placement", "lens", "field", "stones", "check")  # names of the steps, in order


def with_camera(profile: Profile, camera: CameraPart) -> Profile:
    """Return the profile with a camera; measurements in pictures of another size are dropped."""
    before = profile.camera
    if before is not None and before.size_px == camera.size_px:
        return replace(profile, camera=camera)
    return Profile(profile.name, camera=camera)


def profile_lens(profile: Profile) -> Lens | None:
    """Return the lens; None where it was not measured."""
    return profile.lens.lens if profile.lens is not None else None


def with_lens(profile: Profile, measured: LensMeasurement) -> Profile:
    """Return the profile with a lens; Refused when its pictures have another size than the camera's."""
    refuse_other_size(profile.name, profile.camera.size_px if profile.camera else None, measured.lens.size_px)
    return replace(profile, lens=replace(measured, residuals=()))


def with_placement(profile: Profile, bgr: Image) -> Profile:
    """Return the profile with the placement measured in a picture."""
    check_picture_size(profile, (bgr.shape[1], bgr.shape[0]))
    field = profile.field.field if profile.field is not None else None
    return replace(profile, placement=meters.measure_placement(bgr, field, profile_lens(profile)))


def with_field(profile: Profile, bgr: Image, found: Registration, side_mm: float | None = None) -> Profile:
    """Return the profile with the field in a picture of the empty board, and the placement measured there."""
    size_px = bgr.shape[1], bgr.shape[0]
    lens = profile_lens(profile)
    refuse_other_size(profile.name, lens.size_px if lens else None, size_px)
    off_px = estimate_pose(found.field, size_px, lens).off_px
    part = FieldPart(found.field, size_px, off_px, side_mm, encode_jpeg(bgr))
    return replace(
        profile, field=part, placement=meters.measure_placement(bgr, found.field, lens), stones=None, habits=None
    )


def with_stones(profile: Profile, bgr: Image, tops: tuple[int, ...], n_players: int) -> Profile:
    """Return the profile with a picture of the stones of the players on the board."""
    if profile.field is None:
        raise Refused("profile.no_field", name=profile.name)
    check_picture_size(profile, (bgr.shape[1], bgr.shape[0]))
    return replace(profile, stones=StonesPart(tops, n_players, encode_jpeg(bgr)))


def profile_appearance(profile: Profile, n_players: int | None = None) -> Appearance | None:
    """Return the appearance of table and stones in the profile's pictures, for all players or the first ones.

    None where the profile has no stones, or too few players.
    """
    field, part = profile.field, profile.stones
    if field is None or part is None or part.n_players < (n_players or 0):
        return None
    n_players = n_players or max(part.n_players, *part.tops)
    tops = tuple(top if top <= n_players else 0 for top in part.tops)
    bgr, empty = decode_jpeg(part.jpeg), decode_jpeg(field.jpeg)
    return stones_step.learn_appearance(bgr, field.field, tops, empty, n_players)


def profile_colour_pairs(profile: Profile) -> tuple[stones_step.ColourPair, ...]:
    """Return the pairs of colours that must be told apart, the most alike first; empty without stones."""
    seen = profile_appearance(profile)
    return () if seen is None else stones_step.colour_pairs(seen)


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One line of a check: its step, its grade, and its text by language."""

    step: str
    grade: str
    texts: dict[str, str]


def check_profile(profile: Profile) -> tuple[CheckLine, ...]:
    """Return a graded line for every step of the profile, in order; a missing part says what it costs."""
    lines: list[CheckLine] = []
    camera, lens, field = profile.camera, profile.lens, profile.field
    if camera is not None:
        (w, h), fps = camera.size_px, camera.fps
        key = "check.camera" if fps else "check.camera_still"
        grade = "good" if not fps or fps >= 20 else "fair" if fps >= 8 else "poor"
        lines.append(CheckLine("camera", grade, phrases(key, width=w, height=h, fps=f"{fps:.0f}")))
        kinds = ("focus", "exposure", "white_balance")
        if fps:
            key = "check.fixed" if all(k in camera.settings for k in kinds) else "check.automatic"
            lines.append(CheckLine("camera", "good" if key == "check.fixed" else "fair", phrases(key)))
    if profile.placement is not None:
        lines += [CheckLine("placement", m.grade, m.texts) for m in meters.grade_placement(profile.placement)]
    if lens is None:
        lines.append(CheckLine("lens", "fair", phrases("check.no_lens")))
    else:
        per_1280 = lens.rms_px * 1280 / lens.lens.size_px[0]
        grade = "good" if per_1280 < 0.3 and lens.coverage >= 0.7 else "fair" if per_1280 < 0.6 else "poor"
        used = sum(e == e for e in lens.errors_px)
        values = {"rms": f"{lens.rms_px:.2f}", "n": used, "cover": f"{100 * lens.coverage:.0f}"}
        lines.append(CheckLine("lens", grade, phrases("check.lens", **values)))
    if field is None:
        lines.append(CheckLine("field", "poor", phrases("check.no_field")))
    else:
        n, seen = len(field.field.points_px), int(in_picture(field.field.points_px, field.size_px).sum())
        lines.append(CheckLine("field", "good" if n == seen else "poor", phrases("check.field", seen=seen, n=n)))
        pose = estimate_pose(field.field, field.size_px, profile_lens(profile))
        share = field.off_px / float(np.median(field.field.spacing_px))
        grade = "good" if share < 0.08 else "fair" if share < 0.2 else "poor"
        values = {"px": f"{field.off_px:.1f}", "percent": f"{100 * share:.0f}"}
        lines.append(CheckLine("field", grade, phrases("check.crooked", **values)))
        if field.side_mm is not None:
            key = "check.height_guess" if pose.is_guess else "check.height"
            cm = f"{pose.height * field.side_mm / 10:.0f}"
            lines.append(CheckLine("field", "good", phrases(key, cm=cm)))
    if profile.stones is None:
        lines.append(CheckLine("stones", "fair", phrases("check.no_stones")))
    else:
        lines += [CheckLine("stones", pair.grade, pair.texts) for pair in profile_colour_pairs(profile)]
    return tuple(lines)


def profile_summary(profile: Profile) -> dict[str, str]:
    """Return the check in one sentence, by language: "24 of 24 points seen, stones told apart, 31 frames a second"."""
    parts: list[dict[str, str]] = []
    if profile.field is not None:
        is_seen = in_picture(profile.field.field.points_px, profile.field.size_px)
        parts.append(phrases("check.field", seen=int(is_seen.sum()), n=len(is_seen)))
    pairs = profile_colour_pairs(profile)
    if pairs:
        parts.append(phrases("check.apart" if pairs[0].grade == "good" else "check.alike"))
    if profile.camera is not None and profile.camera.fps:
        parts.append(phrases("check.fps", fps=f"{profile.camera.fps:.0f}"))
    if not parts:
        return phrases("check.nothing")
    return {language: ", ".join(part[language] for part in parts) for language in parts[0]}
