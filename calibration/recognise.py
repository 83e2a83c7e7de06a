"""Recognition of a measured table: nothing has moved, camera or board have moved, or it is another table.

The appearance of table and stones is learned here too, from the pictures of the profile.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.profile import Profile, decode_jpeg, refuse_other_size
from calibration.step_texts import Refused, phrases
from calibration.stones_step import learn_appearance
from vision.imaging.field import NotRegistered, Registration
from vision.imaging.frame import Frame, Image
from vision.stones.appearance import Appearance
from vision.tracking.follow import MIN_AGREEMENT, agreement, anchor_at, follow


@dataclass(frozen=True, eq=False)
class Recognition:
    """The result of recognising a table."""

    # "known": nothing has moved. "moved": camera or board have moved and the field was followed; step 2 should be
    # repeated. "strange": the board could not be followed
    verdict: str
    # the field as it lies now, with the point names of the profile; None when strange
    registration: Registration | None
    shift: float  # largest movement of a point, in distances to the next point

    @property
    def texts(self) -> dict[str, str]:
        """The verdict and what to do, by language."""
        return phrases(f"table.{self.verdict}", shift=f"{self.shift:.1f}")

    def __str__(self) -> str:
        return self.texts["en"]


def check_picture_size(profile: Profile, size_px: tuple[int, int]) -> None:
    """Raise Refused for a picture of another size than those of the profile: no measurement would hold in it."""
    known = profile.field.size_px if profile.field is not None else None
    known = profile.lens.lens.size_px if known is None and profile.lens is not None else known
    refuse_other_size(profile.name, known, size_px)


def recognise_table(profile: Profile, bgr: Image) -> Recognition:
    """Return whether a picture shows the table of a profile; stones and hands may cover a part of the board.

    Raises Refused when the picture has another size, or the profile has no field.
    """
    if profile.field is None:
        raise Refused("profile.no_field", name=profile.name)
    check_picture_size(profile, (bgr.shape[1], bgr.shape[0]))
    field = profile.field.field
    anchor = anchor_at(Frame(decode_jpeg(profile.field.jpeg), 0.0, 0), field)
    followed = follow(anchor, Frame(bgr, 0.0, 0))
    if isinstance(followed, NotRegistered):
        return Recognition("strange", None, float("inf"))
    if followed.moved:
        shift = np.linalg.norm(followed.field.points_px - field.points_px, axis=1) / field.spacing_px
        return Recognition("moved", Registration(followed.field, 1.0), float(shift.max()))
    gray = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    if agreement(anchor, gray, np.eye(3)) < MIN_AGREEMENT:
        return Recognition("strange", None, float("inf"))
    return Recognition("known", Registration(field, 1.0), 0.0)


def profile_appearance(profile: Profile, n_players: int) -> Appearance | None:
    """Return the appearance of table and stones from the pictures of the profile; None where it has no stones."""
    if profile.field is None or profile.stones is None or profile.stones.n_players < n_players:
        return None
    empty, bgr = decode_jpeg(profile.field.jpeg), decode_jpeg(profile.stones.jpeg)
    tops = tuple(top if top <= n_players else 0 for top in profile.stones.tops)
    return learn_appearance(bgr, profile.field.field, tops, empty, n_players)
