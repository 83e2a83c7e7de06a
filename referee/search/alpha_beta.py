"""Looking ahead: alpha-beta, deepened turn by turn until the limits are reached.

Standard methods by their names: iterative deepening; principal variation search (Marsland and Campbell, 1982); a
transposition table; moves ordered by the table's move, mills, killer moves and history (Schaeffer, 1989); a quiescence
search that only follows moves which close a mill. A move is one act, so a mill and its captures are several plies of
the same side, and the sign of a value changes only with the side to move.

With three players and more all others are taken to play against the one who thinks, so that what is left is again a
game of two sides and the same search sees it; but between two of his turns only one of them, the one whom it serves
best, chooses among all his moves, and the rest play what is ordered first (best-reply search, BRS+: Esser, Gras,
Winands, Schadd and Lanctot, Computers and Games, 2013). It sees farther than a search in which all of them choose
(docs/STRENGTH.md).
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import NamedTuple
from zlib import crc32

from referee.advance import advance
from referee.game import Game, quiet_limit
from referee.legal import is_quiet, legal_moves
from referee.moves import Capture, Move, Place
from referee.position import Position
from referee.search.evaluation import evaluate, may_close
from referee.search.thought import Limits, OutOfLimitsError, RankedTurn, Thought, Value
from referee.turns import Turn, legal_turns

WIN = 1_000_000  # score of a won game, less the turns to its end
PROVED = WIN - 10_000  # scores beyond it are wins by force
MOST_DEPTH = 60  # turns ahead at which every search ends; hardly a position is looked at so far
MOST_MILLS_AHEAD = 3  # turns that close a mill which are followed beyond the depth
MOST_CAPTURES = 2  # stones that are tried for a capture with three players and more, where a mill takes up to five
MAX_TABLE = 400_000  # entries of the transposition table, about 200 MB
EXACT, AT_LEAST, AT_MOST = 0, 1, 2  # a score in the table is right, or the right one is not smaller, or not larger


class _Entry(NamedTuple):
    depth: int
    score: int
    bound: int
    move: Move | None

    def decides(self, alpha: int, beta: int) -> bool:
        """Whether the score is enough for a search between these bounds."""
        if self.bound == AT_LEAST:
            return self.score >= beta
        return self.bound == EXACT or self.score <= alpha


class AlphaBeta:
    """One thought about one position of a game that is not over.

    A weaker player adds ``imprecision``, a standard deviation in hundredths of a stone, to each evaluation; the
    ``seed`` decides it, and between turns that are equally good.
    """

    def __init__(self, game: Game, limits: Limits, imprecision: float = 0.0, seed: int = 0) -> None:
        self.n_positions = 0
        self._game, self._limits, self._imprecision, self._seed = game, limits, imprecision, seed
        self._entries: dict[tuple[object, ...], _Entry] = {}
        self._killers: dict[int, list[Move]] = {}
        self._history: dict[Move, int] = {}
        self._me = game.position.to_move
        most = max((game.variant.repetition or 3) - 1, 1)  # without that rule a third time brings nothing new either
        self._repeats = {key for key, n in Counter(game.repetition_keys).items() if n >= most}
        self._path: list[object] = []
        self._wanted: Position | None = None

    def think(self, *, all_turns: bool = False, also: Turn | None = None) -> Thought:
        """The best turn within the limits; ``also`` gets its own right value, with ``all_turns`` every turn does.

        Where not every way to take stones is compared, that of ``also`` is.
        """
        position = self._game.position
        rng = Random(f"{self._seed}/{self._game.ply}")  # noqa: S311  # nothing secret is drawn
        turns = self._turns(position)
        if also is not None and all(turn.after != also.after for turn in turns):
            turns.append(also)
        self._wanted = None if also is None else also.after
        rng.shuffle(turns)
        scored = [(turn, -WIN) for turn in turns]
        depth = 0
        try:
            for deeper in range(1, min(self._limits.depth or MOST_DEPTH, MOST_DEPTH) + 1):
                if deeper > 1 and len(turns) == 1 and not all_turns and also is None:
                    break
                scored = self._root(scored, deeper, all_turns=all_turns)
                depth = deeper
                if abs(scored[0][1]) > PROVED and WIN - abs(scored[0][1]) <= deeper:
                    break
        except OutOfLimitsError as cut:
            if depth == 0:
                glances = ((turn, self._by_sight(turn.after)) for turn in turns)
                scored = sorted(glances, key=lambda pair: -pair[1])
            elif cut.args and cut.args[0]:
                scored = cut.args[0]
        ranked = tuple(RankedTurn(turn, self._value(turn, score)) for turn, score in scored)
        best = ranked[0]
        line = (best.turn, *self._line_after(best.turn.after, depth - 1))
        return Thought(best.turn, best.value, line, ranked, depth, self.n_positions)

    # ------------------------------------------------------------ the root

    def _turns(self, position: Position) -> list[Turn]:
        """The turns to compare.

        With two players all of them; with more each action, every choice of the last stone that it takes, and of those
        before it what looks best.
        """
        if position.variant.players == 2:
            return list(legal_turns(position))
        turns: list[Turn] = []
        for move in legal_moves(position):
            moves: tuple[Move, ...] = (move,)
            after = advance(position, move)
            while after.owed > 1:
                options = [(move, advance(after, move)) for move in legal_moves(after)]
                move, after = max(options, key=lambda option: self._by_sight(option[1]))
                moves = (*moves, move)
            for last in legal_moves(after) if after.dues else (None,):
                whole, then = (moves, after) if last is None else ((*moves, last), advance(after, last))
                turns.append(Turn(whole, then, then.closed, self._me))
        return turns

    def _root(self, scored: list[tuple[Turn, int]], depth: int, *, all_turns: bool) -> list[tuple[Turn, int]]:
        """All turns with their scores at ``depth``, best first; only the best score is right unless all are wanted."""
        best = -WIN - 1
        results: list[tuple[Turn, int]] = []
        try:
            for turn, _ in scored:
                quiet = 0 if turn.mills or isinstance(turn.moves[0], Place) else self._game.quiet + 1
                if best == -WIN - 1 or all_turns or turn.after == self._wanted:
                    score = self._after(turn.after, self._game.position, depth, -WIN, WIN, quiet)
                else:
                    score = self._after(turn.after, self._game.position, depth, best, best + 1, quiet)
                    if score > best:
                        score = self._after(turn.after, self._game.position, depth, best, WIN, quiet)
                results.append((turn, score))
                best = max(best, score)
        except OutOfLimitsError:
            # the best of the last depth was looked at first: what beats it now is better, the rest is not known yet
            rest = [pair for pair in scored if pair[0] not in {turn for turn, _ in results}]
            if results and not all_turns and self._wanted is None:
                raise OutOfLimitsError([*sorted(results, key=lambda pair: -pair[1]), *rest]) from None
            raise OutOfLimitsError(None) from None
        return sorted(results, key=lambda pair: -pair[1])

    def _by_sight(self, position: Position) -> int:
        """The score for the player who thinks, without looking ahead."""
        score = self._end(position) if position.ended is not None else self._static(position)
        return score if self._is_mine(position) else -score

    def _value(self, turn: Turn, score: int) -> Value:
        n = self._game.variant.players
        if score > PROVED and n == 2:
            return Value.won(n, self._me, WIN - score)
        if score < -PROVED and n == 2:
            return Value.won(n, 1 - self._me, WIN + score)
        if turn.after.ended is not None:
            return Value.of(turn.after.ended, n, 1)
        points = [float(p) for p in evaluate(turn.after)]
        others = (sum(points) - points[self._me]) / (n - 1)
        points[self._me] = others + score
        return Value.estimated(tuple(points), turn.after.out)

    def _line_after(self, position: Position, most: int) -> list[Turn]:
        """How the game goes on by the table of positions."""
        line: list[Turn] = []
        past_keys: set[object] = set()
        repliers = (None, *range(position.variant.players))
        while len(line) < most and position.ended is None:
            moves: list[Move] = []
            here = position
            while True:
                key = self._key(here)
                entries = (self._entries.get((*key, replier)) for replier in repliers)
                entry = next((entry for entry in entries if entry is not None), None)
                if entry is None or entry.move is None or entry.move not in legal_moves(here):
                    return line
                moves.append(entry.move)
                here = advance(here, entry.move)
                if not here.dues:
                    break
            if here.repetition_key in past_keys:
                return line
            past_keys.add(here.repetition_key)
            line.append(Turn(tuple(moves), here, here.closed, position.to_move))
            position = here
        return line

    # ------------------------------------------------------------ the search

    @staticmethod
    def _key(position: Position) -> tuple[object, ...]:
        return (position.stacks, position.hands, position.to_move, position.dues, position.lock, position.bans,
                position.pending_ban, position.memory)  # fmt: skip

    def _after(
        self,
        after: Position,
        before: Position,
        depth: int,
        alpha: int,
        beta: int,
        quiet: int,
        replier: int | None = None,
    ) -> int:
        """The score of ``after`` for who moved in ``before``."""
        if after.dues:
            return self._search(after, depth, alpha, beta, quiet, replier)
        alpha, beta = _later(alpha), _later(beta)
        if self._is_mine(after) is self._is_mine(before):
            return _earlier(self._search(after, depth - 1, alpha, beta, quiet, replier))
        return _earlier(-self._search(after, depth - 1, -beta, -alpha, quiet, replier))

    def _search(
        self, position: Position, depth: int, alpha: int, beta: int, quiet: int, replier: int | None = None
    ) -> int:
        """The score of ``position`` for the player to move, right between ``alpha`` and ``beta``.

        ``replier`` is who of several others has chosen among all his moves since the last turn of the one who thinks.
        """
        self._count()
        if position.ended is not None or position.out[self._me]:
            return self._end(position)
        if not position.dues:
            if quiet:
                key = position.repetition_key
                if key in self._repeats or key in self._path:
                    return 0
                limit = position.variant.draw_plies or position.variant.endgame_plies
                if limit and 0 < quiet_limit(position) <= quiet:
                    return 0
            if depth <= 0:
                return self._quiescence(position, MOST_MILLS_AHEAD, alpha, beta, quiet)
        if position.variant.players == 2 or self._is_mine(position):
            replier = None
        return self._search_moves(position, depth, alpha, beta, quiet, replier)

    def _search_moves(
        self, position: Position, depth: int, alpha: int, beta: int, quiet: int, replier: int | None
    ) -> int:
        key = (*self._key(position), replier)
        entry = self._entries.get(key)
        if entry is not None and entry.depth >= depth and entry.decides(alpha, beta):
            return entry.score
        first_alpha, best, best_move = alpha, -WIN - 1, None
        is_whole = not position.dues
        if is_whole:
            self._path.append(position.repetition_key)
        try:
            for i, move in enumerate(self._ordered(position, depth, entry.move if entry else None)):
                if i == 1 and not self._is_mine(position):
                    if replier not in {None, position.to_move}:
                        break
                    replier = position.to_move  # after the first move another one may still choose instead
                after = advance(position, move)
                then = 0 if after.closed or isinstance(move, Place | Capture) else quiet + 1
                if i == 0:
                    score = self._after(after, position, depth, alpha, beta, then, replier)
                else:
                    score = self._after(after, position, depth, alpha, alpha + 1, then, replier)
                    if alpha < score < beta:
                        score = self._after(after, position, depth, alpha, beta, then, replier)
                if score > best:
                    best, best_move = score, move
                    if score > alpha:
                        alpha = score
                        if alpha >= beta:
                            self._note_cutoff(move, depth)
                            break
        finally:
            if is_whole:
                self._path.pop()
        bound = AT_LEAST if best >= beta else EXACT if best > first_alpha else AT_MOST
        if len(self._entries) < MAX_TABLE or key in self._entries:
            self._entries[key] = _Entry(depth, best, bound, best_move)
        return best

    def _quiescence(self, position: Position, mills_ahead: int, alpha: int, beta: int, quiet: int = 0) -> int:
        """The score of a position when only turns that close a mill are still followed."""
        self._count()
        if position.ended is not None or position.out[self._me]:
            return self._end(position)
        if position.dues:
            best = -WIN - 1
            moves: list[Move] = self._ordered(position, 0, None)
        else:
            best = self._static(position, quiet)
            if best >= beta or mills_ahead == 0 or not may_close(position):
                return best
            moves = [move for move in legal_moves(position) if not is_quiet(position, move)]
        alpha = max(alpha, best)
        for move in moves:
            after = advance(position, move)
            if not (after.closed or position.dues):
                continue
            if after.dues:
                score = self._quiescence(after, mills_ahead, alpha, beta)
            elif self._is_mine(after) is self._is_mine(position):
                score = _earlier(self._quiescence(after, mills_ahead - 1, _later(alpha), _later(beta)))
            else:
                score = _earlier(-self._quiescence(after, mills_ahead - 1, -_later(beta), -_later(alpha)))
            if score > best:
                best = score
                alpha = max(alpha, score)
                if alpha >= beta:
                    break
        return best

    def _is_mine(self, position: Position) -> bool:
        return position.to_move == self._me

    def _end(self, position: Position) -> int:
        """The score of a game that is over, or that the player who thinks has lost already."""
        if position.ended is not None and position.ended.winner is None:
            return 0
        has_won = position.ended is not None and position.ended.winner == self._me
        return WIN if has_won is self._is_mine(position) else -WIN

    def _static(self, position: Position, quiet: int = 0) -> int:
        """The score of a position as it looks, for its side; ``quiet`` turns without a mill bring a draw nearer."""
        points = evaluate(position)
        mine = points[self._me]
        score = mine - (sum(points) - mine) // (len(points) - 1)
        if not self._is_mine(position):
            score = -score
        if quiet and (limit := position.variant.draw_plies):
            score = score * max(limit - quiet, 0) // limit
        if self._imprecision:
            mix = crc32(bytes(position.owners) + bytes((self._seed & 255, position.to_move)))
            # two uniform halves of the checksum: a triangular distribution, of the wanted standard deviation
            score += round(((mix & 0xFFFF) + (mix >> 16) - 0xFFFF) / 0xFFFF * 2.449 * self._imprecision)
        return score

    def _ordered(self, position: Position, depth: int, first: Move | None) -> list[Move]:
        moves = list(legal_moves(position))
        if len(moves) < 2:
            return moves
        history, killers = self._history, self._killers.get(depth, ())
        if position.dues:
            gains = _in_the_way(position)
            index = position.variant.lookup.index
            order = [(gains[index[move.at]] if isinstance(move, Capture) else -1, move) for move in moves]
        else:
            order = []
            for move in moves:
                worth = history.get(move, 0)
                if not is_quiet(position, move):
                    worth += 1 << 40
                elif move in killers:
                    worth += 1 << 38
                order.append((worth, move))
        if first is not None:
            order = [((1 << 50) if move == first else worth, move) for worth, move in order]
        order.sort(key=lambda pair: -pair[0])
        if position.dues and position.variant.players > 2:
            del order[MOST_CAPTURES:]
        return [move for _, move in order]

    def _note_cutoff(self, move: Move, depth: int) -> None:
        killers = self._killers.setdefault(depth, [])
        if move not in killers:
            killers.insert(0, move)
            del killers[2:]
        self._history[move] = min(self._history.get(move, 0) + depth * depth, 1 << 36)

    def _count(self) -> None:
        self.n_positions += 1
        if self._limits.are_reached(self.n_positions):
            raise OutOfLimitsError(None)


def _earlier(score: int) -> int:
    """A score as it looks a turn earlier: a win is a turn farther away."""
    return score - 1 if score > PROVED else score + 1 if score < -PROVED else score


def _later(bound: int) -> int:
    """The bound that becomes this one by ``_earlier``."""
    return bound + 1 if bound > PROVED else bound - 1 if bound < -PROVED else bound


def _in_the_way(position: Position) -> list[int]:
    """For each point how much its stone is worth to its owner: lines on which he has two stones or three count most."""
    owners = position.owners
    worth = [0] * len(owners)
    for a, b, c in position.variant.board.lines:
        for owner in {owners[a], owners[b], owners[c]} - {0}:
            mine = [i for i in (a, b, c) if owners[i] == owner]
            if len(mine) + sum(not owners[i] for i in (a, b, c)) == 3:
                for i in mine:
                    worth[i] += (0, 1, 8, 4)[len(mine)]
    return worth
