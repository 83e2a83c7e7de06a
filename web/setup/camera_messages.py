"""Messages between the setup page's side and the process of its camera; both ends send them through a pipe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from calibration.lens_calibration import LensMeasurement
from calibration.profile import CameraPart
from referee.board import Board
from vision.imaging.field import Field
from vision.imaging.lens import Lens

# ---------------------------------------------------------------- commands: to the process of the camera


@dataclass(frozen=True, slots=True)
class WatchFor:
    """Look for something from now on.

    Attributes:
        what: "placement" (meters and the board), "lens" (the printed target) or "idle" (pictures only).
        boards: Boards that may be there; None is any.
        lens: The camera's lens, where it is known.
    """

    what: str
    boards: tuple[Board, ...] | None = None
    lens: Lens | None = None


@dataclass(frozen=True, slots=True)
class SendSetupPicture:
    """Send one more picture."""


@dataclass(frozen=True, slots=True)
class SendFrame:
    """Send the newest frame as it is, and the field in it where it is known."""


@dataclass(frozen=True, slots=True)
class PlayFilmAgain:
    """Begin a film that is over once more."""


@dataclass(frozen=True, slots=True)
class MeasureLens:
    """Compute the lens from the views collected so far."""


@dataclass(frozen=True, slots=True)
class ForgetLensViews:
    """Drop the views collected so far."""


# ---------------------------------------------------------------- messages: from the process of the camera


@dataclass(frozen=True, slots=True)
class SetupPicture:
    """A picture to show."""

    jpeg: bytes
    size_px: tuple[int, int]


@dataclass(frozen=True, slots=True)
class CameraOpened:
    """The camera is open; ``camera`` is what it really gives."""

    camera: CameraPart


@dataclass(frozen=True, slots=True)
class PageUpdate:
    """News for the page as JSON; ``kind`` is "placement", "lens" or "film"."""

    kind: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class NewestFrame:
    """A frame as it is, and the field in it where it is known."""

    bgr: Any
    field: Field | None


@dataclass(frozen=True, slots=True)
class LensResult:
    """A lens, or why there is none, by language."""

    measured: LensMeasurement | None
    texts: dict[str, str]


@dataclass(frozen=True, slots=True)
class CameraGone:
    """The source has ended or cannot be used."""

    reason: str
