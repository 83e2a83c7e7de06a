"""A game as a value: the turns so far, and the rules that need them (repetition, turns without a mill)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from referee.advance import judged, withdraw
from referee.board import Board
from referee.endings import WITHDRAWN, Outcome, Termination
from referee.fouls import Foul, IllegalMoveError, play
from referee.legal import legal_moves
from referee.moves import Capture, Move, Place, Rotate, RotateUnseen, Slide
from referee.position import STONES, Position, Stone
from referee.presets import find_variant
from referee.turns import Turn
from referee.variant import Variant


@dataclass(frozen=True)
class Game:
    """A game as a value: every change makes a new one.

    >>> from referee.moves import parse_move
    >>> from referee.presets import find_variant
    >>> game = Game.start(find_variant("tic_tac_toe"))
    >>> for text in ("a1", "b2", "a2", "b1", "a3"):
    ...     game = game.play(parse_move(text, game.position.board))
    >>> game.outcome
    Outcome(winner=0, termination=<Termination.THREE_IN_A_ROW: 'three_in_a_row'>)
    """

    first_position: Position  # where it began
    turns: tuple[Turn, ...] = ()  # the complete turns
    position: Position = None  # type: ignore[assignment]  # filled in below: where the game began
    pending: tuple[Move, ...] = ()  # the moves of the unfinished turn
    quiet: int = 0  # turns in a row without a mill (``draw_plies``)
    repetition_keys: tuple[object, ...] = ()  # positions since the last placement or capture (``repetition``)
    outcome: Outcome | None = None  # set when the game is over

    def __post_init__(self) -> None:
        if self.position is None:
            position = judged(self.first_position)  # it may have been set up
            object.__setattr__(self, "position", position)
            object.__setattr__(self, "outcome", position.ended)
            if self.variant.repetition_origin:
                object.__setattr__(self, "repetition_keys", (position.repetition_key,))

    @classmethod
    def start(cls, variant: Variant) -> Game:
        """A new game on the empty board."""
        return cls(Position.start(variant))

    def on_board(self, board: Board) -> Game:
        """The game on the board that was found, while nothing has been played."""
        if self.turns or self.position.board == board or not board.rings:
            return self
        options = dict(self.variant.chosen) | {"fields": len(board.rings[0])}
        return Game.start(find_variant(self.variant.name, **options))

    @classmethod
    def replay(cls, first_position: Position, turns: Iterable[Turn]) -> Game:
        """The game that led through ``turns``, which are believed."""
        game = cls(first_position)
        for turn in turns:
            game = game._append(turn)
        return game

    @property
    def variant(self) -> Variant:
        """The rules."""
        return self.first_position.variant

    @property
    def is_set_up(self) -> bool:
        """Whether it did not begin as its rules say, but from a position that was set up: a lesson, say."""
        return self.first_position != Position.start(self.variant)

    @property
    def ply(self) -> int:
        """Number of complete turns."""
        return len(self.turns)

    @property
    def phase(self) -> str:
        """``placing``, ``moving``, ``flying``, ``capture`` or ``over``."""
        return "over" if self.outcome is not None else self.position.phase

    @property
    def legal_moves(self) -> tuple[Move, ...]:
        """Every move that may be made now; none when the game is over."""
        return () if self.outcome is not None else legal_moves(self.position)

    @property
    def quiet_turns_left(self) -> int | None:
        """Turns without a mill until the game is drawn; ``None`` where no rule counts them, or the game is over."""
        limit = quiet_limit(self.position)
        return None if not limit or self.outcome is not None else limit - self.quiet

    @property
    def occurrences(self) -> int | None:
        """How many times the position has occurred; ``None`` where no rule counts that, or the game is over."""
        if self.variant.repetition < 2 or self.outcome is not None or not self.repetition_keys:
            return None
        counts = range(1, self.variant.repetition)
        return max(times for times in counts if _has_occurred(self.repetition_keys, self.variant, times))

    # ------------------------------------------------------------ playing

    def play(self, move: Move) -> Game:
        """The game after one more move; IllegalMoveError when the move is not allowed here, or the game is over."""
        if self.outcome is not None:
            raise IllegalMoveError(move, (Foul.AFTER_END,))
        after = play(self.position, move)
        moves = (*self.pending, move)
        if after.dues:
            return replace(self, position=after, pending=moves)
        return self._append(Turn(moves, after, after.closed, self.position.to_move))

    def play_turn(self, turn: Turn) -> Game:
        """The game after a whole turn (or, with captures due, after the rest of one).

        Raises IllegalMoveError when a move of it is not allowed.
        """
        if turn.remarks:
            return self._append(turn)
        game = self
        for move in turn.moves:
            game = game.play(move)
        return game

    def take_back(self) -> Game:
        """The game without its last turn, or without the moves of an unfinished one.

        Raises ValueError when nothing has been played.
        """
        before = self.taken_back(1)
        if not before:
            raise ValueError("nothing to take back, the game has just begun")
        return before[0]

    def taken_back(self, most: int) -> tuple[Game, ...]:
        """The games with one turn taken back, with two and so on, at most ``most``: as ``take_back`` repeated."""
        turns = self.turns if self.pending else self.turns[:-1]
        games = accumulate(turns, Game._append, initial=Game(self.first_position))
        return tuple(reversed(deque(games, most if self.pending or self.turns else 0)))

    def play_on(
        self,
        tops: Sequence[int],
        heights: Sequence[int] | None = None,
        to_move: int | None = None,
        kinds: Sequence[str] = (),
        *,
        is_judged: bool = True,
    ) -> Game:
        """The game when the players let a foul stand: the table is right, the record says so.

        ``tops`` and ``heights`` are what the table shows, as in ``Position``; without heights a point that still shows
        a stone keeps its stones. ``to_move`` is by default the player after the one whose turn it was; ``kinds`` are
        the fouls.

        With ``is_judged`` who has too few stones or cannot move has lost, as after any turn. Not so where more is still
        to come, a stone lifted on the page before it is put down, say; the next turn judges then.
        """
        before = self.position
        mover = before.to_move
        after = as_shown(before, tops, heights)
        remarks = tuple(kinds) or (str(Foul.STONE_APPEARED),)
        for step in range(1, before.variant.players + 1):
            player = (mover + step) % before.variant.players if to_move is None else to_move
            if not after.out[player]:
                after = after._replace(to_move=player)
                break
        return self._append(Turn((), judged(after) if is_judged else after, (), mover, remarks))

    # ------------------------------------------------------------ ends that no move makes

    def ended(self, outcome: Outcome) -> Game:
        """The game ended by agreement, by the arbiter, or broken off; ValueError when it is over already."""
        if self.outcome is not None:
            raise ValueError(f"the game is over already: {self.outcome.termination}")
        return replace(self, outcome=outcome)

    def withdrawn(self, player: int, termination: Termination) -> Game:
        """The game after ``player`` gave up or ran out of time: with two players the other has won, else they play on.

        Raises ValueError when the game is over already, or there is no such player in it.
        """
        if not 0 <= player < self.variant.players or self.position.out[player]:
            raise ValueError(f"no player {player + 1} is in the game")
        after = withdraw(self.position, player, termination)
        if after.ended is not None and after.ended.termination is termination:
            return self.ended(after.ended)
        if self.outcome is not None:
            raise ValueError(f"the game is over already: {self.outcome.termination}")
        if after.dues:
            return replace(self, position=after)
        remark = next(word for word, reason in WITHDRAWN.items() if reason is termination)
        return self._append(Turn((), after, (), player, (remark,)))

    # ------------------------------------------------------------ the past

    def _append(self, turn: Turn) -> Game:
        variant, after = self.variant, turn.after
        fixed = bool(turn.remarks) or any(isinstance(move, Place | Capture) for move in turn.moves)
        if not fixed:
            keys = (*self.repetition_keys, after.repetition_key)
        else:
            keys = (after.repetition_key,) if variant.repetition_origin else ()
        quiet = self.quiet
        if turn.mills or turn.remarks or not self._is_draw_counted():
            quiet = 0
        elif variant.draw_count == "all" or any(isinstance(move, Slide | Rotate | RotateUnseen) for move in turn.moves):
            quiet += 1
        outcome = after.ended
        if outcome is None and variant.repetition >= 2 and _has_occurred(keys, variant, variant.repetition):
            outcome = Outcome(None, Termination.REPETITION)
        if outcome is None and 0 < quiet_limit(after) <= quiet:
            outcome = Outcome(None, Termination.NO_MILL)
        if outcome is None and variant.max_turns and len(self.turns) + 1 >= variant.max_turns:
            outcome = Outcome(None, Termination.TURN_LIMIT)
        return Game(self.first_position, (*self.turns, turn), after, (), quiet, keys, outcome)

    def _is_draw_counted(self) -> bool:
        """Whether the turn that was just made counts for the no-mill draw (``draw_when``)."""
        variant = self.variant
        if variant.draw_when == "always":
            return True
        before = self.position
        three = [
            count + hand <= variant.fly_at
            for count, hand, out in zip(before.counts, before.hands, before.out, strict=True)
            if not out
        ]
        return any(three) if variant.draw_when == "one_has_three" else all(three)


def quiet_limit(position: Position) -> int:
    """After how many turns without a mill the game is drawn, as things stand; 0 is never."""
    variant = position.variant
    totals = zip(position.counts, position.hands, position.out, strict=True)
    if not variant.endgame_plies or all(out or count + hand > variant.fly_at for count, hand, out in totals):
        return variant.draw_plies
    return min(variant.draw_plies or variant.endgame_plies, variant.endgame_plies)


def _has_occurred(keys: tuple[object, ...], variant: Variant, times: int) -> bool:
    """Whether the last of the positions has occurred ``times`` times, as the table counts that."""
    if len(keys) < times:
        return False
    if times == 1 or variant.repetition_mode == "total":
        return keys.count(keys[-1]) >= times
    return any(
        all(keys[-1 - k] == keys[-1 - k - period] for k in range((times - 2) * period + 1))
        for period in range(1, (len(keys) - 1) // (times - 1) + 1)
    )


def as_shown(before: Position, tops: Sequence[int], heights: Sequence[int] | None = None) -> Position:
    """``before`` with all points that show something else changed; new stones come from the hands.

    ``tops`` and ``heights`` as for ``Game.play_on``.
    """
    variant = before.variant
    stacks: list[tuple[Stone, ...]] = []
    counts, hands = [0] * variant.players, list(before.hands)
    for point, stack in enumerate(before.stacks):
        height = heights[point] if heights is not None else None
        tower = _tower(stack, tops[point], height)
        stacks.append(tower)
        for stone in tower:
            counts[stone.owner] += 1
    for player in range(variant.players):
        painted_before = sum(stone.paint == player for stack in before.stacks for stone in stack)
        painted_now = sum(stone.paint == player for stack in stacks for stone in stack)
        hands[player] = max(0, hands[player] - max(0, painted_now - painted_before))
    memory = before.memory._replace(queue=())
    return Position(variant, tuple(stacks), tuple(hands), before.to_move, tuple(counts), before.out, memory=memory)


def _tower(stack: tuple[Stone, ...], top: int, height: int | None) -> tuple[Stone, ...]:
    """The stones of one point, given what shows on top and how high it is (``None``: as little changed as can be)."""
    if top == 0:
        return ()
    paint = top - 1
    if height is None:
        if stack and stack[-1].paint == paint:
            return stack
        lower = stack[:-1]
        if lower and lower[-1].paint == paint:
            return lower
        height = max(1, len(stack))
    if len(stack) >= height and stack[height - 1].paint == paint:
        return stack[:height]
    base = stack[: height - 1]
    return base + (STONES[paint][paint],) * (height - len(base))
