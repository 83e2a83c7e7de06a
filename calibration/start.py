"""Begin with a table that is known: its lens, its field under its own names, and the looks of its stones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from calibration.profile import Profile, decode
from calibration.profile_folder import Tables
from calibration.recognise import Recognised, check_size, looks_of, recognise
from calibration.step_texts import Refused
from calibration.steps import lens_of
from referee.board import Board
from referee.events import Event
from referee.game import Game
from referee.presets import PRESETS, find_variant
from vision.detection.detect import locate
from vision.imaging.field import NotRegistered, Registration
from vision.imaging.frame import Frame, Image
from vision.imaging.lens import Lens, register_through_lens
from vision.state import State, Table, on_board
from vision.table_tracking import take_field


@dataclass(frozen=True, eq=False)
class KnownTable:
    """A table that was measured, as whoever referees it needs it.

    Attributes
    ----------
    profile : Profile
    """

    profile: Profile

    @property
    def lens(self) -> Lens | None:
        """The camera's lens, where it was measured."""
        return lens_of(self.profile)

    @property
    def source(self) -> str | None:
        """Where its pictures come from."""
        return self.profile.camera.source if self.profile.camera is not None else None

    @property
    def settings(self) -> Mapping[str, float]:
        """Focus, exposure and white balance as they were fixed; empty where the driver kept them automatic."""
        return self.profile.camera.settings if self.profile.camera is not None else {}

    @property
    def game(self) -> str:
        """The first of the games that are played on its board; empty without a field."""
        board = self.profile.field.field.board if self.profile.field is not None else None
        return next((name for name in PRESETS if board is not None and find_variant(name).board == board), "")

    def look(self, bgr: Image, boards: Sequence[Board] | None) -> tuple[Registration | NotRegistered, Image | None]:
        """Its field in a single picture, and the same table without stones where all is where it was.

        Where the field is not where it was, it is searched for through the lens as on any table.

        Raises
        ------
        Refused
            When the picture has another size than the profile's.
        """
        check_size(self.profile, (bgr.shape[1], bgr.shape[0]))
        known = self.profile.field
        # A board of the same name is meant, whatever its number of holes.
        if known is not None and (boards is None or known.field.board.name in {board.name for board in boards}):
            seen = recognise(self.profile, bgr)
            if seen.registration is not None:
                return seen.registration, decode(known.jpeg) if seen.verdict == "known" else None
        return register_through_lens(self.lens, bgr, partial(locate, boards=boards)), None

    def begin(self, state: State, frame: Frame, table: Table) -> tuple[State, tuple[Event, ...], Recognised | None]:
        """Take up what is known of a table in the first frame of a session.

        Where the field is not where it was, the eyes search for it as they would for any.

        Returns
        -------
        State
        tuple of Event
        Recognised or None
            What became of the table; None for a profile without a field.

        Raises
        ------
        Refused
            When the frame has another size than the profile's pictures, or the profile is of another board.
        """
        check_size(self.profile, frame.size_px)
        known = self.profile.field
        if known is None:
            return state, (), None
        names = {board.name for board in table.boards}
        if known.field.board.name not in names:
            raise Refused(
                "profile.board", name=self.profile.name, board=known.field.board.name, wanted=", ".join(sorted(names))
            )
        if not _has_room(known.field.board, state.game):
            sizes = [f"{len(board.rings)} x {len(board.rings[0])}" for board in (known.field.board, *table.boards)]
            board, *wanted = (f"{known.field.board.name} ({size})" for size in sizes)
            raise Refused("profile.board", name=self.profile.name, board=board, wanted=", ".join(wanted))
        seen = recognise(self.profile, frame.bgr)
        if seen.registration is None:
            return state, (), seen
        looks = looks_of(self.profile, state.game.variant.players)
        if looks is not None and len(looks.bare_counts) == len(state.appearance.bare_counts):
            state = replace(state, appearance=looks)
        state, events = take_field(state, frame, seen.registration)
        return state, events, seen


def _has_room(board: Board, game: Game) -> bool:
    """Whether a game can be played on a board of turning discs, which has as many holes as its maker liked."""
    if not board.rings:
        return True
    try:
        return on_board(game, board).position.board == board
    except ValueError:
        return False


def known_table(name: str, data: Path | None = None) -> KnownTable:
    """The table of a name, from Millchen's data folder or another one.

    Raises
    ------
    Refused
        When there is none, or it cannot be used.
    """
    return KnownTable(Tables(data).load(name))


def known_for(tables: Tables, name: str | None, source: str) -> tuple[KnownTable, ...]:
    """The table of a name, or those that were measured through a source; what cannot be read is left out there."""
    if name is not None:
        return (KnownTable(tables.load(name)),)
    found = []
    for one in tables.names():
        with suppress(Refused):
            profile = tables.load(one)
            if profile.camera is not None and profile.camera.source == source:
                found.append(KnownTable(profile))
    return tuple(found)


def take_up(
    tables: Sequence[KnownTable], state: State, frame: Frame, table: Table
) -> tuple[State, tuple[Event, ...], Table, Mapping[str, str]]:
    """Take up the one of several tables that lies in the first frame of a session.

    Returns
    -------
    State
    tuple of Event
    Table
        Seen through the lens that was measured with this camera, where there is one.
    Mapping
        What became of it, by language; empty where nothing fits and nobody needs to know.
    """
    note: Mapping[str, str] = {}
    for known in tables:
        lens = known.lens
        register_through_lens = table if lens is None or lens.size_px != frame.size_px else replace(table, lens=lens)
        try:
            after, events, seen = known.begin(state, frame, register_through_lens)
        except Refused:
            continue  # of another board or size: it is not this one
        if seen is not None and seen.registration is not None:
            return after, events, register_through_lens, seen.texts
        if seen is not None:
            note = seen.texts
        table = register_through_lens
    return state, (), table, note
