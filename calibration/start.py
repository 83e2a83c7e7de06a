"""Begin with a table that is known: its lens, its field under its own names, and the looks of its stones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from calibration.phrases import Refused
from calibration.profile import Profile
from calibration.recognise import Recognised, check_size, looks_of, recognise
from calibration.steps import lens_of
from calibration.tables import Tables
from referee.events import Event
from vision.frame import Frame
from vision.lens import Lens
from vision.pipeline import take_field
from vision.state import State, Table


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
        seen = recognise(self.profile, frame.bgr)
        if seen.registration is None:
            return state, (), seen
        looks = looks_of(self.profile, state.game.variant.players)
        if looks is not None and len(looks.looks) == len(state.appearance.looks):
            state = replace(state, appearance=looks)
        state, events = take_field(state, frame, seen.registration)
        return state, events, seen


def known_table(name: str, data: Path | None = None) -> KnownTable:
    """The table of a name, from Millchen's data folder or another one.

    Raises
    ------
    Refused
        When there is none, or it cannot be used.
    """
    return KnownTable(Tables(data).load(name))
