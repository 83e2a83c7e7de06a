"""Why a turn is good or bad, in terms of the table: what it closes, opens, blocks and leads to.

A reason is data; ``reason_sentences`` says it in words. Nothing is claimed that the position or the search does not
show. In games won by three in a row, the chance of such a row takes the place of the chance of a mill.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from languages import catalogue, grammar
from referee.advance import advance
from referee.announce import Speaker
from referee.game import Game
from referee.legal import is_quiet, legal_moves
from referee.moves import RING_LETTERS, Capture, Move, Place, Rotate, Slide
from referee.position import Position
from referee.search.thought import RankedTurn
from referee.typed_json import Player

MOST_REASONS = 3  # more than three are not listened to
FEW_MOVES = 2  # so few moves that somebody is nearly shut in


class Reason(NamedTuple):
    """One thing that speaks for a turn, or against it."""

    kind: str  # its sentence is ``reason.<kind>`` in ``languages/xx/search.json``
    points: tuple[str, ...] = ()  # where it is seen on the board; may be empty
    n: int = 0  # how many: of mills, moves or turns; 0 where the sentence has no number
    player: Player | None = None  # whom else it is about, 0 first


class Chance(NamedTuple):
    """A mill, or three in a row, that a player could close at once if it were his turn."""

    player: int  # whose, 0 first
    lines: tuple[tuple[str, ...], ...]  # what would be closed
    move: Move  # how

    @property
    def goal(self) -> str:
        """The point that is filled; for a ring that is turned, the point of the line that lies on it."""
        if isinstance(self.move, Place | Slide):
            return self.move.to
        line = self.lines[0]
        letter = RING_LETTERS[self.move.ring] if isinstance(self.move, Rotate) else ""
        return next((point for point in line if point.startswith(letter)), line[0])


def chances(position: Position, player: int) -> tuple[Chance, ...]:
    """What ``player`` could close if it were his turn in ``position``."""
    if position.ended is not None or position.out[player]:
        return ()
    here = position._replace(to_move=player, dues=(), prey=(), closed=())
    return tuple(
        Chance(player, after.closed, move)
        for move in legal_moves(here)
        if not isinstance(move, Capture) and not is_quiet(here, move)
        if (after := advance(here, move)).closed
    )


def reasons_for(game: Game, choice: RankedTurn) -> tuple[Reason, ...]:
    """What speaks for a turn in ``game`` (or, where it loses, against it), the weightiest first; at most three."""
    position, (turn, value) = game.position, choice
    me, after = position.to_move, turn.after
    if turn.wins:
        return (Reason("wins_now"),)
    reasons: list[Reason] = []
    if value.is_proved and value.turns is not None:
        reasons.append(Reason("wins_in" if value.winner == me else "loses_in", n=value.turns, player=value.winner))
    elif value.is_proved and value.winner is None:
        reasons.append(Reason("holds_draw"))
    others = [player for player in range(game.variant.players) if player != me]
    threats = [chance for other in others for chance in chances(position, other)]
    later = [chance for other in others for chance in chances(after, other)]
    if turn.counted_mills:
        n = len(turn.counted_mills)
        reasons.append(Reason("closes" if n == 1 else "closes_more", turn.counted_mills[0] if n == 1 else (), n))
    captures = {move.at for move in turn.moves if isinstance(move, Capture)}
    reasons += _stopped(threats, later, captures, wins=game.variant.line_wins)
    reasons += _opened(position, after, me, wins=game.variant.line_wins)
    reasons += _shut_in(after, others)
    if not reasons and game.variant.max_height == 1:
        reasons += _placed(turn.moves, position, after, me)
    reasons += _allowed(later, after.to_move, wins=game.variant.line_wins)
    return tuple(reasons[:MOST_REASONS])


def _stopped(threats: list[Chance], later: list[Chance], captures: set[str], *, wins: bool) -> list[Reason]:
    """What the others could have closed and now cannot."""
    still = {line for chance in later for line in chance.lines}
    stopped = [chance for chance in threats if not still.intersection(chance.lines)]
    if not stopped:
        return []
    first = stopped[0]
    if captures.intersection(point for line in first.lines for point in line) or _start(first.move) in captures:
        return [Reason("takes_threat", tuple(sorted(captures)), player=first.player)]
    return [Reason("blocks_row" if wins else "blocks", (first.goal,), player=first.player)]


def _start(move: Move) -> str:
    return move.start if isinstance(move, Slide) else ""


def _opened(before: Position, after: Position, me: int, *, wins: bool) -> list[Reason]:
    """What the mover threatens that he did not threaten before."""
    old = {line for chance in chances(before, me) for line in chance.lines}
    now = chances(after, me)
    fresh = {line: chance.goal for chance in now for line in chance.lines if line not in old}
    if not fresh:
        return []
    goals, kind = tuple(dict.fromkeys(fresh.values())), "row" if wins else "mill"
    if len(fresh) > 1:
        return [Reason(f"opens_{kind}s", goals, len(fresh))]
    owners, names = after.owners, after.board.points
    standing = [{names[i] for i in line} for line in after.board.lines if all(owners[i] == me + 1 for i in line)]
    if not wins and any(_start(chance.move) in line for chance in now for line in standing):
        return [Reason("swings", goals)]
    return [Reason(f"opens_{kind}", goals, 1)]


def _placed(moves: Iterable[Move], before: Position, after: Position, me: int) -> list[Reason]:
    """What the lines through the point say on which the stone comes to stand, where nothing is closed or threatened."""
    goal = next((move.to for move in moves if isinstance(move, Place | Slide)), None)
    if goal is None:
        return []
    names, index, owners = before.board.points, before.board.index, after.owners
    lines = [line for line in before.board.lines if index[goal] in line]
    open_lines = [line for line in lines if all(owners[i] in (0, me + 1) for i in line)]
    started = [line for line in open_lines if sum(owners[i] == me + 1 for i in line) > 1]
    barred = [line for line in lines if sum(owners[i] == me + 1 for i in line) == 1 and line not in open_lines]
    reasons = []
    if started:
        reasons.append(Reason("prepares", tuple(names[i] for i in started[0] if not owners[i])))
    if barred:
        [*_, other] = sorted({owners[i] - 1 for i in barred[0]} - {-1, me})
        reasons.append(Reason("hinders", tuple(names[i] for i in barred[0]), player=other))
    if open_lines and not started:
        n = len(open_lines)
        reasons.append(Reason("free_lines" if n > 1 else "free_line", (goal,), n))
    return reasons[:2]


def _shut_in(after: Position, others: list[int]) -> list[Reason]:
    """Who can hardly move any more."""
    if after.ended is not None or after.to_move not in others or after.hands[after.to_move] or after.dues:
        return []
    n = len(legal_moves(after))
    return [Reason("shuts_in" if n > 1 else "shuts_in_one", n=n, player=after.to_move)] if n <= FEW_MOVES else []


def _allowed(later: list[Chance], next_player: int, *, wins: bool) -> list[Reason]:
    """What the next player can close."""
    goals = tuple(dict.fromkeys(chance.goal for chance in later if chance.player == next_player))
    return [Reason("allows_row" if wins else "allows_mill", goals, len(goals), next_player)] if goals else []


def reason_sentences(
    reasons: Sequence[Reason], language: str = "en", colours: Sequence[str] | None = None, *, spoken: bool = False
) -> str:
    """Say reasons one after another, for players; parameters as for ``referee.announce.sentence``.

    >>> reason_sentences([Reason("blocks", ("d2",), player=1)], "en", ("red", "blue"))
    'It keeps Blue from a mill on d2.'
    >>> reason_sentences([Reason("opens_mills", ("a1", "d2"), 2)], "de")
    'Damit drohen zwei Mühlen zugleich: auf a1 und d2.'
    """
    phrases, speaker = catalogue(language, "search")["reason"], Speaker(language, colours, spoken=spoken)
    sentences = []
    for kind, points, n, player in reasons:
        other = "" if player is None else speaker.inside(player)
        sentences.append(phrases[kind].format(points=speaker.points(points), n=speaker.number(n), other=other))
    return " ".join(map(grammar(language), sentences))
