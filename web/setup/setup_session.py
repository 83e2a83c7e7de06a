"""The setup of one table: its profile as far as it has come, and its field; nothing is stored until `save`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from calibration import steps, stones_step
from calibration.cameras import list_cameras
from calibration.field_step import FieldMeasurement, field_corners_px, find_field, measure_field, with_dragged_points
from calibration.profile import Profile, decode_jpeg, encode_jpeg
from calibration.profile_folder import ProfileFolder
from calibration.report import plot_residuals, report_html
from calibration.step_texts import Refused
from languages import in_all_languages, message
from referee.board import Board
from referee.boards import BOARDS
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Image
from vision.imaging.lens import Lens
from web.errors import MillchenError
from web.setup.camera_loop import Ask, LensResult, NewestFrame, WatchFor
from web.setup.setup_camera import SetupCamera
from web.table.source_names import Source


class FieldSelection:
    """The picture that a field was searched in, and the field."""

    def __init__(self) -> None:
        self.bgr: Image | None = None
        self.found: FieldMeasurement | None = None

    def clear(self) -> None:
        """Forget picture and field: the camera is another one."""
        self.bgr = self.found = None

    def drag_points(self, points: Mapping[str, tuple[float, float]], lens: Lens | None) -> bool:
        """Move points of the field by hand; return False where there is no field yet."""
        if self.bgr is None or self.found is None:
            return False
        moved = Registration(with_dragged_points(self.found.field, dict(points)), self.found.confidence)
        self.found = measure_field(moved, _size_px(self.bgr), lens)
        return True

    def use_corners(
        self, corners: Sequence[tuple[float, float]], boards: tuple[Board, ...] | None, lens: Lens | None
    ) -> bool:
        """Place the field by its four corners where one fits them; return False where there is no picture yet."""
        if self.bgr is None:
            return False
        known = None if self.found is None else (self.found.field.board,)
        given = find_field(self.bgr, lens, boards or known, np.array(corners, np.float64))
        self.found = given if isinstance(given, FieldMeasurement) else self.found
        return True

    def find(
        self, bgr: Image, seen: Field | None, boards: tuple[Board, ...] | None, lens: Lens | None
    ) -> dict[str, str] | None:
        """Find the field in a picture, or take the one ``seen`` on a wanted board; return why not, by language."""
        self.bgr = bgr
        if seen is not None and (boards is None or seen.board.name in {board.name for board in boards}):
            self.found = measure_field(Registration(seen, 1.0), _size_px(bgr), lens)
            return None
        given = find_field(bgr, lens, boards)
        if isinstance(given, NotRegistered):
            self.found = None
            return in_all_languages(message("field.none", reason=given.reason))
        self.found = given
        return None

    def to_json(self) -> dict[str, Any]:
        """Return the field for the page."""
        assert self.found is not None and self.bgr is not None
        field = self.found.field
        return {
            "board": field.board.name,
            "names": list(field.board.points),
            "edges": [list(edge) for edge in field.board.edges],
            "points": np.round(field.points_px, 1).tolist(),
            "corners": np.round(field_corners_px(field), 1).tolist(),
            "size": list(_size_px(self.bgr)),
        }


def boards_named(name: str | None) -> tuple[Board, ...] | None:
    """Return the one board of that name in a tuple, None where no name was given."""
    if name is None:
        return None
    if name not in BOARDS:
        raise MillchenError(message("game.no_board", board=repr(name)))
    return (BOARDS[name],)


def _size_px(bgr: Image) -> tuple[int, int]:
    return bgr.shape[1], bgr.shape[0]


class SetupSession:
    """The setup of one table; methods may be called from any thread. ``lens_plot`` is the lens's residuals as SVG."""

    def __init__(self, data: Path | None = None) -> None:
        self.tables = ProfileFolder(data)
        self.camera = SetupCamera()
        self.lens_plot = ""
        self._profile = Profile("")
        self._field = FieldSelection()
        self._side_mm: float | None = None

    # ------------------------------------------------------------ camera

    def open(self, source: Source) -> None:
        """Look through a source from now on; return when it has shown what it gives."""
        names = {str(c.number): c.name for c in list_cameras()} if source.kind == "camera" else {}
        given = self.camera.open(source.place, names.get(source.name, ""))
        part = replace(given, source=source.place if source.kind == "address" else source.name)
        self._profile = steps.with_camera(self._profile, part)
        self._field.clear()
        body = {"source": source.name, "name": part.name, "size": list(part.size_px), "fps": round(part.fps, 1)}
        self.camera.add_update("camera", body | {"lines": self._check_lines("camera")})

    @property
    def source(self) -> str:
        """The source that the table is looked at through; empty before the first."""
        return "" if self._profile.camera is None else self._profile.camera.source

    # ------------------------------------------------------------ steps

    def watch(self, what: str, board: str | None) -> None:
        """Have the camera's process look for something, as `WatchFor` has it."""
        boards = boards_named(board)
        if what == "lens":
            self.camera.send(Ask.FORGET_VIEWS)
        self.camera.send(WatchFor(what, boards, steps.profile_lens(self._profile)))

    def measure_lens(self) -> dict[str, Any]:
        """Compute the lens from the views so far; return the check lines, or why there is no lens."""
        result = self.camera.request(Ask.LENS, LensResult)
        if result.measured is None:
            return {"ok": False, "texts": result.texts}
        self._profile = steps.with_lens(self._profile, result.measured)
        measured = result.measured
        self.lens_plot = plot_residuals(measured.lens.size_px, measured.errors_px, measured.residuals)
        return {"ok": True, "lines": self._check_lines("lens")}

    def skip_lens(self) -> None:
        """Do without a lens."""
        self._profile = replace(self._profile, lens=None)
        self.lens_plot = ""

    def take_field(
        self,
        board: str | None,
        corners: list[tuple[float, float]] | None,
        points: Mapping[str, tuple[float, float]],
    ) -> dict[str, Any]:
        """Return the field, or why it was not found: in a new picture, or in the same by corners or points in px."""
        lens = steps.profile_lens(self._profile)
        boards = boards_named(board)
        is_taken = bool(points) and self._field.drag_points(points, lens)
        is_taken = is_taken or (corners is not None and self._field.use_corners(corners, boards, lens))
        if not is_taken:
            newest = self._newest_frame()
            reasons = self._field.find(np.asarray(newest.bgr, np.uint8), newest.field, boards, lens)
            if reasons is not None:
                return {"ok": False, "texts": reasons}
        return self._field_json()

    def set_side(self, side_mm: float | None) -> dict[str, Any]:
        """Set the length of a side of the field, in millimetres."""
        self._side_mm = side_mm
        return self._field_json() if self._field.found is not None else {"ok": True}

    def field_jpeg(self) -> bytes | None:
        """Return the picture that the field was found in."""
        return None if self._field.bgr is None else encode_jpeg(self._field.bgr)

    def take_stones(self, swap: bool, n_players: int) -> dict[str, Any]:
        """Read the stones that lie there now; ``swap`` exchanges the players of the stones read before."""
        part = self._profile.field
        if part is None:
            raise Refused("profile.no_field", name=self._profile.name)
        if swap and self._profile.stones is not None:
            before = self._profile.stones
            tops = tuple(top if top == 0 else before.n_players + 1 - top for top in before.tops)
            self._profile = replace(self._profile, stones=replace(before, tops=tops))
        else:
            bgr = np.asarray(self._newest_frame().bgr, np.uint8)
            tops = stones_step.read_stones(bgr, part.field, decode_jpeg(part.jpeg), n_players)
            self._profile = steps.with_stones(self._profile, bgr, tops, n_players)
        pairs = steps.profile_colour_pairs(self._profile)
        colours = {
            player: colour
            for pair in pairs
            for player, colour in zip((pair.one, pair.other), pair.colours, strict=True)
        }
        return {
            "ok": True,
            "tops": list(tops),
            "names": list(part.field.board.points),
            "points": np.round(part.field.points_px, 1).tolist(),
            "size": list(part.size_px),
            "colours": [colours.get(k, "") for k in range(n_players + 1)],
            "lines": [{"grade": pair.grade, "texts": pair.texts} for pair in pairs],
        }

    def skip_stones(self) -> None:
        """Have the stones learnt while playing."""
        self._profile = replace(self._profile, stones=None)

    def check(self) -> dict[str, Any]:
        """Return the grades of all that was measured."""
        lines = steps.check_profile(self._profile)
        return {
            "lines": [{"step": line.step, "grade": line.grade, "texts": line.texts} for line in lines],
            "summary": steps.profile_summary(self._profile),
            "name": self._profile.name,
        }

    def save(self, name: str) -> dict[str, Any]:
        """Store the table under a name; return the grades."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        profile = replace(self._profile, name=name, saved=now)
        self.tables.save(profile)
        self._profile = profile
        return self.check()

    def report(self, language: str) -> str:
        """Return the report as one HTML file."""
        return report_html(self._profile, language)

    def _newest_frame(self) -> NewestFrame:
        return self.camera.request(Ask.FRAME, NewestFrame)

    def _field_json(self) -> dict[str, Any]:
        """Take the field into the profile; return it for the page."""
        assert self._field.found is not None and self._field.bgr is not None
        self._profile = steps.with_field(self._profile, self._field.bgr, self._field.found, self._side_mm)
        return {"ok": True, **self._field.to_json(), "lines": self._check_lines("field")}

    def _check_lines(self, step: str) -> list[dict[str, Any]]:
        """Return the grades of one step of the profile."""
        lines = [line for line in steps.check_profile(self._profile) if line.step == step]
        return [{"grade": line.grade, "texts": line.texts} for line in lines]
