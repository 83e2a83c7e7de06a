"""A position as a value: stones on the points, stones in the hands, the player to move, captures due.

Positions are values: nothing changes one, ``rules.play`` makes new ones. A stone keeps its owner and its paint apart,
because in one game the last stones of a player who is out change sides but not colour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from languages import message
from referee.board import Board
from referee.endings import Outcome
from referee.moves import Capture
from referee.variant import Variant


class Stone(NamedTuple):
    """A stone: the player who owns it, and the player in whose colour it is painted (both 0 first)."""

    owner: int
    paint: int


class Due(NamedTuple):
    """Captures that the mover still has to make."""

    victims: int  # bit ``1 << player`` for each player from whom the stones may come
    n: int  # how many stones
    optional: bool  # whether the mover may leave them

    @property
    def players(self) -> list[int]:
        """The players from whom the stones may come."""
        return [player for player in range(self.victims.bit_length()) if self.victims >> player & 1]


Stacks = tuple[tuple[Stone, ...], ...]

Mills = tuple[tuple[str, ...], ...]  # by the names of their points
Bans = tuple[tuple[int, int] | None, ...]  # start and goal


class Memory(NamedTuple):
    """The memory that only some games need; empty in all others."""

    # by player: bit ``1 << line`` for each line of the board that gives that player no capture again
    # (``Variant.one_time``); empty before the first one
    spent: tuple[int, ...] = ()
    first_mill: int | None = None  # who closed the first mill of the game, where a full board asks for it
    # who comes next, before turns go round again; between turns, when something stands here, the player to move takes a
    # stone off the board instead of acting (``Position.removing``)
    queue: tuple[int, ...] = ()


NO_MEMORY = Memory()

# ``STONES[owner][paint]``: the stones, made once
STONES: tuple[tuple[Stone, ...], ...] = tuple(tuple(Stone(o, p) for p in range(6)) for o in range(6))


class _Fields(NamedTuple):
    """A tuple is the fastest kind of object to make and read, and looking ahead makes many."""

    variant: Variant
    stacks: Stacks  # by point, its stones, bottom first
    hands: tuple[int, ...]  # by player, the stones not yet placed
    to_move: int
    counts: tuple[int, ...]  # by player, the stones on the board; kept along because it is asked for all the time
    out: tuple[bool, ...]  # by player, whether the game goes on without them
    dues: tuple[Due, ...] = ()  # captures earned by this turn and not yet made
    lock: tuple[int, int] | None = None  # the rotation that would turn back the last turn
    bans: Bans = ()  # by player, the move that would re-make a mill which the player's last turn broke
    pending_ban: tuple[int, int] | None = None  # the ban that this turn creates, while its capture is due
    ended: Outcome | None = None  # set when the position itself ends the game
    prey: tuple[Capture, ...] = ()  # what may be taken now
    closed: Mills = ()  # mills closed by the turn that led here
    memory: Memory = NO_MEMORY


class Position(_Fields):
    """Everything that the rules need, apart from the past."""

    @classmethod
    def start(cls, variant: Variant) -> Position:
        """The empty board, all stones in the hands; or those on the board that lie there from the start."""
        n = variant.players
        if not variant.start:
            return cls(variant, ((),) * len(variant.board.points), variant.hands, variant.first, (0,) * n, (False,) * n)
        stones = {name: [player] for player, names in enumerate(variant.start) for name in names}
        hands = [hand - len(names) for hand, names in zip(variant.hands, variant.start, strict=True)]
        return cls.set_up(variant, stones, hands)

    @classmethod
    def set_up(
        cls,
        variant: Variant,
        points: Mapping[str, Sequence[int | Stone]],
        hands: Sequence[int] | None = None,
        to_move: int | None = None,
        out: Sequence[bool] | None = None,
    ) -> Position:
        """A position set up by hand: for each named point its stones, bottom first, as players or stones.

        Raises ValueError when a point or player is unknown, a tower too high, or a player has more stones than the game
        gives.
        """
        board, n = variant.board, variant.players
        stacks: list[tuple[Stone, ...]] = [()] * len(board.points)
        counts, painted = [0] * n, [0] * n
        for name, stones in points.items():
            if name not in board.index:
                raise ValueError(f"no point {name!r} on the board {board.name}")
            if len(stones) > variant.max_height:
                raise ValueError(message("fen.tower", n=len(stones), point=name, most=variant.max_height))
            tower = []
            for stone in stones:
                owner, paint = stone if isinstance(stone, Stone) else (stone, stone)
                if not (0 <= owner < n and 0 <= paint < n):
                    raise ValueError(f"no player {max(owner, paint) + 1} in {variant.name}, at {name!r}")
                tower.append(STONES[owner][paint])
                counts[owner] += 1
                painted[paint] += 1
            stacks[board.index[name]] = tuple(tower)
        in_hand = tuple(hands) if hands is not None else (0,) * n
        if len(in_hand) != n or min(in_hand) < 0:
            raise ValueError(f"hands must be {n} numbers of stones, got {in_hand!r}")
        for player in range(n):
            if painted[player] + in_hand[player] > variant.hands[player]:
                n_stones, most = painted[player] + in_hand[player], variant.hands[player]
                raise ValueError(message("fen.stones", n=n_stones, player=player + 1, most=most))
        mover = variant.first if to_move is None else to_move
        if not 0 <= mover < n:
            raise ValueError(f"to_move must be below {n}, got {mover!r}")
        gone = tuple(out) if out is not None else (False,) * n
        return cls(variant, tuple(stacks), in_hand, mover, tuple(counts), gone)

    # ------------------------------------------------------------ equality

    @cached_property
    def key(self) -> tuple[object, ...]:
        """All that makes two positions of one variant the same to the rules."""
        return (self.stacks, self.hands, self.to_move, self.out, self.dues, self.lock, self.bans, self.pending_ban,
                self.ended, self.memory)  # fmt: skip

    @property
    def repetition_key(self) -> tuple[object, ...]:
        """The part that recurs when a position is repeated: stones on the table, hands, player to move."""
        return (self.stacks, self.hands, self.to_move)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.key == other.key and (self.variant is other.variant or self.variant == other.variant)

    def __ne__(self, other: object) -> bool:
        return not self == other  # else it is that of tuples

    @cached_property
    def _hash(self) -> int:
        return hash(self.key)

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> None:
        """Nothing but the fields travels to another process: a hash that was kept would be wrong there."""

    # ------------------------------------------------------------ views

    @property
    def board(self) -> Board:
        """The geometry."""
        return self.variant.board

    @cached_property
    def tops(self) -> tuple[int, ...]:
        """For each point its paint from above: 0 bare, k a top stone painted for player k - 1."""
        return tuple([stack[-1][1] + 1 if stack else 0 for stack in self.stacks])

    @cached_property
    def owners(self) -> tuple[int, ...]:
        """For each point 0 where it is bare, k where player k - 1 owns the top stone."""
        return tuple([stack[-1][0] + 1 if stack else 0 for stack in self.stacks])

    @cached_property
    def heights(self) -> tuple[int, ...]:
        """For each point the number of its stones."""
        return tuple(map(len, self.stacks))

    @property
    def standing_mills(self) -> Mills:
        """Every line that one owner holds, on any level."""
        points = self.board.points
        return tuple(
            tuple(points[i] for i in line)
            for line in self.board.lines
            if any(
                stones[0].owner == stones[1].owner == stones[2].owner
                for stones in zip(*(self.stacks[i] for i in line), strict=False)
            )
        )

    @property
    def owed(self) -> int:
        """Captures still due in this turn."""
        return sum(due.n for due in self.dues)

    @property
    def removing(self) -> bool:
        """Whether the player to move takes a stone off the board, for once without a mill: that is the whole turn."""
        return bool(self.memory.queue) and not self.dues and self.ended is None

    @property
    def phase(self) -> str:
        """``placing``, ``moving``, ``flying``, ``capture`` or ``over``."""
        if self.ended is not None:
            return "over"
        if self.dues or self.memory.queue:
            return "capture"
        if self.hands[self.to_move]:
            return "placing"
        return "flying" if self.may_fly(self.to_move) else "moving"

    def may_fly(self, player: int) -> bool:
        """Whether ``player`` may jump to any point: his own hand is empty and stones are few (``Variant.fly``)."""
        variant = self.variant
        if variant.fly == "off" or self.hands[player]:
            return False
        if variant.fly == "own":
            return self.counts[player] <= variant.fly_at
        few = [
            hand == 0 and count <= variant.fly_at
            for hand, count, out in zip(self.hands, self.counts, self.out, strict=True)
            if not out
        ]
        return any(few) if variant.fly == "any" else all(few)
