"""What several searches of one picture have in common: its playing areas, views and heatmaps of them, and its blobs.

Who names a board has it searched for alone first, and then among all others: nothing is computed twice for that.
"""

from __future__ import annotations

from functools import cached_property

from vision.detection.blobs import detect_blobs
from vision.detection.board_hypotheses import AreaView
from vision.detection.disc_detection import area_heatmap
from vision.detection.hole_layout import BlobPattern
from vision.detection.playing_areas import (
    Contours,
    PlayingArea,
    completed_areas,
    distinct_areas,
    find_contours,
    find_playing_areas,
    whole_picture_areas,
)
from vision.imaging import cv
from vision.imaging.frame import Float32Array, Image

MAX_PLAYING_AREAS = 4
"""Playing areas that are searched before the whole picture."""

MAX_COMPLETED_AREAS = 1
"""Playing areas that the picture cuts off, and that are searched as they go on beyond it."""

MAX_SMALL_AREAS = 2
"""Small things that are searched where no board is found."""

MAX_SEARCHED_SIDE_PX = 1600
"""Longest side of the picture that is searched, px; a larger one is reduced first. Patches of boards are 224 px
wide."""


def reduced_picture(bgr: Image) -> Image:
    """Return the picture that is searched: no side is longer than ``MAX_SEARCHED_SIDE_PX``."""
    return cv.shrink(bgr, MAX_SEARCHED_SIDE_PX / max(bgr.shape[:2]))


class SharedSearch:
    """One picture with what its searches share; each part is computed when it is first asked for."""

    def __init__(self, bgr: Image) -> None:
        self._bgr = bgr
        self._views: dict[PlayingArea, AreaView] = {}
        self._heat: dict[PlayingArea, Float32Array] = {}

    @cached_property
    def _contours(self) -> Contours:
        """The contours of the things in the picture."""
        return find_contours(self._bgr)

    @cached_property
    def areas(self) -> list[PlayingArea]:
        """The playing areas, the most promising first."""
        return find_playing_areas(self._bgr, contours=self._contours)[:MAX_PLAYING_AREAS]

    @cached_property
    def whole(self) -> list[PlayingArea]:
        """The areas of the whole picture."""
        return whole_picture_areas(self._bgr)

    @cached_property
    def to_search(self) -> list[PlayingArea]:
        """The areas that are searched, in this order."""
        outlined = [*self.areas, *completed_areas(self.areas)[:MAX_COMPLETED_AREAS]]
        return [*outlined, *distinct_areas(self.whole, outlined)]

    @cached_property
    def small(self) -> list[PlayingArea]:
        """Things that are too small for a playing area."""
        return find_playing_areas(self._bgr, MAX_SMALL_AREAS, small_things=True, contours=self._contours)

    @cached_property
    def blobs(self) -> BlobPattern:
        """The blobs of the picture."""
        return BlobPattern(detect_blobs(self._bgr))

    def view(self, area: PlayingArea) -> AreaView:
        """Return a playing area seen from above."""
        if area not in self._views:
            self._views[area] = AreaView(self._bgr, area)
        return self._views[area]

    def heat(self, area: PlayingArea) -> Float32Array:
        """Return the heatmap of holes in a playing area seen from above."""
        if area not in self._heat:
            self._heat[area] = area_heatmap(self._bgr, area)
        return self._heat[area]
