"""Whole turns: what the table can lawfully look like once the player to move has moved and the hand is gone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from referee.advance import advance
from referee.legal import can_act, legal_moves
from referee.moves import Capture, Move, turn_text
from referee.position import Mills, Position


class Turn(NamedTuple):
    """A complete turn.

    Attributes
    ----------
    moves : tuple of Move
        The action and its captures, in order.
    after : Position
        What stands when the turn is over.
    mills : tuple of tuple of str
        The mills it closed, by the names of their points.
    player : int
        Who made it.
    remarks : tuple of str
        Kinds of foul that the players let stand, ``resigned`` or ``timed_out``, or ``resumed``
        (``referee.resumption``); such a turn has no moves.
    """

    moves: tuple[Move, ...]
    after: Position
    mills: Mills
    player: int
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        return turn_text(self.moves)

    @property
    def counted_mills(self) -> Mills:
        """The mills it closed; none where three in a row wins the game, which is no mill."""
        return () if self.after.variant.line_wins else self.mills

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
            if not after.out[player] and not can_act(replace(after, to_move=player)):
                between.append(player)
            player = (player + 1) % n
        return tuple(between)


def iter_turns(position: Position) -> Iterator[Turn]:
    """Every complete turn from here, one after another; see ``legal_turns``.

    Notes
    -----
    Captures that differ only in their order are one turn. With four players and more a mill can be followed by
    thousands of captures; whoever knows what the table shows should ask ``turns_showing`` instead.
    """
    me = position.to_move
    if position.dues:
        yield from _completions(position, (), me)
        return
    for move in legal_moves(position):
        acted = advance(position, move)
        if acted.dues:
            yield from _completions(acted, (move,), me)
        else:
            yield Turn((move,), acted, acted.closed, me)


def legal_turns(position: Position) -> tuple[Turn, ...]:
    """Every complete turn from here, captures included; while captures are due, every way to make them."""
    return tuple(iter_turns(position))


def partial_turns(position: Position) -> tuple[Turn, ...]:
    """The turns whose capture is still due: the action alone, and with several due also some of the captures."""
    me = position.to_move
    open_turns: list[Turn] = []
    layer: dict[Position, tuple[Move, ...]] = {}
    if position.dues:
        layer[position] = ()
    else:
        for move in legal_moves(position):
            acted = advance(position, move)
            if acted.dues:
                layer.setdefault(acted, (move,))
    while layer:
        deeper: dict[Position, tuple[Move, ...]] = {}
        for reached, moves in layer.items():
            if moves:
                open_turns.append(Turn(moves, reached, reached.closed, me))
            if reached.owed > 1:
                for move in reached.prey:
                    after = advance(reached, move)
                    if after.dues:
                        deeper.setdefault(after, (*moves, move))
        layer = deeper
    return tuple(open_turns)


def before_removal(position: Position, turn: Turn) -> Position:
    """What lies there after ``turn`` from ``position`` while the stones that leave the board with it still lie.

    It is ``turn.after`` unless a player goes out whose last stones are removed (``Variant.leftover``).
    """
    if position.variant.leftover != "remove" or turn.after.out == position.out:
        return turn.after
    reached = replace(position, variant=replace(position.variant, leftover="never"))
    for move in turn.moves:
        reached = advance(reached, move)
    return reached


def turns_showing(position: Position, tops: Sequence[int], heights: Sequence[int] | None = None) -> tuple[Turn, ...]:
    """The complete turns after which the table shows ``tops`` (and ``heights``), by point as in ``Position``.

    Quick for any number of players, because only stones that are gone from sight are tried as captures.
    """
    wanted = tuple(tops)
    tall = None if heights is None else tuple(heights)
    me = position.to_move
    starts: list[tuple[tuple[Move, ...], Position]] = []
    if position.dues:
        starts.append(((), position))
    else:
        starts = [((move,), advance(position, move)) for move in legal_moves(position)]
    found: list[Turn] = []
    for moves, reached in starts:
        layer = {reached: moves}
        while layer:
            deeper: dict[Position, tuple[Move, ...]] = {}
            for here, done in layer.items():
                if not here.dues:
                    if here.tops == wanted and (tall is None or here.heights == tall):
                        found.append(Turn(done, here, here.closed, me))
                    continue
                for move in legal_moves(here):
                    if _may_explain(here, move, wanted, tall):
                        deeper.setdefault(advance(here, move), (*done, move))
            layer = deeper
    return tuple(found)


def _may_explain(position: Position, move: Move, tops: tuple[int, ...], heights: tuple[int, ...] | None) -> bool:
    """Whether taking this stone can help the position to look as wanted."""
    if not isinstance(move, Capture):
        return True
    point = position.variant.tables.index[move.at]
    if heights is not None:
        return position.heights[point] > heights[point]
    return position.heights[point] > 1 or position.tops[point] != tops[point]


def _completions(position: Position, moves: tuple[Move, ...], player: int) -> Iterator[Turn]:
    """Every way to make the captures that are due, each set of stones once."""
    if len(position.dues) == 1 and position.dues[0].n == 1:
        for move in legal_moves(position):
            after = advance(position, move)
            yield Turn((*moves, move), after, after.closed, player)
        return
    layer = {position: moves}
    while layer:
        deeper: dict[Position, tuple[Move, ...]] = {}
        for reached, done in layer.items():
            for move in legal_moves(reached):
                after = advance(reached, move)
                if after not in deeper:
                    deeper[after] = (*done, move)
        layer = {}
        for after, done in deeper.items():
            if after.dues:
                layer[after] = done
            else:
                yield Turn(done, after, after.closed, player)
