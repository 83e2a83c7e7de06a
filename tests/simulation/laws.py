"""The three laws of following, counted on what was looked at (``tools/films.py``).

1. *Never worse than reading*: of the looks at rest in which every point is read right (as ``millchen read`` reads one
   picture: cold, or beside the empty table), how often is the follower's position right? One look a rest, its last.
2. *Never silently stuck*: of the seconds in which the table has rested for three and is not what the record says, in
   how many has something been said since it became so: a turn, a foul, a question?
3. *Always a way out*: three stones are moved at once, and the game goes on from there. In how many games is the
   position right within one turn after the referee has found a way out?
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from referee.events import Event, FoulSeen, Restored, TurnPlayed
from referee.variant import Variant
from tests.simulation.reading import read_cold, reads_exactly
from tests.synthetic import Shot

Tops = tuple[int, ...]

RESTED_S = 3.0
"""Rest after which something must have been said."""

MIN_REST_S = 0.8
"""Rest after which a look counts for the first law: the follower has settled, and has had time to look."""

SAME_PLACE_PX = 1.0
"""Distance by which points may lie off where they lay, for the board not to have moved."""

SAID = {"TurnPlayed", "TurnAmended", "FoulSeen", "FoulStood", "QuestionAsked", "MillClosed", "Resumed"}
WAYS_OUT = {"FoulStood", "Resumed"}


@dataclass(frozen=True)
class Look:
    """What was on the table at a moment, and what the follower made of it.

    Attributes:
        tops: What lies on each point.
        record: The same as the follower's record has it; -1 where that is not known.
        called: The same as the last foul was called for, while it has not been put right; empty otherwise.
        hidden: By point.
        moving: A hand is at work, or the board or the camera was pushed.
        said: Names of the events of this look.
        read: Whether the picture was read exactly alone; None where it was not read.
        upset: Three stones have just been moved at once.
    """

    time_s: float
    tops: Tops
    record: Tops
    called: Tops
    hidden: tuple[bool, ...]
    moving: bool
    n_turns: int
    said: frozenset[str]
    read: bool | None = None
    upset: bool = False

    def is_kept(self, *, past_hands: bool = True) -> bool:
        """Whether the record is what lies on the points, those in sight alone where it is asked past hands."""
        seen = zip(self.tops, self.record, self.hidden, strict=True)
        return all(top == kept or (under and past_hands) for top, kept, under in seen)

    @property
    def is_right(self) -> bool:
        """Whether the follower knows what lies there: as its record, or as the foul that it has called."""
        return self.is_kept() or self.called == self.tops

    @property
    def differing(self) -> str:
        pairs = enumerate(zip(self.tops, self.record, strict=True))
        told = " ".join(f"{i}:{top}/{kept}" for i, (top, kept) in pairs if top != kept)
        return f"at {self.time_s:.1f} s, lies/recorded {told}"


class Tally(NamedTuple):
    """How often a law was kept (``kept`` of ``asked``), and where it was not."""

    kept: float
    asked: float
    broken: tuple[str, ...] = ()


class Looks:
    """The looks of one game.

    Args:
        reads: Whether the last look of each rest is also read alone, which takes most of the time.
    """

    def __init__(self, variant: Variant, *, photographs: bool, reads: bool) -> None:
        self.variant, self.photographs, self.reads = variant, photographs, reads
        self.all: list[Look] = []
        self._rest: list[int] = []
        self._last: Shot | None = None
        self._empty: Shot | None = None
        self._n_upset = 0
        self._foul: FoulSeen | None = None

    def add(self, shot: Shot, events: Sequence[Event], record: Tops, in_place: Callable[[Tops], Tops]) -> None:
        """Keep what was on the table and what came of it; ``in_place`` puts tops of the referee where the truth is."""
        for event in events:
            if isinstance(event, FoulSeen):
                self._foul = event
            elif isinstance(event, Restored | TurnPlayed) or type(event).__name__ in WAYS_OUT:
                self._foul = None
        truth, last, n_turns = shot.truth, self._last, sum(bool(turn.moves) for turn in shot.game.turns)
        upset = len(shot.game.turns) - n_turns > self._n_upset
        self._n_upset += upset
        pushed = last is not None and bool(np.abs(truth.points_px - last.truth.points_px).max() > SAME_PLACE_PX)
        moving = (shot.hand and not shot.resting) or (pushed and not self.photographs)
        if moving or upset or self.photographs or (last is not None and last.truth.tops != truth.tops):
            self.end_rest()
        said = frozenset(type(event).__name__ for event in events)
        called = in_place(self._foul.seen_tops) if self._foul is not None else ()
        at, lies, recorded = shot.frame.time_s, truth.tops, in_place(record)
        self.all.append(Look(at, lies, recorded, called, truth.hidden, moving, n_turns, said, None, upset))
        self._rest += [] if moving else [len(self.all) - 1]
        self._last = shot

    def end_rest(self) -> None:
        """Read the last look of a rest that was long enough."""
        rest, shot = self._rest, self._last
        is_long = rest and (self.photographs or self.all[rest[-1]].time_s - self.all[rest[0]].time_s >= MIN_REST_S)
        if self.reads and shot is not None and is_long:
            self.all[rest[-1]] = replace(self.all[rest[-1]], read=self._is_read(shot))
        rest.clear()

    def _is_read(self, shot: Shot) -> bool:
        """Whether the picture is read exactly: cold, or beside the empty table while nothing has moved since."""
        truth, board, n_players = shot.truth, self.variant.board, self.variant.players
        if self._empty is None and not any(truth.tops):
            self._empty = shot
        if reads_exactly(read_cold(shot.frame.bgr, board, n_players), truth.tops, truth.points_px):
            return True
        empty = self._empty
        if empty is None or np.abs(empty.truth.points_px - truth.points_px).max() > SAME_PLACE_PX:
            return False
        read = read_cold(shot.frame.bgr, board, n_players, empty.frame.bgr)
        return reads_exactly(read, truth.tops, truth.points_px)

    def rests(self) -> Iterator[list[int]]:
        """Indices of the looks of each rest: nothing moves, and the same lies on the table."""
        rest: list[int] = []
        for i, look in enumerate(self.all):
            same = rest and look.tops == self.all[rest[-1]].tops and not self.photographs and not look.upset
            if rest and (look.moving or not same):
                yield rest
                rest = []
            rest += [] if look.moving else [i]
        if rest:
            yield rest

    def laws(self) -> dict[str, Tally]:
        """Each law by its name."""
        rests = [(self.all[rest[0]], self.all[rest[-1]]) for rest in self.rests()]
        ends = [end for begin, end in rests if self.photographs or end.time_s - begin.time_s >= MIN_REST_S]
        return {
            "position right at rest": _right_of(ends),
            "1 never worse than reading": _right_of([look for look in self.all if look.read]),
            "2 never silently stuck (s)": self._never_stuck(),
            "3 always a way out": self._a_way_out(),
        }

    def _never_stuck(self) -> Tally:
        """The second law. The figures are seconds; a photograph counts as one."""
        kept = asked = 0.0
        broken: dict[str, str] = {}
        said_since = differed = False
        rested_since = {i: self.all[rest[0]].time_s for rest in self.rests() for i in rest}
        times_s = [look.time_s for look in self.all]
        for i, look in enumerate(self.all):
            said_since = (said_since and differed) or bool(SAID & look.said)
            differed = not look.is_kept(past_hands=False)  # a hand over the points answers nothing
            rested = i in rested_since and (self.photographs or look.time_s - rested_since[i] >= RESTED_S)
            if rested and not look.is_kept():
                seconds = 1.0 if self.photographs else float(np.diff(times_s[max(i - 1, 0) : i + 2])[-1])
                asked, kept = asked + seconds, kept + seconds * said_since
                if not said_since:
                    broken.setdefault(look.differing.split(", ")[1], look.differing)
        return Tally(kept, asked, tuple(broken.values()))

    def _a_way_out(self) -> Tally:
        """The third law, of a game in which three stones were moved at once at the look that is marked ``upset``.

        The turns of the game go on after that. A way out is a ``Resumed`` or ``FoulStood``; where there was none, the
        position must be right after the first turn all the same.
        """
        upset = next((i for i, look in enumerate(self.all) if look.upset), len(self.all))
        after = self.all[upset:]
        last = {look.n_turns: look for look in after if not look.moving}
        if not last:
            return Tally(0, 0)
        out = next((look for look in after if WAYS_OUT & look.said), None)
        end = last[min((out or after[0]).n_turns + 1, max(last))]
        way = "no way out" if out is None else f"way out at {out.time_s:.1f} s"
        return Tally(1, 1) if end.is_kept() else Tally(0, 1, (f"{way}, {end.differing}",))


def _right_of(looks: Sequence[Look]) -> Tally:
    wrong = [look.differing for look in looks if not look.is_right]
    return Tally(len(looks) - len(wrong), len(looks), tuple(wrong))
