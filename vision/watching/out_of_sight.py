"""Points that the picture cuts off: the game is watched without them, and people are told which they are."""

from __future__ import annotations

from languages import Message, message
from vision.imaging.field import NotRegistered, Registration


def out_of_sight_note(registration: Registration | NotRegistered, size_px: tuple[int, int]) -> Message | None:
    """Return one sentence that names the points outside a picture of this size; None where all are in it."""
    if isinstance(registration, NotRegistered):
        return None
    names = registration.field.names_out_of_sight(size_px)
    return message("sight.points_outside", points=", ".join(names)) if names else None
