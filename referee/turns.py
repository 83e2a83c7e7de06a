"""A position in, its whole lawful turns out: what the table can look like once the hand is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from itertools import chain, combinations, product
from operator import add
from typing import NamedTuple

from referee.advance import advance
from referee.legal import can_act, is_quiet, legal_moves
from referee.moves import Capture, Move, Place, Slide, turn_text
from referee.position import Due, Mills, Position


class _Fields(NamedTuple):
    moves: tuple[Move, ...]  # the action and its captures, in order
    reached: Position  # the position after all moves but those in ``left``
    mills: Mills  # that it closed
    player: int
    remarks: tuple[str, ...] = ()  # fouls that stood, ``resigned``, ``timed_out`` or ``resumed``; it has no moves then
    left: tuple[Move, ...] = ()  # the last of the moves; each changes only the points that it names


class Turn(_Fields):
    """A complete turn, or one whose captures are not all made yet.

    Positions are computed lazily: ``after`` makes the moves in ``left``.
    """

    @cached_property
    def after(self) -> Position:
        """The position when the turn is over."""
        return reduce(advance, self.left, self.reached)

    @property
    def tops(self) -> tuple[int, ...]:
        """The tops after the turn, by point as in ``Position.tops``."""
        if not self.left:
            return self.reached.tops
        tops, index = list(self.reached.tops), self.reached.variant.lookup.index
        for move in self.left:
            if isinstance(move, Capture):
                tops[index[move.at]] = 0
            elif isinstance(move, Place):
                tops[index[move.to]] = self.player + 1
            elif isinstance(move, Slide):
                start = index[move.start]
                tops[index[move.to]], tops[start] = tops[start], 0
        return tuple(tops)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Turn) and self._identity == other._identity

    def __ne__(self, other: object) -> bool:
        return not self == other  # else it is that of tuples

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[object, ...]:
        return self.moves, self.after, self.mills, self.player, self.remarks

    def __str__(self) -> str:
        return turn_text(self.moves)

    @property
    def wins(self) -> bool:
        """Whether it wins the game for the player who made it."""
        ended = self.after.ended
        return ended is not None and ended.winner == self.player

    @property
    def counted_mills(self) -> Mills:
        """The mills it closed; none where three in a row wins the game, which is no mill."""
        return () if self.reached.variant.line_wins else self.mills

    @property
    def skipped(self) -> tuple[int, ...]:
        """Players passed over after this turn because they cannot act, in order."""
        after = self.after
        if after.ended is not None or after.variant.stalemate != "pass":
            return ()
        n = after.variant.players
        between: list[int] = []
        player = (self.player + 1) % n
        while player != after.to_move:
            if not after.out[player] and not can_act(after._replace(to_move=player)):
                between.append(player)
            player = (player + 1) % n
        return tuple(between)


def iter_turns(position: Position) -> Iterator[Turn]:
    """Every complete turn from here, one after another; see ``legal_turns``.

    Captures that differ only in their order are one turn. With four players and more a mill can be followed by
    thousands of captures; use ``turns_showing`` where it is known what the table shows.
    """
    for turn in _acted(position):
        yield from _completions(turn)


def legal_turns(position: Position) -> tuple[Turn, ...]:
    """Every complete turn from here, captures included; while captures are due, every way to make them."""
    return tuple(iter_turns(position))


def partial_turns(position: Position) -> tuple[Turn, ...]:
    """The turns whose capture is still due: the action alone, and with several due also some of the captures."""
    return _begun(_acted(position))


def whole_and_begun(position: Position) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
    """``legal_turns`` and ``partial_turns``, together quicker."""
    acted = list(_acted(position))
    return tuple([turn for action in acted for turn in _completions(action)]), _begun(acted)


def _acted(position: Position) -> Iterator[Turn]:
    """The turns as far as their actions; while captures are due, as far as they have come."""
    me = position.to_move
    if position.dues:
        yield Turn((), position, position.closed, me)
        return
    for move in legal_moves(position):
        if is_quiet(position, move):
            yield Turn((move,), position, (), me, (), (move,))
        else:
            reached = advance(position, move)
            yield Turn((move,), reached, reached.closed, me)


def _completions(action: Turn) -> Iterator[Turn]:
    """Every way to make the captures that are due after an action, each set of stones once."""
    moves, position, closed, player = action[:4]
    if action.left or not position.dues:
        yield action
        return
    if choices := _free_choices(position):
        for picks in product(*(combinations(takes, due.n) for due, takes in choices)):
            captures = tuple(chain.from_iterable(picks))
            yield Turn((*moves, *captures), position, closed, player, (), captures)
        return
    if position.owed == 1:
        for move in legal_moves(position):
            after = advance(position, move)
            yield Turn((*moves, move), after, after.closed, player)
        return
    for layer in _layers({position: moves}):
        yield from (Turn(done, after, after.closed, player) for after, done in layer.items() if not after.dues)


def _layers(
    layer: dict[Position, tuple[Move, ...]], may: Callable[[Position, Move], bool] = lambda _, __: True
) -> Iterator[dict[Position, tuple[Move, ...]]]:
    """What stands after one more capture that is due (and may be tried), after two and so on, with all moves so far.

    Captures that differ only in their order lead to the same position, which stands there once.
    """
    while layer:
        deeper: dict[Position, tuple[Move, ...]] = {}
        for here, moves in layer.items():
            for move in legal_moves(here) if here.dues else ():
                if may(here, move):
                    deeper.setdefault(advance(here, move), (*moves, move))
        yield deeper
        layer = deeper


def _begun(actions: Iterable[Turn]) -> tuple[Turn, ...]:
    """The turns that begin with one of the actions and still have captures due: those with fewest moves first."""
    layer: dict[Position, tuple[Move, ...]] = {}
    for action in actions:
        if action.reached.dues and not action.left:
            layer.setdefault(action.reached, action.moves)
    turns = [Turn(moves, reached, reached.closed, reached.to_move) for reached, moves in layer.items() if moves]
    free = {reached: choices for reached in layer if (choices := _free_choices(reached))}
    if len(free) == len(layer):
        for n in range(1, max((reached.owed for reached in layer), default=0)):
            turns += [
                Turn((*layer[reached], *captures), reached, reached.closed, reached.to_move, (), captures)
                for reached, choices in free.items()
                if n < reached.owed
                for captures in _some_of(choices, n)
            ]
        return tuple(turns)
    for deeper in _layers(layer, lambda here, _: here.owed > 1):
        unfinished = ((reached, moves) for reached, moves in deeper.items() if reached.dues)
        turns += [Turn(moves, reached, reached.closed, reached.to_move) for reached, moves in unfinished]
    return tuple(turns)


def _free_choices(position: Position) -> list[tuple[Due, list[Move]]]:
    """Each due with what may be taken for it, where no capture changes what else may be; else nothing.

    So it is on a board without towers where each player owes stones of his own, has enough, and his going out neither
    gives his last stones away nor ends the game, unless it is the last capture of all that ends it.
    """
    variant, dues = position.variant, position.dues
    if variant.max_height > 1 or variant.leftover == "remove":
        return []
    if position.owed == 1:
        return [(dues[0], list(legal_moves(position)))]
    takes: dict[int, list[Move]] = {player: [] for player in range(variant.players)}
    for take in position.prey:
        takes[position.stacks[variant.lookup.index[take.at]][-1].owner].append(take)
    totals, ends = list(map(add, position.counts, position.hands)), True
    choices: list[tuple[Due, list[Move]]] = []
    for due in dues:
        victim = due.victims.bit_length() - 1
        grows = due.n > 1 and variant.protect == "unless_all"  # stones in mills may be taken when there are no others
        if due.victims != 1 << victim or due.optional or grows or len(takes[victim]) < due.n:
            return []
        totals[victim] -= due.n
        ends &= totals[victim] == variant.min_stones - 1 and not position.out[victim]  # not before his last stone due
        choices.append((due, takes[victim]))
    stay = [stones >= variant.min_stones for stones, out in zip(totals, position.out, strict=True) if not out]
    if all(stay):
        return choices
    return choices if (sum(stay) > 1 or ends) and variant.leftover != "convert" else []


def _some_of(choices: Sequence[tuple[Due, Sequence[Move]]], n: int) -> Iterator[tuple[Move, ...]]:
    """Every way to take ``n`` stones, no more for a due than it says, the first dues first."""
    prey = [(take, k) for k, (_, takes) in enumerate(choices) for take in takes]
    for picks in combinations(prey, n):
        captures, owed_by = zip(*picks, strict=True)
        if all(owed_by.count(k) <= due.n for k, (due, _) in enumerate(choices)):
            yield captures


def before_removal(position: Position, turn: Turn) -> Position:
    """What lies there after ``turn`` from ``position`` while the stones that leave the board with it still lie.

    It is ``turn.after`` unless a player goes out whose last stones are removed (``Variant.leftover``).
    """
    if position.variant.leftover != "remove" or turn.after.out == position.out:
        return turn.after
    reached = position._replace(variant=replace(position.variant, leftover="never"))
    for move in turn.moves:
        reached = advance(reached, move)
    return reached


def turns_showing(position: Position, tops: Sequence[int], heights: Sequence[int] | None = None) -> tuple[Turn, ...]:
    """The complete turns after which the table shows ``tops`` (and ``heights``), by point as in ``Position``.

    Quick for any number of players, because only stones that are gone from sight are tried as captures.
    """
    goal = tuple(tops)
    tall = None if heights is None else tuple(heights)
    me = position.to_move
    turns: list[Turn] = []
    for action in _acted(position):
        start = {action.after: action.moves}
        for layer in (start, *_layers(start, lambda here, move: _may_explain(here, move, goal, tall))):
            turns += [
                Turn(moves, here, here.closed, me)
                for here, moves in layer.items()
                if not here.dues and here.tops == goal and (tall is None or here.heights == tall)
            ]
    return tuple(turns)


def _may_explain(position: Position, move: Move, tops: tuple[int, ...], heights: tuple[int, ...] | None) -> bool:
    """Whether taking this stone can help the position to look as wanted."""
    if not isinstance(move, Capture):
        return True
    point = position.variant.lookup.index[move.at]
    if heights is not None:
        return position.heights[point] > heights[point]
    return position.heights[point] > 1 or position.tops[point] != tops[point]
