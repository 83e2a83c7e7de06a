"""The profile of a table and a picture in, whether the table lies there and where out; a session begins with it.

The pictures of the profile teach the appearance of table and stones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from calibration.field_step import find_field
from calibration.profile import Profile, check_picture_size
from calibration.profile_folder import ProfileFolder
from calibration.step_texts import Refused, phrases
from calibration.steps import profile_appearance
from referee.board import Board
from referee.events import Event
from referee.presets import PRESETS, find_variant
from vision.imaging.cv import decoded
from vision.imaging.field import NotRegistered, Registration
from vision.imaging.frame import Frame, Image, size_of
from vision.tracking.follow import MIN_AGREEMENT, Anchor, agreement, follow
from vision.watching.field_search import take_field
from vision.watching.state import State, TableSetup


@dataclass(frozen=True, eq=False)
class Recognition:
    """The result of recognising a table."""

    verdict: str  # "known": nothing has moved; "moved": camera or board have, and were followed; "strange": neither
    registration: Registration | None = None  # the field as it lies now, its points named as the profile's
    shift: float = 0.0  # largest movement of a point, in distances to the next point

    @property
    def texts(self) -> dict[str, str]:
        """The verdict and what to do, by language."""
        return phrases(f"table.{self.verdict}", shift=self.shift)


def recognise_table(profile: Profile, bgr: Image) -> Recognition:
    """Compare a picture with the table of a profile; stones and hands may cover a part of the board.

    Raises Refused when the picture has another size, or the profile has no field.
    """
    if profile.field is None:
        raise Refused("profile.no_field", name=profile.name)
    check_picture_size(profile, size_of(bgr))
    field = profile.field.field
    anchor = Anchor(decoded(profile.field.jpeg), field)
    track = follow(anchor, Frame(bgr, 0.0, 0))
    if isinstance(track, NotRegistered):
        return Recognition("strange")
    if track.moved:
        shift = np.linalg.norm(track.field.points_px - field.points_px, axis=1) / field.spacing_px
        return Recognition("moved", Registration(track.field, 1.0), float(shift.max()))
    gray = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    is_there = agreement(anchor, gray, np.eye(3)) >= MIN_AGREEMENT
    return Recognition("known", Registration(field, 1.0)) if is_there else Recognition("strange")


@dataclass(frozen=True, eq=False)
class KnownTable:
    """A measured table, ready for a game."""

    profile: Profile

    @property
    def source(self) -> str | None:
        """The source of its pictures; None where no camera was measured."""
        return self.profile.camera.source if self.profile.camera is not None else None

    @property
    def settings(self) -> Mapping[str, float]:
        """Locked values of focus, exposure and white balance; empty where the driver kept them automatic."""
        return self.profile.camera.settings if self.profile.camera is not None else {}

    def equipped(self, table: TableSetup) -> TableSetup:
        """Return the table with its known lens and habits."""
        own = self.profile.habits
        return replace(table, lens=self.profile.known_lens, habits=None if own is None else own.habits)

    @property
    def game(self) -> str:
        """The first of the games that are played on its board; empty without a field."""
        board = self.profile.field.field.board if self.profile.field is not None else None
        return next((name for name in PRESETS if board is not None and find_variant(name).board == board), "")

    def find_field(
        self, bgr: Image, boards: Sequence[Board] | None
    ) -> tuple[Registration | NotRegistered, Image | None]:
        """Return the field of the table in a picture, and a picture without stones where nothing has moved since.

        Where the field has moved too far to be followed, it is searched for as on any table.

        Raises Refused when the picture has another size than the profile's.
        """
        check_picture_size(self.profile, size_of(bgr))
        part = self.profile.field
        # A board of the same name is meant, whatever its number of holes.
        if part is not None and (boards is None or part.field.board.name in {board.name for board in boards}):
            recognition = recognise_table(self.profile, bgr)
            if recognition.registration is not None:
                return recognition.registration, decoded(part.jpeg) if recognition.verdict == "known" else None
        return find_field(bgr, self.profile.known_lens, boards), None

    def begin(
        self, state: State, frame: Frame, table: TableSetup
    ) -> tuple[State, tuple[Event, ...], Recognition | None]:
        """Apply the profile to the first frame of a session; no ``Recognition`` without a known field.

        Where the field has moved too far to be followed, it is left to the usual search. Raises Refused when the frame
        has another size than the pictures of the profile, or the profile is of another board.
        """
        check_picture_size(self.profile, frame.size_px)
        part = self.profile.field
        if part is None:
            return state, (), None
        own = part.field.board
        try:
            has_room = state.game.on_board(own).position.board == own
        except ValueError:  # more holes than the game may have
            has_room = False
        if not has_room:
            text, *others = dict.fromkeys(map(_board_text, (own, *table.boards)))
            raise Refused("profile.board", name=self.profile.name, board=text, wanted=", ".join(others))
        recognition = recognise_table(self.profile, frame.bgr)
        if recognition.registration is None:
            return state, (), recognition
        appearance = profile_appearance(self.profile, state.game.variant.players)
        if appearance is not None and len(appearance.bare_counts) == len(state.appearance.bare_counts):
            state = replace(state, appearance=appearance)
        state, events = take_field(state, frame, recognition.registration)
        return state, events, recognition


def _board_text(board: Board) -> str:
    return board.name + (f" ({len(board.rings)} x {len(board.rings[0])})" if board.rings else "")


def load_known_table(name: str, data: Path | None = None) -> KnownTable:
    """Return the measured table of a name, from Millchen's data folder or another one.

    Raises Refused when it is unknown or cannot be used.
    """
    return KnownTable(ProfileFolder(data).load(name))


def candidate_tables(tables: ProfileFolder, name: str | None, source: str) -> tuple[KnownTable, ...]:
    """Return the table of a name; without one, all readable tables that were measured through a source."""
    if name is not None:
        return (KnownTable(tables.load(name)),)
    candidates = []
    for stored_name in tables.names():
        with suppress(Refused):
            profile = tables.load(stored_name)
            if profile.camera is not None and source in (profile.camera.source, profile.camera.public_source):
                candidates.append(KnownTable(profile))
    return tuple(candidates)


def begin_with_known_table(
    tables: Sequence[KnownTable], state: State, frame: Frame, table: TableSetup
) -> tuple[State, tuple[Event, ...], TableSetup, Mapping[str, str]]:
    """Apply the known table that lies in the first frame of a session.

    With the table comes the lens that was measured with this camera; the texts by language are empty where none fits.
    """
    note: Mapping[str, str] = {}
    for candidate in tables:
        with_lens = replace(table, lens=candidate.profile.known_lens or table.lens)
        try:
            after, events, recognition = candidate.begin(state, frame, with_lens)
        except Refused:
            continue  # another board or size: not this table
        table = with_lens
        if recognition is not None and recognition.registration is not None:
            return after, events, replace(candidate.equipped(table), lens=table.lens), recognition.texts
        note = note if recognition is None else recognition.texts
    return state, (), table, note
