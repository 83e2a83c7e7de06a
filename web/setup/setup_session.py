"""The wizard: a table that is being set up, its profile as far as it has come; nothing is kept until `save`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from calibration import steps, stones_step
from calibration.cameras import list_cameras
from calibration.field_step import FieldMeasurement, field_corners_px, find_field, measure_field, with_dragged_points
from calibration.plot import plot_residuals
from calibration.profile import Profile, decode_jpeg, encode_jpeg
from calibration.profile_folder import ProfileFolder
from calibration.report import report_html
from calibration.step_texts import Refused
from languages import in_all_languages, message
from referee.layouts import BOARDS
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Image
from web.errors import MillchenError
from web.setup import camera_loop as eyes
from web.setup.camera_process import CameraTarget, SetupCamera
from web.table.source_names import parse_source


class SetupSession:
    """Setting up one table; methods may be called from any thread.

    Parameters
    ----------
    data : Path or None
        Millchen's data folder.
    look : callable
        What the process of the camera runs; tests give their own.

    Attributes
    ----------
    plot : str
        The errors of the lens as SVG; empty without one.
    camera : WizardCamera
    """

    def __init__(self, data: Path | None = None, look: CameraTarget = eyes.run_setup_camera) -> None:
        self.tables = ProfileFolder(data)
        self.camera = SetupCamera(look)
        self.plot = ""
        self._profile = Profile("")
        self._bgr: Image | None = None
        self._found: FieldMeasurement | None = None
        self._side_mm: float | None = None

    # ------------------------------------------------------------ camera

    def open(self, source: str) -> None:
        """Look through a source from now on; returns when it has shown what it gives.

        Raises
        ------
        MillchenError
            When it cannot be used.
        """
        known = parse_source(source)
        names = {str(c.number): c.name for c in list_cameras()} if known.kind == "camera" else {}
        given = self.camera.open(known.place, names.get(known.name, ""))
        part = replace(given, source=known.name)
        self._profile = steps.with_camera(self._profile, part)
        self._found = self._bgr = None
        lines = [_line(line) for line in steps.check_profile(self._profile) if line.step == "camera"]
        body = {"source": part.source, "name": part.name, "size": list(part.size_px), "fps": round(part.fps, 1)}
        self.camera.note("camera", body | {"lines": lines})

    @property
    def source(self) -> str:
        """What the table is looked at through."""
        return "" if self._profile.camera is None else self._profile.camera.source

    # ------------------------------------------------------------ steps

    def watch(self, what: str, board: str | None) -> None:
        """What the eyes are to look for."""
        boards = None if board is None else _boards(board)
        if what == "lens":
            self.camera.tell(eyes.ForgetLensViews())
        self.camera.tell(eyes.WatchFor(what, boards, steps.profile_lens(self._profile)))

    def measure_lens(self) -> dict[str, Any]:
        """The lens from the views so far."""
        done = self.camera.ask(eyes.MeasureLens(), eyes.LensResult)
        if done.measured is None:
            return {"ok": False, "texts": done.texts}
        self._profile = steps.with_lens(self._profile, done.measured)
        measured = done.measured
        self.plot = plot_residuals(measured.lens.size_px, measured.errors_px, measured.residuals)
        return {"ok": True, "lines": [_line(line) for line in steps.check_profile(self._profile) if line.step == "lens"]}

    def skip_lens(self) -> None:
        """Do without a lens."""
        self._profile = replace(self._profile, lens=None)
        self.plot = ""

    def _grab(self) -> eyes.NewestFrame:
        return self.camera.ask(eyes.SendFrame(), eyes.NewestFrame)

    def take_field(
        self,
        board: str | None,
        corners: list[tuple[float, float]] | None,
        points: Mapping[str, tuple[float, float]],
    ) -> dict[str, Any]:
        """Find the field in a new picture, or in the same one from four corners, or with points moved by hand."""
        lens = steps.profile_lens(self._profile)
        boards = None if board is None else _boards(board)
        if points and self._found is not None and self._bgr is not None:
            at = Registration(with_dragged_points(self._found.field, dict(points)), self._found.confidence)
            self._found = measure_field(at, _size(self._bgr), lens)
        elif corners is not None and self._bgr is not None:
            given = find_field(self._bgr, lens, boards or _boards_of(self._found), np.array(corners, np.float64))
            self._found = given if isinstance(given, FieldMeasurement) else self._found
        else:
            newest = self._grab()
            self._bgr = np.asarray(newest.bgr, np.uint8)
            seen = newest.field
            if seen is not None and (board is None or seen.board.name == board):
                self._found = measure_field(Registration(seen, 1.0), _size(self._bgr), lens)
            else:
                look = find_field(self._bgr, lens, boards)
                if isinstance(look, NotRegistered):
                    self._found = None
                    return {"ok": False, "texts": in_all_languages(message("field.none", reason=look.reason))}
                self._found = look
        return self._field_json()

    def _field_json(self) -> dict[str, Any]:
        assert self._found is not None and self._bgr is not None
        at: Field = self._found.field
        kept = steps.with_field(self._profile, self._bgr, self._found, self._side_mm)
        self._profile = kept
        return {
            "ok": True,
            "board": at.board.name,
            "names": list(at.board.points),
            "edges": [list(edge) for edge in at.board.edges],
            "points": np.round(at.points_px, 1).tolist(),
            "corners": np.round(field_corners_px(at), 1).tolist(),
            "size": list(_size(self._bgr)),
            "lines": [_line(line) for line in steps.check_profile(kept) if line.step == "field"],
        }

    def set_side(self, side_mm: float | None) -> dict[str, Any]:
        """How long a side of the field is."""
        self._side_mm = side_mm
        return self._field_json() if self._found is not None else {"ok": True}

    def frozen(self) -> bytes | None:
        """The picture that the field is shown in."""
        return None if self._bgr is None else encode_jpeg(self._bgr)

    def take_stones(self, swap: bool, n_players: int) -> dict[str, Any]:
        """Read the stones that lie there now; ``swap`` gives each player the other's."""
        part = self._profile.field
        if part is None:
            raise Refused("profile.no_field", name=self._profile.name)
        if swap and self._profile.stones is not None:
            stones_now = self._profile.stones
            tops = tuple(top if top == 0 else stones_now.n_players + 1 - top for top in stones_now.tops)
            self._profile = replace(self._profile, stones=replace(stones_now, tops=tops))
        else:
            bgr = np.asarray(self._grab().bgr, np.uint8)
            tops = stones_step.read_stones(bgr, part.field, decode_jpeg(part.jpeg), n_players)
            self._profile = steps.with_stones(self._profile, bgr, tops, n_players)
        pairs = steps.profile_colour_pairs(self._profile)
        seen = {who: colour for pair in pairs for who, colour in zip((pair.one, pair.other), pair.colours, strict=True)}
        return {
            "ok": True,
            "tops": list(tops),
            "names": list(part.field.board.points),
            "points": np.round(part.field.points_px, 1).tolist(),
            "size": list(part.size_px),
            "colours": [seen.get(k, "") for k in range(n_players + 1)],
            "lines": [{"grade": pair.grade, "texts": pair.texts} for pair in pairs],
        }

    def skip_stones(self) -> None:
        """Let the stones be learnt while playing."""
        self._profile = replace(self._profile, stones=None)

    def check(self) -> dict[str, Any]:
        """Everything that was measured, judged."""
        lines = steps.check_profile(self._profile)
        return {
            "lines": [{"step": line.step, **_line(line)} for line in lines],
            "summary": steps.profile_summary(self._profile),
            "name": self._profile.name,
        }

    def save(self, name: str) -> dict[str, Any]:
        """Keep the table under a name."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        profile = replace(self._profile, name=name, saved=now)
        self.tables.save(profile)
        self._profile = profile
        return self.check()

    def report(self, language: str) -> str:
        """The report as a file of its own."""
        return report_html(self._profile, language)


def _line(line: steps.CheckLine) -> dict[str, Any]:
    return {"grade": line.grade, "texts": line.texts}


def _boards(name: str) -> tuple[Any, ...]:
    if name not in BOARDS:
        raise MillchenError(message("game.no_board", board=repr(name)))
    return (BOARDS[name],)


def _boards_of(seen: FieldMeasurement | None) -> tuple[Any, ...] | None:
    return None if seen is None else (seen.field.board,)


def _size(bgr: Image) -> tuple[int, int]:
    return bgr.shape[1], bgr.shape[0]
