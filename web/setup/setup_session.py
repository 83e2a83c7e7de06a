"""The steps of a set-up in, the profile of a table out; nothing is stored until `save`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from calibration import steps
from calibration.cameras import list_cameras
from calibration.field_step import field_corners_px, find_field, with_dragged_points
from calibration.profile import Profile, encode_jpeg
from calibration.profile_folder import ProfileFolder
from calibration.report import report_html
from calibration.step_texts import Refused
from languages import in_all_languages, message
from referee.board import Board
from referee.boards import BOARDS
from referee.typed_json import limits, line, one_of
from vision.imaging.field import NotRegistered, Registration
from vision.imaging.frame import Image, size_of
from vision.stones.separability import FIELD
from web.body_types import Corners, Place
from web.setup.setup_camera import LensResult, NewestFrame, Request, SetupCamera, WatchFor
from web.table.table_camera import TableCamera

BoardName = Annotated[str, one_of("", *BOARDS)]
UNSAID = 0.0  # where nothing is said of the field's side: null takes away what was said before


class SetupSession:
    """The setup of one table; methods may be called from any thread."""

    def __init__(self, data: Path | None = None) -> None:
        self.tables = ProfileFolder(data)
        self.camera = SetupCamera()
        self._profile = Profile("")
        self._bgr: Image | None = None  # the picture in which the field was searched
        self._registration: Registration | None = None  # the field in it
        self._side_mm: float | None = None

    # ------------------------------------------------------------ camera

    def open(self, table_camera: TableCamera, name: str) -> None:
        """Look through a source from now on, while the table's game rests; return when it has shown what it gives."""
        source = table_camera.find_source(name)
        names = list_cameras() if source.kind == "camera" else {}
        camera_part = self.camera.open(table_camera, source.place, names.get(source.name, ""))
        part = replace(camera_part, source=source.place if source.kind == "address" else source.name)
        self._profile = steps.with_camera(self._profile, part)
        self._bgr = self._registration = None
        body = {"source": source.name, "name": part.name, "size": part.size_px, "fps": round(part.fps, 1)}
        self.camera.tell_page("camera", body | {"lines": self._check_lines("camera")})

    @property
    def source(self) -> str:
        """The source that the table is looked at through; empty before the first."""
        return "" if self._profile.camera is None else self._profile.camera.source

    def leave(self) -> None:
        """Close the camera."""
        self.camera.close()

    # ------------------------------------------------------------ steps, as the page asks for them

    def watch(self, what: Literal["placement", "lens", "idle"], board: BoardName | None = None) -> None:
        """Have the camera's process look for something, on which board, as `WatchFor` has it."""
        if what == "lens":
            self.camera.send(Request.FORGET_VIEWS)
        self.camera.send(WatchFor(what, _boards_named(board), self._profile.known_lens))

    def play_film_again(self) -> None:
        """Have a film that is over begin once more."""
        self.camera.send(Request.FILM_AGAIN)

    def measure_lens(self, *, skip: bool = False) -> dict[str, Any] | None:
        """Compute the lens from the views so far, or ``skip`` it; return the check lines, or why there is no lens."""
        if skip:
            self._profile = replace(self._profile, lens=None)
            return None
        result = self.camera.request(Request.LENS, LensResult)
        if (measured := result.measured) is None:
            return {"ok": False, "texts": result.texts}
        self._profile = steps.with_lens(self._profile, measured)
        return {"ok": True, "lines": self._check_lines("lens")}

    def take_field(
        self,
        board: BoardName | None = None,
        corners: Corners | None = None,
        points: Annotated[Mapping[str, Place], limits(maxProperties=60)] | None = None,
        side_mm: Annotated[float, limits(minimum=20, maximum=5000)] | None = UNSAID,
    ) -> dict[str, Any]:
        """Find the field: in a new picture, or in the same by its corners or moved points; or take its ``side_mm``."""
        lens, boards = self._profile.known_lens, _boards_named(board)
        registration: Registration | NotRegistered | None = self._registration
        if side_mm != UNSAID:
            self._side_mm = side_mm
            if registration is None:
                return {"ok": True}
        elif points and self._bgr is not None and self._registration is not None:
            new_field = with_dragged_points(self._registration.field, dict(points))
            registration = Registration(new_field, self._registration.confidence)
        elif corners is not None and self._bgr is not None:
            same_board = None if self._registration is None else (self._registration.field.board,)
            registration = find_field(self._bgr, lens, boards or same_board, np.array(corners, np.float64))
        else:
            self._bgr, self._registration = self._newest_picture(), None
            registration = find_field(self._bgr, lens, boards)
        if isinstance(registration, NotRegistered):
            return {"ok": False, "texts": in_all_languages(message("field.none", reason=registration.reason))}
        assert registration is not None and self._bgr is not None
        self._registration, field = registration, registration.field
        self._profile = steps.with_field(self._profile, self._bgr, registration, self._side_mm)
        return {
            "ok": True,
            "board": field.board.name,
            "names": field.board.points,
            "edges": field.board.edges,
            "points": np.round(field.points_px, 1).tolist(),
            "corners": np.round(field_corners_px(field), 1).tolist(),
            "size": size_of(self._bgr),
            "lines": self._check_lines("field"),
        }

    def field_jpeg(self) -> bytes | None:
        """Return the picture that the field was found in."""
        return None if self._bgr is None else encode_jpeg(self._bgr)

    def take_stones(self, *, skip: bool = False, swap: bool = False) -> dict[str, Any] | None:
        """Read the stones that lie there now, ``swap`` whose they are, or ``skip`` them: they are learnt in play."""
        if skip:
            self._profile = replace(self._profile, stones=None)
            return None
        part = self._profile.field
        if part is None:
            raise Refused("profile.no_field", name=self._profile.name)
        if swap and self._profile.stones is not None:
            self._profile = steps.with_next_players(self._profile)
        else:
            self._profile = steps.with_stones(self._profile, self._newest_picture())
        stones = self._profile.stones
        assert stones is not None
        colours = {
            name: colour
            for pair in steps.profile_colour_pairs(self._profile)
            for name, colour in zip((pair.one, pair.other), pair.colours, strict=True)
        }
        owners = (FIELD, *(f"player {k}" for k in range(1, max(stones.tops) + 1)))
        return {
            "ok": True,
            "tops": stones.tops,
            "names": part.field.board.points,
            "points": np.round(part.field.points_px, 1).tolist(),
            "size": part.size_px,
            "colours": [colours.get(owner, "") for owner in owners],
            "lines": self._check_lines("stones"),
        }

    def check(self) -> dict[str, Any]:
        """Return the grades of all that was measured."""
        lines = steps.check_profile(self._profile)
        return {
            "lines": [{"step": line.step, "grade": line.grade, "texts": line.texts} for line in lines],
            "summary": steps.profile_summary(self._profile),
            "name": self._profile.name,
        }

    def save(self, name: Annotated[str, line(40)]) -> dict[str, Any]:
        """Keep the table under a name; return the grades."""
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        profile = replace(self._profile, name=name, saved=now)
        self.tables.save(profile)
        self._profile = profile
        return self.check()

    def report(self, language: str) -> str:
        """Return the report as one HTML file."""
        return report_html(self._profile, language)

    def _newest_picture(self) -> Image:
        return np.asarray(self.camera.request(Request.FRAME, NewestFrame).bgr, np.uint8)

    def _check_lines(self, step: str) -> list[dict[str, Any]]:
        """Return the grades of one step of the profile."""
        lines = [line for line in steps.check_profile(self._profile) if line.step == step]
        return [{"grade": line.grade, "texts": line.texts} for line in lines]


def _boards_named(name: str | None) -> tuple[Board, ...] | None:
    """Return the one board of that name in a tuple, None where no name was given."""
    return (BOARDS[name],) if name else None
