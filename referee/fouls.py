"""Fouls: their kinds, the error that carries them, and the reasons why an act is one."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from referee.advance import advance
from referee.legal import closes, forbidden_centre, is_legal, protected, stands_on
from referee.moves import Capture, Decline, Move, Pass, Place, Rotate, Slide
from referee.position import Position
from referee.variant import Variant


class Foul(StrEnum):
    """A reason why an act is against the rules, the gravest first: so are reasons sorted for people."""

    AFTER_END = "after_end"
    WRONG_PLAYER = "wrong_player"
    MOVED_OPPONENT = "moved_opponent"
    CAPTURED_OWN = "captured_own"
    MOVED_WHILE_PLACING = "moved_while_placing"
    PLACED_WHILE_MOVING = "placed_while_moving"
    TWO_MOVES = "two_moves"
    PASSED = "passed"
    CENTRE_FORBIDDEN = "centre_forbidden"
    OCCUPIED = "occupied"
    STACK_TOO_HIGH = "stack_too_high"
    MOVED_BLOCKED = "moved_blocked"
    REMADE_MILL = "remade_mill"
    NOT_ADJACENT = "not_adjacent"
    ROTATED_BACK = "rotated_back"
    ROTATED_WITHOUT_STONE = "rotated_without_stone"
    CAPTURE_WITHOUT_MILL = "capture_without_mill"
    CAPTURED_NOTHING = "captured_nothing"
    CAPTURED_FROM_MILL = "captured_from_mill"
    TOO_MANY_CAPTURES = "too_many_captures"
    CAPTURE_MISSING = "capture_missing"
    TOO_MANY_STONES = "too_many_stones"
    STONE_VANISHED = "stone_vanished"
    STONE_APPEARED = "stone_appeared"


ORDER = {foul: rank for rank, foul in enumerate(Foul)}  # how grave a foul is, 0 the gravest


def sort_fouls(fouls: Iterable[Foul]) -> tuple[Foul, ...]:
    """The fouls, gravest first."""
    return tuple(sorted(fouls, key=ORDER.__getitem__))


class IllegalMoveError(ValueError):
    """A move that is not allowed here, with every reason against it, the gravest first."""

    def __init__(self, move: Move, reasons: Iterable[Foul]) -> None:
        self.move = move
        self.reasons = sort_fouls(reasons)
        super().__init__(f"illegal move {str(move)!r}: {', '.join(self.reasons)}")


def rule_behind(kind: str, variant: Variant) -> str:
    """The value of the option that makes an act this foul; empty where no option changes the sentence."""
    return variant.rotate_needs if Foul(kind) is Foul.ROTATED_WITHOUT_STONE else ""


def violations(position: Position, move: Move, player: int | None = None) -> frozenset[Foul]:
    """All reasons why ``move`` of ``player`` (else of who is to move) is not allowed here; none when it is."""
    reasons: set[Foul] = set()
    if position.ended is not None:
        reasons.add(Foul.AFTER_END)
    me = position.to_move if player is None else player
    if me != position.to_move:
        reasons.add(Foul.WRONG_PLAYER)
    if (position.dues or position.removing) and not isinstance(move, Capture | Decline):
        reasons.add(Foul.CAPTURE_MISSING)
    match move:
        case Place():
            reasons |= _against_placing(position, move, me)
        case Slide():
            reasons |= _against_sliding(position, move, me)
        case Rotate():
            reasons |= _against_turning(position, move, me)
        case Capture():
            reasons |= _against_taking(position, move, me)
        case Decline():
            if not position.dues:
                reasons.add(Foul.CAPTURE_WITHOUT_MILL)
            elif not all(due.optional for due in position.dues):
                reasons.add(Foul.CAPTURE_MISSING)
        case Pass():
            reasons.add(Foul.CAPTURE_MISSING if position.dues or position.removing else Foul.PASSED)
    if not reasons and not is_legal(position, move):
        # what only one game forbids and the kinds have no word for
        reasons.add(Foul.OCCUPIED if isinstance(move, Place) else Foul.MOVED_BLOCKED)
    return frozenset(reasons)


def play(position: Position, move: Move) -> Position:
    """The position after ``move``; always checked.

    Raises IllegalMoveError when the move is not allowed here; it carries every reason.
    """
    if not is_legal(position, move):
        raise IllegalMoveError(move, violations(position, move))
    return advance(position, move)


def _against_placing(position: Position, move: Place, me: int) -> set[Foul]:
    variant = position.variant
    reasons: set[Foul] = set()
    to = variant.lookup.index[move.to]
    if not position.hands[me]:
        reasons.add(Foul.PLACED_WHILE_MOVING if variant.slides else Foul.TOO_MANY_STONES)
    if len(position.stacks[to]) >= variant.max_height:
        reasons.add(Foul.OCCUPIED if variant.max_height == 1 else Foul.STACK_TOO_HIGH)
    if to == forbidden_centre(position):
        reasons.add(Foul.CENTRE_FORBIDDEN)
    return reasons


def _against_sliding(position: Position, move: Slide, me: int) -> set[Foul]:
    variant = position.variant
    reasons: set[Foul] = set()
    start, to = variant.lookup.index[move.start], variant.lookup.index[move.to]
    stack = position.stacks[start]
    if not stack:
        reasons.add(Foul.STONE_APPEARED)
    elif stack[-1].owner != me:
        # a stone of one's own further down is blocked; with none at all it was simply somebody else's
        reasons.add(Foul.MOVED_BLOCKED if any(stone.owner == me for stone in stack) else Foul.MOVED_OPPONENT)
    if position.hands[me] and not variant.slide_while_placing or not variant.slides:
        reasons.add(Foul.MOVED_WHILE_PLACING)
    if start == to or len(position.stacks[to]) >= variant.max_height:
        reasons.add(Foul.OCCUPIED if variant.max_height == 1 or start == to else Foul.STACK_TOO_HIGH)
    if to not in variant.lookup.near[start] and start != to and not position.may_fly(me):
        reasons.add(Foul.NOT_ADJACENT)
    banned = position.bans and position.bans[me] == (start, to)
    if banned and not reasons and closes(position, start, to):
        reasons.add(Foul.REMADE_MILL)
    return reasons


def _against_turning(position: Position, move: Rotate, me: int) -> set[Foul]:
    variant = position.variant
    reasons: set[Foul] = set()
    if not variant.rotates or abs(move.steps) != 1:
        reasons.add(Foul.MOVED_BLOCKED)
    needs_ring = variant.rotate_needs == "ring"
    if not (stands_on(position, move.ring, me) if needs_ring else position.counts[me]):
        reasons.add(Foul.ROTATED_WITHOUT_STONE)
    if variant.lock != "off" and position.lock == (move.ring, move.steps) and not position.dues:
        reasons.add(Foul.ROTATED_BACK)
    return reasons


def _against_taking(position: Position, move: Capture, me: int) -> set[Foul]:
    variant = position.variant
    reasons: set[Foul] = set()
    point = variant.lookup.index[move.at]
    stack = position.stacks[point]
    if not position.dues and not position.removing:
        reasons.add(Foul.CAPTURE_WITHOUT_MILL)
    level = len(stack) - 1 if move.level is None else move.level - 1
    if not 0 <= level < len(stack):
        reasons.add(Foul.CAPTURED_NOTHING)
        return reasons
    owner = stack[level].owner
    if owner == me:
        reasons.add(Foul.CAPTURED_OWN)
        return reasons
    if variant.take_from == "top" and level != len(stack) - 1:
        reasons.add(Foul.MOVED_BLOCKED)
    if move in position.prey:
        return reasons
    if position.dues and not any(due.victims >> owner & 1 for due in position.dues):
        reasons.add(Foul.TOO_MANY_CAPTURES)
    safe = protected(position.stacks, variant) if variant.protect != "never" else frozenset()
    if (point, level) in safe:
        places = (
            (i, k) for i, tower in enumerate(position.stacks) for k, one in enumerate(tower) if one.owner == owner
        )
        if variant.protect == "always" or not safe.issuperset(places):
            reasons.add(Foul.CAPTURED_FROM_MILL)
    if position.removing and not reasons:
        reasons.add(Foul.NOT_ADJACENT)
    if move.level is None and variant.take_from == "any" or move.level is not None and variant.take_from == "top":
        reasons.add(Foul.MOVED_BLOCKED)
    return reasons
