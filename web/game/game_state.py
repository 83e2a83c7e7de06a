"""The state of a game: its turns, and what only its records say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from referee.events import FoulSeen, MillClosed, QuestionAsked
from referee.game import Game
from referee.moves import Move
from referee.record import Record as GameRecord
from referee.search.lessons import Lesson
from referee.turns import Turn
from web.game.clock import Clock
from web.game.first_record import HAND
from web.game.hand_corrections import with_turn_begun_by_hand
from web.game.partners import Partner, Proposal, names_with_partners


@dataclass(frozen=True, eq=False)
class GameState:
    """A game together with what only its records say."""

    game: Game
    foul: FoulSeen | None = None
    question: QuestionAsked | None = None
    announced_mill: MillClosed | None = None  # a mill that was announced and whose turn is not complete yet
    begun: tuple[Move, ...] = ()  # moves of a turn that was begun by hand on the page and still owes its captures
    last_event_s: float | None = None  # time of the source at which the newest event was seen; None before the first
    names: tuple[str, ...] = ()
    keeps_photographs: bool = False
    clock: Clock = Clock()  # what was agreed about time, and the seconds used at the last turn; it never runs in here
    colours: tuple[str, ...] = ()  # ``#rrggbb`` of each player's stones as they were seen; empty while unknown
    undone_turns: tuple[Turn, ...] = ()  # turns that were taken back and can be played again, the next one first
    # the referee who decided how the game ended, empty where nobody has said a name; None where the rules or the
    # players ended it
    decider: str | None = None
    # what stood in the file that the game was opened from; None where it was played here
    file_record: GameRecord | None = None
    # where its pictures came from last, as people named it; its first record says where they came from first
    source: str = ""
    # the players (0 first) for whom Millchen plays; ``partners_at_end`` for whom it played when it ended
    partners: Mapping[int, Partner] = field(default_factory=dict)
    partners_at_end: Mapping[int, Partner] = field(default_factory=dict)
    # None where nobody has said so: then people may ask for hints where Millchen plays
    allows_hints: bool | None = None
    proposal: Proposal | None = None
    hint: Proposal | None = None
    lesson: Lesson | None = None
    lesson_number: int = 0  # number of the lesson among those of its game, 1 first

    @property
    def called(self) -> tuple[str, ...]:
        """What each player is called in sentences: the name, else Millchen where that plays, else empty."""
        if not self.partners:
            return self.names
        return names_with_partners(self.names, self.game.variant.players, self.partners)

    @property
    def recorded_names(self) -> tuple[str, ...]:
        """What records call each player: the name that people gave, else ``Millchen (medium)``, else empty.

        Where people and Millchen have played for the same player, it counts who did so last; who is chosen when the
        game is over is chosen for the next one.
        """
        partners = self.partners if self.game.outcome is None else self.partners_at_end
        return names_with_partners(self.names, self.game.variant.players, partners, with_strength=True)

    @property
    def trial(self) -> Turn | None:
        """The first turn that was made in a lesson, as long as no other one has followed; None in a game."""
        played = [turn for turn in self.game.turns if turn.moves]
        return played[0] if self.lesson is not None and len(played) == 1 else None

    @property
    def may_hint(self) -> bool:
        """Whether people may ask for hints."""
        return bool(self.partners) if self.allows_hints is None else self.allows_hints

    @property
    def time_s(self) -> float:
        """When the newest event was seen, in the source; 0 before the first."""
        return self.last_event_s or 0.0

    @property
    def shown(self) -> Game:
        """The game with the moves of a turn that was begun by hand."""
        return with_pending_moves(self.game, self.begun)

    @property
    def lays_own_stones(self) -> bool:
        """Whether Millchen lays the stones of the player to move itself: no camera looks, nobody does it for it."""
        game = self.shown
        partner = self.partners.get(game.position.to_move)
        is_own = partner is not None and not partner.laid_by_people and self.source == HAND
        return is_own and self.proposal is None and game.outcome is None  # who could not think has proposed nothing


def with_pending_moves(game: Game, pending: Sequence[Move]) -> Game:
    """Return the game with the moves of a turn that has begun, where they are legal.

    Without pending moves it returns the game with a turn that people have begun by hand, if any.
    """
    if game.outcome is not None:
        return game
    if not pending:
        return with_turn_begun_by_hand(game)
    try:
        for move in pending:
            game = game.play(move)
    except ValueError:
        return game if not game.pending else game.take_back()
    return game
