"""A seen position in, a game that goes on from it out. The record says that nobody knows how it came about.

The player to move may be open, and whether missing stones are still to be laid. ``possible_games`` names the games that
it may be; the next turn decides among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

from referee.fouls import IllegalMoveError
from referee.game import Game, as_shown
from referee.moves import Move, Place
from referee.position import Position
from referee.turns import legal_turns
from referee.variant import Variant

RESUMED = "resumed"  # remark on the turn, without moves, that takes a seen position over
MOVER_OPEN = "mover_open"  # remark beside it: nobody knows whose turn it is

# share of all stones up to which stones that lie as if laid in turn were, and none has been taken; source: measured, 60
# games each of four games by players who take mills and else play at random: from 0.6 on the others are more
MOST_LAID_SHARE = 0.5

HANDS_OPEN = "hands_open"  # remark beside it: the stones that are missing are still to be laid, or were taken


def resume(game: Game, tops: Sequence[int], to_move: int | None) -> Game:
    """The game that goes on from a seen position, which replaces one that was taken over just before.

    ``to_move`` is ``None`` while it is open whose turn it is; where nothing is open, the position is judged as after
    any turn. Raises ValueError when there are not as many ``tops`` as points, no such player, or no such stone.
    """
    n_players, n_points = game.variant.players, len(game.position.tops)
    if len(tops) != n_points or not all(0 <= top <= n_players for top in tops):
        raise ValueError(f"tops must be {n_points} numbers from 0 to {n_players}, got {tuple(tops)!r}")
    if to_move is not None and not 0 <= to_move < n_players:
        raise ValueError(f"to_move must be below {n_players}, got {to_move!r}")
    if game.pending:
        game = game.take_back()
    if game.turns and RESUMED in game.turns[-1].remarks:
        game = game.take_back()
    before = game.position
    after = as_shown(before, tops)
    remarks = [RESUMED]
    if to_move is None:
        remarks.append(MOVER_OPEN)
        to_move = mover_by_counts(before, tops)
    if to_move is None:
        in_game = [player for player in range(n_players) if not after.out[player]]
        to_move = max(in_game, key=lambda player: (after.hands[player], player == before.to_move))
    if any(after.hands) and game.variant.min_stones:
        remarks.append(HANDS_OPEN)
    return game.play_on(tops, to_move=to_move, kinds=remarks, is_judged=remarks == [RESUMED])


def is_mover_open(game: Game) -> bool:
    """Whether it is open whose turn it is."""
    return bool(game.turns) and MOVER_OPEN in game.turns[-1].remarks and game.outcome is None


def mover_by_counts(before: Position, tops: Sequence[int]) -> int | None:
    """The player to move by the numbers of stones (laid in turn, none gone), else ``None``."""
    after = as_shown(before, tops)
    if not any(after.hands) or any(now < then for now, then in zip(after.counts, before.counts, strict=True)):
        return None
    order = [(before.variant.first + k) % before.variant.players for k in range(before.variant.players)]
    order = [player for player in order if not after.out[player]]
    n_laid = [before.variant.hands[player] - after.hands[player] for player in order]
    n_ahead = sum(n > n_laid[-1] for n in n_laid)
    in_turn = all(n == n_laid[-1] + (k < n_ahead) for k, n in enumerate(n_laid))
    return order[n_ahead] if in_turn else None


def are_sides_open(tops: Sequence[int]) -> bool:
    """Whether two players show equally many stones, so that numbers do not tell which colour is which player's."""
    counts = [tops.count(top) for top in set(tops) - {0}]
    return len(set(counts)) < len(counts)


def with_sides_changed(game: Game, later_game: Game) -> Game | None:
    """The game with the players' stones changed over, where the turns of ``later_game`` show that; else ``None``.

    It was taken over with as many stones of the one as of the other: who lays the next one is first.
    """
    mover = mover_by_counts(game.take_back().position, game.position.tops) if is_mover_open(game) else None
    is_open = mover is not None and game.variant.players == 2 and are_sides_open(game.position.tops)
    turn = next(iter(later_game.turns[game.ply :]), None) if is_open else None
    if turn is None or turn.player == mover or not isinstance(next(iter(turn.moves), None), Place):
        return None
    return resume(game, [(0, 2, 1)[top] for top in game.position.tops], mover)


def begun_with(game: Game, lying: Mapping[int, int]) -> tuple[Game, tuple[int, ...]] | None:
    """The turns of a game at whose beginning some stones more lay, tops by point; and each player's name in it.

    The players change their names where the numbers of stones then tell it. ``None`` where the turns are not lawful so.
    """
    n_first = 1 + max((k for k, turn in enumerate(game.turns) if RESUMED in turn.remarks), default=-1)
    first, later = Game.replay(game.first_position, game.turns[:n_first]), game.turns[n_first:]
    tops = [lying.get(point, top) for point, top in enumerate(first.position.tops)]
    before = first.take_back().position if n_first else first.position
    for order in permutations(range(game.variant.players)):
        new_tops = [order[top - 1] + 1 if top else 0 for top in tops]
        mover = mover_by_counts(before, new_tops)
        again, players = resume(first, new_tops, mover), [order[turn.player] for turn in later]
        try:
            for turn, player in zip(later, players, strict=True):
                again = play_as_read(again, turn.moves, player)
        except IllegalMoveError:
            continue
        if mover is not None and [turn.player for turn in again.turns[again.ply - len(later) :]] == players:
            return again, order
    return None


def likeliest_hands(variant: Variant, counts: Sequence[int]) -> tuple[tuple[int, ...], int]:
    """The likeliest stones in each hand and player to move, for the numbers of stones on the board.

    Missing stones are still to be laid where nothing can have been taken, and where the stones lie as if laid in turn
    and are no more than ``MOST_LAID_SHARE`` of all. Else they were taken, and the first player's turn is as likely as
    any.
    """
    n, n_players = sum(counts), variant.players
    order = [(variant.first + k) % n_players for k in range(n_players)]
    is_in_turn = all(counts[player] == n // n_players + (k < n % n_players) for k, player in enumerate(order))
    if variant.line_wins or (is_in_turn and n <= MOST_LAID_SHARE * sum(variant.hands)):
        n_absent = (hand - count for hand, count in zip(variant.hands, counts, strict=True))
        return tuple(max(0, n_left) for n_left in n_absent), order[n % n_players]
    return (0,) * n_players, variant.first


def possible_games(game: Game) -> tuple[Game, ...]:
    """The games that a game may be, itself first; more than one only after it was taken over as it was seen."""
    resumed = [k for k, turn in enumerate(game.turns) if RESUMED in turn.remarks]
    if not resumed or game.pending or game.outcome is not None:
        return (game,)
    return tuple(
        _possible_games(game, fresh=resumed[-1] == len(game.turns) - 1, remarks=game.turns[resumed[-1]].remarks)
    )


def _possible_games(game: Game, fresh: bool, remarks: tuple[str, ...]) -> Iterator[Game]:
    now, last = game.position, game.turns[-1]
    others = [player for player in range(game.variant.players) if not now.out[player] and player != now.to_move]
    is_open = fresh and (MOVER_OPEN in remarks or HANDS_OPEN in remarks)  # stones that were taken mislead the count
    movers = [now.to_move, *others] if is_open else [now.to_move]
    may_be_empty = HANDS_OPEN in remarks and min(now.counts[player] for player in movers) >= game.variant.min_stones
    for hands in dict.fromkeys((now.hands, (0,) * len(now.hands))) if may_be_empty else (now.hands,):
        for player in movers:
            if (hands, player) == (now.hands, now.to_move) and not (fresh and MOVER_OPEN in remarks):
                yield game
                continue
            other_remarks = tuple(remark for remark in last.remarks if remark != MOVER_OPEN)
            turn = last._replace(reached=now._replace(hands=hands, to_move=player), remarks=other_remarks)
            yield Game.replay(game.first_position, (*game.turns[:-1], turn))


def play_as_read(game: Game, moves: Sequence[Move], player: int | None = None) -> Game:
    """The game after ``moves`` in the first possible game that allows them (with ``player`` to move).

    Raises IllegalMoveError when no reading allows them.
    """
    candidates = possible_games(game)
    error: IllegalMoveError | None = None
    for reading in [one for one in candidates if player in (None, one.position.to_move)] or candidates:
        try:
            for move in moves:
                reading = reading.play(move)
        except IllegalMoveError as why:
            error = error or why
        else:
            return reading
    assert error is not None  # a game has one reading at least
    raise error


def is_soon_after(game: Game, tops: Sequence[int], n_turns: int) -> bool:
    """Return whether a table shows the game with up to ``n_turns`` turns more, or in the middle of its next one."""
    goal = tuple(tops)
    if any(game.play(move).position.tops == goal for move in game.legal_moves):
        return True
    return any(_leads_to(one.position, goal, n_turns) for one in possible_games(game))


def _leads_to(position: Position, tops: tuple[int, ...], n_turns: int) -> bool:
    for turn in legal_turns(position):
        after = turn.tops
        if after == tops:
            return True
        is_on_the_way = all(now in (then, top) for now, then, top in zip(after, position.tops, tops, strict=True))
        if n_turns > 1 and is_on_the_way and turn.after.ended is None and _leads_to(turn.after, tops, n_turns - 1):
            return True
    return False
