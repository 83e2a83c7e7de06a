"""The state of a game: its turns and what only its records say, as names, clock, partners, an open foul."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, NamedTuple

from languages import message
from referee.events import FoulSeen, MillClosed, Moves, QuestionAsked
from referee.game import Game
from referee.moves import Move
from referee.record import GameRecord
from referee.search.lessons import Lesson
from referee.search.reasons import Reason
from referee.turns import Turn, partial_turns
from referee.typed_json import Player
from web.errors import MillchenError
from web.game.first_record import HAND

CORRECTED = "corrected"
"""Record kind of a corrected point; also marks a position that was set by hand."""

MILLCHEN = "Millchen"  # usual name of the partner

MAX_CLOCK_MINUTES = 600.0  # longest time per player that can be agreed, in minutes
MAX_CLOCK_INCREMENT_S = 600.0  # largest increment per turn that can be agreed, in seconds


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock for every player; at most one of them runs."""

    kind: str = "off"  # "off", "down" (each player has so many minutes) or "up" (the clock only counts)
    minutes: float = 0.0
    increment_s: float = 0.0  # time that a player gets back for every turn
    used_s: tuple[float, ...] = ()  # thinking time of each player up to the last stop, less the increments
    running: int | None = None
    since_s: float = 0.0  # time at which the running one was started, on the caller's clock

    def used(self, now_s: float) -> tuple[float, ...]:
        """Return the seconds that each player has used, the running time included."""
        return tuple(
            spent + (now_s - self.since_s if player == self.running else 0.0)
            for player, spent in enumerate(self.used_s)
        )

    def pause(self, now_s: float) -> Clock:
        """Return the clock with all players' times standing."""
        return replace(self, used_s=self.used(now_s), running=None)

    def run(self, player: int, now_s: float) -> Clock:
        """Return the clock with the time of ``player`` running and the others standing."""
        if player == self.running:
            return self
        return replace(self.pause(now_s), running=player, since_s=now_s)

    def press(self, player: int, now_s: float) -> Clock:
        """Return the clock after the running player has moved: the time of ``player`` runs now."""
        mover, stopped = self.running, self.pause(now_s)
        if mover is None or mover == player:
            return stopped.run(player, now_s)
        used = [spent - (self.increment_s if who == mover else 0.0) for who, spent in enumerate(stopped.used_s)]
        return replace(stopped, used_s=tuple(used)).run(player, now_s)

    def after_act(self, act: str, game: Game, now_s: float) -> Clock:
        """Return the clock after people have said "start" or "pause", or pressed it, at this point of a game."""
        if self.kind == "off" or game.outcome is not None:
            raise MillchenError(message("clock.none"))
        if act == "pause":
            return self.pause(now_s)
        if act == "start" or self.running is None:
            return self.run(game.position.to_move, now_s)
        return self.press((self.running + 1) % game.variant.players, now_s)

    def settings(self) -> dict[str, Any]:
        """Return what was agreed, as the journal keeps it."""
        return {"kind": self.kind, "minutes": self.minutes, "increment": self.increment_s}


def parse_clock(body: Mapping[str, Any], players: int) -> Clock:
    """Return the clock of ``{"kind": ..., "minutes": ..., "increment": ...}``, or refuse it."""
    clock = Clock(str(body["kind"]), float(body["minutes"]), float(body["increment"]), (0.0,) * players)
    if clock.kind == "down" and clock.minutes == 0:
        raise MillchenError(message("clock.needs_minutes"))
    return clock


class Partner(NamedTuple):
    """Millchen as a player: its strength, whether it explains, and who lays its stones where no camera looks."""

    strength: str
    explain: bool = False
    laid_by_people: bool = False


def names_with_partners(
    names: Sequence[str], n_players: int, partners: Mapping[int, Partner], *, with_strength: bool = False
) -> tuple[str, ...]:
    """Return what each player is called: the name that people gave, else Millchen where that plays, else empty."""
    partner_names = {}
    for player, partner in partners.items():
        one = f"{MILLCHEN} {player + 1}" if len(partners) > 1 else MILLCHEN
        partner_names[player] = f"{one} ({partner.strength})" if with_strength else one
    all_names = (*names, *[""] * n_players)[:n_players]
    return tuple(name or partner_names.get(player, "") for player, name in enumerate(all_names))


@dataclass(frozen=True)
class Proposal:
    """A turn that Millchen wants people to make, or advises them to make."""

    player: Player
    moves: Moves  # moves still to make; empty where Millchen could not think, and people play for it
    reasons: tuple[Reason, ...] = ()
    begun: Moves = ()  # the moves of the turn that were made by hand already when it was proposed
    own: tuple[Reason, ...] = ()  # of advice: what the player can close
    threats: tuple[Reason, ...] = ()  # of advice: what the others could close

    def remaining(self, open_moves: Sequence[Move]) -> tuple[Move, ...]:
        """Return the moves that are still to be made, where ``open_moves`` are those of the open turn."""
        n_made = Counter(open_moves[len(self.begun) :])
        rest = []
        for move in self.moves:
            if n_made[move]:
                n_made[move] -= 1
            else:
                rest.append(move)
        return tuple(rest)

    def allows(self, open_moves: Sequence[Move]) -> bool:
        """Return whether the moves of the open turn, as far as they go, are moves of this proposal."""
        n = len(self.begun)
        return tuple(open_moves[:n]) == self.begun and Counter(open_moves[n:]) <= Counter(self.moves)

    def is_made_by(self, before: Game, moves: Sequence[Move]) -> bool:
        """Return whether a whole turn after the game ``before`` is the proposed one, or leaves the same stones."""
        if self.allows(moves) and not self.remaining(moves):
            return True
        try:
            proposed = reduce(Game.play, (*self.begun, *self.moves), before)
            after = reduce(Game.play, moves, before)
        except ValueError:
            return False
        return proposed.position.stacks == after.position.stacks


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
        turns = [turn for turn in self.game.turns if turn.moves]
        return turns[0] if self.lesson is not None and len(turns) == 1 else None

    @property
    def may_hint(self) -> bool:
        """Whether people may ask for hints."""
        return bool(self.partners) if self.allows_hints is None else self.allows_hints

    @property
    def time_s(self) -> float:
        """When the newest event was seen, in the source; 0 before the first."""
        return self.last_event_s or 0.0

    @property
    def page_game(self) -> Game:
        """The game with the moves of a turn that was begun by hand."""
        return with_pending_moves(self.game, self.begun)

    @property
    def lays_own_stones(self) -> bool:
        """Whether Millchen lays the stones of the player to move: no camera looks, and nobody lays them for it."""
        game = self.page_game
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


def ends_in_correction(game: Game) -> bool:
    """Return whether the last turn of a game is a correction; the next correction then replaces it."""
    return bool(game.turns) and game.turns[-1].remarks == (CORRECTED,)


def with_turn_begun_by_hand(game: Game) -> Game:
    """Return the game with the turn that people have begun stone by stone: its mill stands, its captures are due."""
    if not ends_in_correction(game):
        return game
    before = game.take_back()
    if before.outcome is not None:
        return game
    for turn in partial_turns(before.position):
        if turn.tops == game.position.tops and turn.after.heights == game.position.heights:
            return before.play_turn(turn)
    return game
