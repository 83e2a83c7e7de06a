"""States and frames in, one warning out: the camera's unrest may cost the game certainty."""

from __future__ import annotations

from languages import Message, message
from vision.imaging.frame import Frame, Image
from vision.tracking.camera_unrest import CameraUnrest, compare_frames, unrest_note
from vision.watching.state import State, Unseen

REMEMBERED_S = 60.0
"""Time for which an unrest of the camera is remembered, seconds."""


class CameraNote:
    """Compares the frames in which a camera may cost certainty: before a board is found, and looks left undecided."""

    def __init__(self) -> None:
        self._before: tuple[float, Image] | None = None  # the newest of these frames, and its time
        self._pairs: tuple[tuple[float, CameraUnrest], ...] = ()  # of two such frames each

    def after(self, state: State, frame: Frame) -> Message | None:
        """Return the one sentence on what disturbs the camera most after one more frame; None where nothing does."""
        time_s, is_unseen = frame.time_s, isinstance(state, Unseen)
        self._pairs = tuple(one for one in self._pairs if time_s - one[0] < REMEMBERED_S)
        if not is_unseen and state.belief.rest.n_looks < 2:
            self._before = None
        elif (state.motion.last_frame_s if is_unseen else state.looked_s) == time_s:
            before, self._before = self._before, (time_s, frame.bgr)
            if before is not None and before[1].shape == frame.bgr.shape:
                pair = compare_frames(before[1], frame.bgr)
                # People who move before a board is seen shift the picture, but not its light.
                self._pairs += ((time_s, pair._replace(shake_px=0.0) if is_unseen else pair),)
        return message("camera.frozen") if state.motion.is_frozen else unrest_note([pair for _, pair in self._pairs])
