"""Looking ahead for three players and more: max-n (Luckhardt and Irani, 1986), deepened turn by turn.

Everybody is taken to play for his own share of the game. A branch is left when its mover has found so much that the
player before him will not go there (shallow pruning, Korf 1991). Of a mill's captures only those are followed that
look best at once.
"""

from __future__ import annotations

from random import Random

from referee.advance import advance
from referee.game import Game
from referee.legal import is_quiet, legal_moves
from referee.moves import Move
from referee.position import Position
from referee.search.alpha_beta import MOST_DEPTH
from referee.search.evaluation import evaluate
from referee.search.thought import Limits, OutOfLimitsError, RankedTurn, Thought, Value
from referee.turns import Turn

Shares = tuple[float, ...]


class MaxN:
    """One thought about one position; parameters as for ``AlphaBeta``."""

    def __init__(self, game: Game, limits: Limits, imprecision: float = 0.0, seed: int = 0) -> None:
        self.n_positions = 0
        self._game, self._limits, self._imprecision = game, limits, imprecision
        self._rng = Random(f"{seed}/{game.ply}")
        self._shares: dict[object, Shares] = {}

    def think(self, *, also: Turn | None = None) -> Thought:
        """The best turn within the limits; ``also`` is compared with the others though its captures may be worse."""
        position = self._game.position
        turns = list(self._turns(position))
        if also is not None and also.moves not in [turn.moves for turn in turns]:
            turns.append(also)
        self._rng.shuffle(turns)
        me = position.to_move
        order = [(turn, self._look(turn.after)) for turn in turns]
        order.sort(key=lambda pair: -pair[1][me])
        depth = 1
        try:
            for deeper in range(2, min(self._limits.depth or MOST_DEPTH, MOST_DEPTH) + 1):
                if len(turns) == 1 and also is None:
                    break
                found = [(turn, self._search(turn.after, deeper - 1, 2.0)) for turn, _ in order]
                order = sorted(found, key=lambda pair: -pair[1][me])
                depth = deeper
                if all(turn.after.ended is not None for turn in turns):
                    break
        except OutOfLimitsError:
            pass  # the last whole depth stands
        ranked = tuple(RankedTurn(turn, self._value(turn, shares)) for turn, shares in order)
        best = ranked[0]
        return Thought(best.turn, best.value, (best.turn,), ranked, depth, self.n_positions)

    @staticmethod
    def _value(turn: Turn, shares: Shares) -> Value:
        ended = turn.after.ended
        if ended is not None:
            n = turn.after.variant.players
            return Value.drawn(n) if ended.winner is None else Value.won(n, ended.winner, 1)
        return Value(shares)

    def _search(self, position: Position, depth: int, enough: float) -> Shares:
        """The share of each player; ``enough`` for the mover is what the player before him does not allow."""
        if depth <= 0 or position.ended is not None:
            return self._look(position)
        me, best = position.to_move, None
        for _, after in self._actions(position):
            shares = self._search(after, depth - 1, 2.0 if best is None else 1.0 - best[me])
            if best is None or shares[me] > best[me]:
                best = shares
                if best[me] >= enough:
                    break
        return best if best is not None else self._look(position)

    def _turns(self, position: Position) -> list[Turn]:
        return [Turn(moves, after, after.closed, position.to_move) for moves, after in self._actions(position)]

    def _actions(self, position: Position) -> list[tuple[tuple[Move, ...], Position]]:
        """Every action, mills first, with the captures that look best, and what stands then."""
        moves = [*legal_moves(position)]
        if not position.dues:
            moves.sort(key=lambda move: is_quiet(position, move))
        return [self._completed((move,), advance(position, move)) for move in moves]

    def _completed(self, moves: tuple[Move, ...], after: Position) -> tuple[tuple[Move, ...], Position]:
        while after.dues:
            me = after.to_move
            options = [(move, advance(after, move)) for move in legal_moves(after)]
            move, after = max(options, key=lambda option: self._look(option[1])[me])
            moves = (*moves, move)
        return moves, after

    def _look(self, position: Position) -> Shares:
        """The shares as they look without looking ahead; exact where the game is over."""
        n = position.variant.players
        if position.ended is not None:
            winner = position.ended.winner
            return (1 / n,) * n if winner is None else tuple(float(player == winner) for player in range(n))
        key = (position.stacks, position.hands, position.out)
        known = self._shares.get(key)
        if known is None:
            self._count()
            points = tuple([p + self._rng.gauss(0.0, self._imprecision) for p in evaluate(position)])
            known = self._shares[key] = Value.estimated(points, position.out).shares
        return known

    def _count(self) -> None:
        self.n_positions += 1
        if self._limits.are_reached(self.n_positions):
            raise OutOfLimitsError
