"""Follows the board while the camera is being placed, and grades the placement for the page."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from calibration.field_step import FieldMeasurement, find_field
from calibration.placement import grade_placement, measure_placement
from referee.board import Board
from vision.imaging.field import Field, NotRegistered
from vision.imaging.frame import Frame
from vision.imaging.lens import Lens
from vision.tracking.follow import Anchor, anchor_at, follow

PLACEMENT_INTERVAL_S = 0.3
"""Time between two grades of the placement, in seconds. Source: chosen."""

BOARD_SEARCH_INTERVAL_S = 1.5
"""Shortest time between the starts of two searches for the board, in seconds. Source: chosen."""


class PlacementTracker:
    """Keeps the board in sight: follows it from frame to frame, and searches for it in a thread where it is lost.

    Args:
        thread: Runs the searches, so that pictures go on meanwhile.

    Attributes:
        field: The field in the newest frame, where it is known.
    """

    def __init__(self, thread: ThreadPoolExecutor) -> None:
        self.field: Field | None = None
        self._thread = thread
        self._anchor: Anchor | None = None
        self._reason = ""
        self._search: Future[FieldMeasurement | NotRegistered] | None = None
        self._searched: Frame | None = None
        self._searched_s = -1e9
        self._reported_s = -1e9

    def report_now(self) -> None:
        """Have the next `update` report, however short a time ago the last report was."""
        self._reported_s = -1e9

    def update(self, frame: Frame, lens: Lens | None, boards: tuple[Board, ...] | None) -> dict[str, Any] | None:
        """Look for the board in a frame; return the grades as JSON where a report is due, else None."""
        now = time.monotonic()
        self._track(frame, lens, boards)
        if now - self._reported_s < PLACEMENT_INTERVAL_S:
            return None
        self._reported_s = now
        known = lens if lens is not None and lens.size_px == frame.size_px else None
        meters = grade_placement(measure_placement(frame.bgr, self.field, known))
        return {
            "meters": [meter.to_json() for meter in meters],
            "points": [] if self.field is None else np.round(self.field.points_px, 1).tolist(),
            "board": "" if self.field is None else self.field.board.name,
            "reason": self._reason,
            "size": list(frame.size_px),
        }

    def _track(self, frame: Frame, lens: Lens | None, boards: tuple[Board, ...] | None) -> None:
        now = time.monotonic()
        if self._search is not None and self._search.done():
            found, self._search = self._search.result(), None
            if isinstance(found, NotRegistered):
                self._reason = found.reason
            elif self._searched is not None and self._searched.size_px == frame.size_px:
                self._anchor, self.field, self._reason = anchor_at(self._searched, found.field), found.field, ""
        if self._anchor is not None and now - self._reported_s >= PLACEMENT_INTERVAL_S:
            followed = follow(self._anchor, frame)
            if isinstance(followed, NotRegistered):
                self._anchor, self.field = None, None
            else:
                self.field = followed.field
        if self._anchor is None and self._search is None and now - self._searched_s > BOARD_SEARCH_INTERVAL_S:
            self._searched, self._searched_s = frame, now
            self._search = self._thread.submit(find_field, frame.bgr, lens, boards)
