"""The state of a table as values: the game and the boards, and everything that was seen so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from languages import message
from referee.board import Board
from referee.events import Event
from referee.game import Game
from referee.variant import Variant
from vision.decoding.belief import Belief, initial_belief
from vision.imaging.field import NotRegistered, Registration
from vision.imaging.frame import Float32Array, Frame, Image
from vision.imaging.lens import Lens
from vision.imaging.patches import Patches
from vision.rotation.angle_at_rest import DiscStrips
from vision.rotation.angle_in_motion import RingAngleFilter
from vision.stones.appearance import Appearance, unknown_appearance
from vision.tracking.follow import Anchor
from vision.tracking.motion import MotionState
from vision.tracking.occlusion import OcclusionCheck
from vision.watching.phases import Phase, PointMeasures, Searching
from vision.watching.table_reading import TableReading, UndecidedLook


@dataclass(frozen=True)
class Table:
    """The rules of a table, the boards that may lie on it, and how it is looked at.

    Attributes:
        boards: The boards to look for; several where the number of holes is not known before (turning discs).
        photographs: Whether every frame is a look at a table at rest, taken from anywhere (a folder of photographs).
        lens: Lens of the camera, where it was measured: its distortion is removed before the search for the board.
        takes_over: Whether a board that nothing explains is taken over as it is seen. Otherwise people are shown it and
            decide.
    """

    variant: Variant
    boards: tuple[Board, ...]
    photographs: bool = False
    lens: Lens | None = None
    takes_over: bool = False


@dataclass(frozen=True, eq=False)
class Reference:
    """The last accepted look at the table. The present table is compared with it.

    Attributes:
        anchor: The image, and where the field lay in it.
        patches: The points; None where they may have been touched before the field was found.
        strips: The rings; None on boards without.
        ring_motion: Rotation of the rings since, frame by frame; None where it cannot be followed.
        measures: What the points showed; None where that was not measured.
    """

    anchor: Anchor
    patches: Patches | None
    strips: DiscStrips | None = None
    ring_motion: RingAngleFilter | None = None
    measures: PointMeasures | None = None


@dataclass(frozen=True, eq=False)
class SeenBoard:
    """The board as it is seen, where nothing explains it.

    Attributes:
        tops: By point: 0 bare, k a stone of player k - 1 on top.
        to_move: Whose turn it is, 0 first, where the stones tell; None while that is open.
        look: The look in which it was seen.
        sure: By point, whether it is sure enough to be learnt from.
    """

    tops: tuple[int, ...]
    to_move: int | None
    look: Reference | None = None
    sure: tuple[bool, ...] = ()


@dataclass(frozen=True, eq=False)
class State:
    """All that is known about a table after a frame.

    Attributes:
        registration: The field, image space, or why there is none.
        phase: It says how the next frame is used, and holds the data that only this phase needs.
        reference: None before the field was found.
        displaced: Whether the board or the shadows have moved since the reference, so that the points look different.
        n_unexplained: Number of rests in a row that were not understood.
        seen: The board as it is seen, where nothing explains it and it was read alike twice.
        readings: The newest reading of the whole table, and that of the rest before: with these the next one is
            compared.
        unread: The newest look that was not decided on.
        mean_bgr: uint8 or float32 array of shape (H, W, 3) or None. Mean picture of the looks in ``belief.rest``.
        looked_s, searched_s: Times of the last look and of the last search for the field; seconds of the source.
        is_taken_up: Whether the game began before these eyes, and the table has not been compared with it yet.
        is_disputed: Whether a foul or a question of before these eyes is still open.
        told_colours: tuple of str, by player. ``#rrggbb`` of the stones as earlier eyes saw them in this game; empty
            where nobody has told.
    """

    belief: Belief
    registration: Registration | NotRegistered
    motion: MotionState
    appearance: Appearance
    phase: Phase
    reference: Reference | None = None
    displaced: bool = False
    n_unexplained: int = 0
    seen: SeenBoard | None = None
    readings: tuple[TableReading, ...] = ()
    unread: UndecidedLook | None = None
    mean_bgr: Image | Float32Array | None = None
    looked_s: float = float("-inf")
    searched_s: float = float("-inf")
    is_taken_up: bool = False
    is_disputed: bool = False
    told_colours: tuple[str, ...] = ()

    @property
    def game(self) -> Game:
        """The accepted game."""
        return self.belief.game

    @property
    def look(self) -> OcclusionCheck | None:
        """The look at the present rest; None while something moves or a new one is asked for."""
        return getattr(self.phase, "look", None)

    @property
    def strips(self) -> DiscStrips | None:
        """The rings in the last accepted look; None on boards without."""
        return self.reference.strips if self.reference is not None else None

    @property
    def hidden(self) -> tuple[bool, ...]:
        """Whether something hides each point."""
        if self.look is None:
            return (False,) * len(self.belief.expected_tops)
        return tuple(bool(h) for h in self.look.hidden)

    @property
    def sight(self) -> str:
        """One word for the page: searching, lost, hand, disputed, over or watching."""
        if isinstance(self.registration, NotRegistered):
            return "lost" if self.reference is not None else "searching"
        moving = self.motion.moving_cells is not None and self.belief.visited
        if self.look.blocked if self.look is not None else moving:
            return "hand"
        if self.belief.disputed_tops is not None:
            return "disputed"
        return "over" if self.game.outcome is not None else "watching"


Step: TypeAlias = tuple[State, tuple[Event, ...]]
"""A new state, and the new events in order."""


def rest_of(state: State, frame: Frame, table: Table) -> float:
    """Return the seconds for which nothing has moved; infinite in a series of photographs."""
    return float("inf") if table.photographs else state.motion.quiet_s(frame.time_s)


def start(table: Table, game: Game | None = None) -> State:
    """Return the state of a table before its first frame; with ``game`` to continue that game."""
    game = game if game is not None else Game.start(table.variant)
    position = game.position
    appearance = unknown_appearance(len(position.tops), len(position.hands))
    unseen = NotRegistered(message("sight.not_searched"))
    is_taken_up = (bool(game.turns) or game.is_set_up) and game.outcome is None
    return State(initial_belief(game), unseen, MotionState(), appearance, Searching(), is_taken_up=is_taken_up)
