"""The state of a table as values: the game and the boards, and everything that was seen so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from languages import message
from referee.board import Board
from referee.events import Event
from referee.game import Game
from referee.variant import Variant
from vision.decoding.belief import Belief, PointTops, initial_belief
from vision.decoding.posterior import Posterior
from vision.evidence.fusion import Habits
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Frame
from vision.imaging.lens import Lens
from vision.rotation.angle_at_rest import DiscStrips
from vision.stones.appearance import Appearance, unknown_appearance
from vision.tracking.motion import MotionState
from vision.tracking.occlusion import PATIENCE_S, OcclusionCheck
from vision.watching.looks import AcceptedLook
from vision.watching.phases import Phase, Waiting

SETTLE_S = 0.4
"""Rest of the field before it is looked at, and between two readings of a whole board, seconds: hands pause for a
moment after an action."""

USUAL_PAUSE_S = 0.6
"""Longest pause of most hands over a board, seconds."""

USUAL_VISIT_S = USUAL_PAUSE_S + USUAL_PAUSE_S
"""Time that most hands need over a board for a turn, seconds: quicker ones come back sooner, too."""


@dataclass(frozen=True)
class TableSetup:
    """The rules of a table, the boards that may lie on it, the lens through which it is seen, and its habits."""

    variant: Variant
    boards: tuple[Board, ...]  # several where the number of holes is open (turning discs)
    lens: Lens | None = None  # where it was measured: its distortion is removed before the search for the board
    takes_over: bool = False  # a position that nothing explains; else people decide
    habits: Habits | None = None  # what was learnt of this table alone


@dataclass(frozen=True, eq=False)
class Proposal:
    """A position that nothing explains, read from the table: people may take it over."""

    tops: PointTops
    to_move: int | None  # whose turn it is, 0 first, where the stones tell; None while that is open
    look: AcceptedLook | None = None  # in which it was read
    sure: tuple[bool, ...] = ()  # by point, whether it is sure enough to be learnt from


@dataclass(frozen=True, eq=False)
class UndecidedLook:
    """A look that was not decided on, to be read when the next rest is not decided on either."""

    frame: Frame
    field: Field
    log_likelihood: NDArray[np.float64]  # (n_points, n_appearances), its evidence, nats
    posterior: Posterior | None  # its posterior; None before the first decision
    n_unexplained: int  # unexplained rests before its own


@dataclass(frozen=True, eq=False)
class WholeReading:
    """All points of a board, read from one look."""

    tops: PointTops
    confidence: float  # posterior that every point in sight is read right
    sure: tuple[bool, ...]  # by point, whether it is sure enough to be learnt from
    time_s: float  # of the look, seconds of the source
    n_unexplained: int = 0  # unexplained rests before its own
    is_begun: bool = False  # it shows that a game has begun


@dataclass(frozen=True, eq=False)
class WholeBoard:
    """The whole board as it was read without the game, where nothing explains it or a game may have begun."""

    n_unexplained: int = 0  # rests in a row that were not understood
    pending_look: UndecidedLook | None = None  # the newest look that was not decided on
    readings: tuple[WholeReading, ...] = ()  # the newest of this rest, and of the one before
    proposal: Proposal | None = None
    overlooked_stones: Mapping[int, int] = field(default_factory=dict)  # tops, by point, in the last decided look


@dataclass(frozen=True, eq=False)
class Hands:
    """The newest hands over a table, and how slow all before them were."""

    since_s: float | None = None  # when they came over the field; None once a rest has shown it without
    touched_s: float = float("-inf")  # when something last moved over the field
    changed_points: NDArray[np.bool_] | None = None  # (n_points,), in the last look past them; untouched since
    pause_s: float = 0.0  # their longest rest
    pauses_s: tuple[float, ...] = (2 * PATIENCE_S[1],)  # the same of the visits before, oldest first
    visits_s: tuple[float, ...] = (USUAL_VISIT_S,)  # how long these were over the board

    @property
    def quickness(self) -> float:
        """The share of a usual visit that the hands at this table take: from half of it to all."""
        return min(max(median(self.visits_s) / USUAL_VISIT_S, 0.5), 1.0)

    @property
    def slowness(self) -> float:
        """How many times as long as most the hands at this table pause, at least 1."""
        return max(1.0, self.pause_s / USUAL_PAUSE_S, median(self.pauses_s) / USUAL_PAUSE_S)

    def after_visit(self, at_s: float) -> Hands:
        """Return the hands after they have left the board: their visit counts among the earlier ones."""
        if self.since_s is None:
            return self
        pauses_s, visits_s = (*self.pauses_s, self.pause_s), (*self.visits_s, at_s - self.since_s)
        return Hands(touched_s=self.touched_s, pauses_s=pauses_s, visits_s=visits_s)


@dataclass(frozen=True)
class Break:
    """The break after which a game goes on: what was open before it, and the colours that were seen."""

    is_disputed: bool = False  # a foul or a question
    colours: tuple[str, ...] = ()  # by player, ``#rrggbb``; empty where unknown


@dataclass(frozen=True, eq=False, kw_only=True)
class _Common:
    """Fields common to both states; times are seconds of the source."""

    belief: Belief
    motion: MotionState = MotionState()
    appearance: Appearance
    disturbed_s: float = float("-inf")  # when something last moved over the field, or an arm to it
    looked_s: float = float("-inf")  # of the last look, or frame in which nothing touched an understood table
    searched_s: float = float("-inf")  # of the last search for the field
    after_break: Break | None = None  # the game goes on after it, and the table was not compared with the game yet

    @property
    def game(self) -> Game:
        """The accepted game."""
        return self.belief.game

    def rest_s(self, frame: Frame) -> float:
        """Return the seconds for which nothing has moved over the field; infinite in a series of photographs."""
        return frame.time_s - self.disturbed_s


@dataclass(frozen=True, eq=False, kw_only=True)
class Unseen(_Common):
    """A table whose field has never been seen: every frame at rest is searched for it."""

    registration: NotRegistered  # why the newest search was in vain
    frames: tuple[Frame, ...] = ()  # kept for ``median_frame``, oldest first
    n_searches: int = 0  # in vain; the first one was announced
    is_other_told: bool = False  # the board of another game was announced
    sight = "searching"
    strips, proposed_position = None, None

    @property
    def hidden(self) -> NDArray[np.bool_]:
        """Whether something hides each point; unknown yet: all False."""
        return np.zeros(len(self.belief.expected_tops), np.bool_)


@dataclass(frozen=True, eq=False, kw_only=True)
class Watched(_Common):
    """A table whose field was seen, and which is followed from look to look."""

    reference: AcceptedLook
    lost: NotRegistered | None = None  # why the field is out of sight
    phase: Phase = Waiting()  # how the next frame is used, and the data that only this phase needs
    hands: Hands = Hands()
    whole_board: WholeBoard = WholeBoard()

    def hand_rest_s(self, frame: Frame) -> float:
        """Return the rest in the time of hands that pause no longer than most: slow ones stretch it."""
        return self.rest_s(frame) / self.hands.slowness

    @property
    def field(self) -> Field:
        """Where the field lies, image space, or lay before it was lost."""
        return self.reference.anchor.field

    @property
    def registration(self) -> Registration | NotRegistered:
        """The field, or why it is out of sight."""
        return self.lost or Registration(self.field, 1.0)

    @property
    def proposed_position(self) -> Proposal | None:
        """The board as it is seen, where nothing explains it."""
        return self.whole_board.proposal

    @property
    def arm_stays(self) -> bool:
        """Whether an arm over the board is waited for no longer."""
        return self.occlusion is not None and self.occlusion.arm_stays

    @property
    def occlusion(self) -> OcclusionCheck | None:
        """What hides the field in the present rest; None while something moves or a new look is asked for."""
        return None if isinstance(self.phase, Waiting) else self.phase.occlusion

    @property
    def strips(self) -> DiscStrips | None:
        """The rings in the last accepted look; None on boards without."""
        return self.reference.strips

    @property
    def hidden(self) -> NDArray[np.bool_]:
        """Whether something hides each point, (n_points,)."""
        return np.zeros(len(self.belief.expected_tops), np.bool_) if self.occlusion is None else self.occlusion.hidden

    @property
    def sight(self) -> str:
        """One word for the page: lost, hand, disputed, over or watching."""
        if self.lost is not None:
            return "lost"
        moving = self.motion.moving_cells is not None and self.belief.visited
        if self.occlusion.blocked if self.occlusion is not None else moving:
            return "hand"
        if self.belief.dispute is not None:
            return "disputed"
        return "over" if self.game.outcome is not None else "watching"


State: TypeAlias = Unseen | Watched
"""All that is known about a table after a frame."""


AnyState = TypeVar("AnyState", bound=State)
"""One of both, and what comes of it is of the same kind."""

AnyResult = TypeVar("AnyResult", bound=State, covariant=True)


class StepResult(NamedTuple, Generic[AnyResult]):
    """What a stage of a step, or all of it, leads to."""

    state: AnyResult
    events: tuple[Event, ...] = ()  # new ones, in order


def start(table: TableSetup, game: Game | None = None, before: Break = Break()) -> State:
    """Return the state of a table before its first frame; with ``game`` to continue that game after a break."""
    game = game if game is not None else Game.start(table.variant)
    goes_on = (bool(game.turns) or game.is_set_up) and game.outcome is None
    return Unseen(
        belief=initial_belief(game),
        registration=NotRegistered(message("sight.not_searched")),
        appearance=unknown_appearance(len(game.position.tops), len(game.position.hands)),
        after_break=before if goes_on else None,
    )
