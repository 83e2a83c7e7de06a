"""The three laws of following, measured over films, handheld series and games.

    python -m tests.simulation.laws --games 8 --camera --quick --drawn-series 12 --seed 51000
    python -m tests.simulation.laws --upset 100 --seed 51000

1. *Never worse than reading*: of the looks at rest in which every point is read right (as ``millchen read`` reads one
   picture: cold, or beside the empty table), how often is the follower's position right? One look a rest, its last.
2. *Never silently stuck*: of the seconds in which the table has rested for three and is not what the record says, in
   how many has something been said since it became so: a turn, a foul, a question?
3. *Always a way out*: three stones are moved at once, and the game goes on from there. In how many games is the
   position right within one turn after the referee has found a way out?

The referee sees nothing but the pictures; ``watch`` makes a list of ``Look`` of what it says, and the laws are counted
on that list.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import cv2
import numpy as np

from referee.events import FoulSeen, Restored, TurnPlayed
from referee.game import Game
from referee.presets import find_variant
from referee.variant import Variant
from tests.simulation.camera import random_camera
from tests.simulation.play import (
    ACCIDENTS,
    FOUL_RATE,
    GAMES,
    HARDNESS,
    QUICK_S,
    UNREST,
    Eyes,
    photographed,
    shots_of,
    table_of,
    wilson,
)
from tests.simulation.reading import read_cold, reads_exactly
from tests.simulation.series import draw_series
from tests.synthetic import Script, Shot
from tests.synthetic.film import ANY_FOUL

RESTED_S = 3.0
"""Rest after which something must have been said."""

MIN_REST_S = 0.8
"""Rest after which a look counts for the first law: the follower has settled, and has had time to look."""

SAME_PLACE_PX = 1.0
"""Distance by which points may lie off where they lay, for the board not to have moved."""

SAID = {"TurnPlayed", "TurnAmended", "FoulSeen", "FoulStood", "QuestionAsked", "MillClosed", "Resumed"}
WAYS_OUT = {"FoulStood", "Resumed"}

UPSET_GAMES = ("millchen", "nine_mens_morris", "six_mens_morris", "twelve_mens_morris", "morabaraba")
"""Games in which three stones may be moved without an end of the game, by turns."""

UPSET_TURN, TURNS_AFTER_UPSET = 7, 5

END_S = 5.0
"""How long a foul lies, and the last table."""

THINKING = 0.2
"""Share of the turns before which somebody thinks for long."""


@dataclass(frozen=True)
class Source:
    """Something to watch.

    Attributes:
        name: For the list of what broke a law.
        photographs: Whether every shot is a photograph of a table at rest.
    """

    name: str
    variant: Variant
    shots: Callable[[], Iterator[Shot]]
    photographs: bool = False


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
    tops: tuple[int, ...]
    record: tuple[int, ...]
    called: tuple[int, ...] = ()
    hidden: tuple[bool, ...] = ()
    moving: bool = False
    n_turns: int = 0
    said: tuple[str, ...] = ()
    read: bool | None = None
    upset: bool = False

    @property
    def kept(self) -> bool:
        """Whether the record is what lies on the points in sight."""
        hidden = self.hidden or (False,) * len(self.tops)
        seen = [(top, kept) for top, kept, under in zip(self.tops, self.record, hidden, strict=True) if not under]
        return all(top == kept for top, kept in seen)

    @property
    def right(self) -> bool:
        """Whether the follower knows what lies there: as its record, or as the foul that it has called."""
        return self.kept or self.called == self.tops


class Broken(NamedTuple):
    """Where a law was broken."""

    time_s: float
    what: str


class Tally(NamedTuple):
    """How often a law was kept (``kept`` of ``asked``), and where it was not."""

    kept: float
    asked: float
    broken: tuple[Broken, ...]


# ---------------------------------------------------------------- counting


def rests_of(looks: Sequence[Look], photographs: bool) -> Iterator[list[int]]:
    """Indices of the looks of each rest: nothing moves, and the same lies on the table."""
    rest: list[int] = []
    for i, look in enumerate(looks):
        same = rest and look.tops == looks[rest[-1]].tops and not photographs and not look.upset
        if rest and (look.moving or not same):
            yield rest
            rest = []
        if not look.moving:
            rest.append(i)
    if rest:
        yield rest


def law_1(looks: Sequence[Look]) -> Tally:
    """Never worse than reading."""
    asked = [look for look in looks if look.read]
    broken = [Broken(look.time_s, _differing(look)) for look in asked if not look.right]
    return Tally(len(asked) - len(broken), len(asked), tuple(broken))


def at_rest(looks: Sequence[Look], photographs: bool = False, min_rest_s: float = MIN_REST_S) -> Tally:
    """How often the follower's position is right at the end of a rest, whatever a picture alone says."""
    ends = rests_of(looks, photographs)
    last = [looks[r[-1]] for r in ends if photographs or looks[r[-1]].time_s - looks[r[0]].time_s >= min_rest_s]
    broken = tuple(Broken(look.time_s, _differing(look)) for look in last if not look.right)
    return Tally(len(last) - len(broken), len(last), broken)


def law_2(looks: Sequence[Look], photographs: bool = False) -> Tally:
    """Never silently stuck. The figures are seconds; a photograph counts as one."""
    kept = asked = 0.0
    broken = list[Broken]()
    said_since = differed = False
    rested_since: dict[int, float] = {}
    for rest in rests_of(looks, photographs):
        rested_since |= dict.fromkeys(rest, looks[rest[0]].time_s)
    for i, look in enumerate(looks):
        said_since = (said_since and differed) or bool(SAID & set(look.said))
        differed = not replace(look, hidden=()).kept  # a hand over the points answers nothing
        rested = i in rested_since and (photographs or look.time_s - rested_since[i] >= RESTED_S)
        if look.kept or not rested:
            continue
        seconds = looks[i + 1].time_s - look.time_s if i + 1 < len(looks) else look.time_s - looks[max(i - 1, 0)].time_s
        seconds = 1.0 if photographs else seconds
        asked, kept = asked + seconds, kept + seconds * said_since
        if not said_since:
            broken.append(Broken(look.time_s, _differing(look)))
    return Tally(kept, asked, _firsts(broken))


def law_3(looks: Sequence[Look]) -> Tally:
    """Always a way out: one game, in which three stones were moved at once at the look that is marked ``upset``.

    The turns of the game go on after that. A way out is a ``Resumed`` or ``FoulStood``; where there was none, the
    position must be right after the first turn all the same.
    """
    upset = next((i for i, look in enumerate(looks) if look.upset), None)
    if upset is None:
        return Tally(0, 0, ())
    after = looks[upset:]
    out = next((look for look in after if WAYS_OUT & set(look.said)), None)
    last = {look.n_turns: look for look in after if not look.moving}
    if not last:
        return Tally(0, 0, ())
    end = last[min((out or after[0]).n_turns + 1, max(last))]
    if end.kept:
        return Tally(1, 1, ())
    way = "no way out" if out is None else f"way out at {out.time_s:.1f} s"
    return Tally(0, 1, (Broken(end.time_s, f"{way}, {_differing(end)}"),))


def _differing(look: Look) -> str:
    pairs = enumerate(zip(look.tops, look.record, strict=True))
    return "lies/recorded " + " ".join(f"{i}:{top}/{kept}" for i, (top, kept) in pairs if top != kept)


def _firsts(broken: Iterable[Broken]) -> tuple[Broken, ...]:
    """The first second of each table that was passed over."""
    found = list[Broken]()
    for one in broken:
        if not found or found[-1].what != one.what:
            found.append(one)
    return tuple(found)


# ---------------------------------------------------------------- watching


def watch(source: Source, *, read: bool = True, min_rest_s: float = MIN_REST_S) -> list[Look]:
    """Let the referee watch, as ``millchen watch`` does, and read the last look of each rest alone."""
    eyes = Eyes(table_of(source.variant), photographs=source.photographs)
    reader, looks = _Reader(source.variant), list[Look]()
    rest, n_upset = list[int](), 0
    last: Shot | None = None
    foul: FoulSeen | None = None

    def end_rest() -> None:
        long_enough = rest and (source.photographs or looks[rest[-1]].time_s - looks[rest[0]].time_s >= min_rest_s)
        if read and last is not None and long_enough:
            looks[rest[-1]] = replace(looks[rest[-1]], read=reader.read(last))
        rest.clear()

    for number, (shot, events) in enumerate(eyes.watch(source.shots())):
        truth, n_turns = shot.truth, sum(bool(turn.moves) for turn in shot.game.turns)
        upset = len(shot.game.turns) - n_turns > n_upset
        n_upset += upset
        pushed = last is not None and bool(np.abs(truth.points_px - last.truth.points_px).max() > SAME_PLACE_PX)
        moving = (shot.hand and not shot.resting) or (pushed and not source.photographs)
        if moving or upset or source.photographs or (last is not None and last.truth.tops != truth.tops):
            end_rest()
        said = tuple(type(event).__name__ for event in events)
        for event in events:
            if isinstance(event, FoulSeen):
                foul = event
            elif isinstance(event, Restored | TurnPlayed) or type(event).__name__ in WAYS_OUT:
                foul = None
        record = _in_place(eyes, eyes.state.game.position.tops)
        called = _in_place(eyes, foul.seen_tops) if foul is not None else ()
        at, under = shot.frame.time_s, truth.hidden
        looks.append(Look(at, truth.tops, record, called, under, moving, n_turns, said, None, upset))
        if not moving:
            rest.append(number)
        last = shot
    end_rest()
    return looks


def _in_place(eyes: Eyes, tops: Sequence[int]) -> tuple[int, ...]:
    """What the referee has on each point of the truth; -1 where it is not known which point that is."""
    if not any(tops):
        return (0,) * len(tops)  # wherever the points lie
    known = zip(eyes.state.game.position.board.points, tops, strict=True)
    top_of = {eyes.name_of[name]: top for name, top in known if name in eyes.name_of}
    return tuple(top_of.get(name, -1) for name in eyes.table.variant.board.points)


class _Reader:
    """Reads a picture alone: cold, and beside the empty table while neither board nor camera has moved."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.empty: Shot | None = None

    def read(self, shot: Shot) -> bool:
        truth, bgr = shot.truth, shot.frame.bgr
        if self.empty is None and not any(truth.tops):
            self.empty = shot
        board, n_players = self.variant.board, self.variant.players
        if reads_exactly(read_cold(bgr, board, n_players), truth.tops, truth.points_px):
            return True
        empty = self.empty
        if empty is None or np.abs(empty.truth.points_px - truth.points_px).max() > SAME_PLACE_PX:
            return False
        return reads_exactly(read_cold(bgr, board, n_players, empty.frame.bgr), truth.tops, truth.points_px)


# ---------------------------------------------------------------- what is watched


def drawn_game(seed: int, *, camera: bool = False, quick: bool = False, unrest: bool = False) -> Source:
    """A simulated game with fouls that lie for long, and players who sometimes think for long."""
    n_turns, n_fouls = 16, int(np.random.default_rng((seed, 1)).binomial(16, FOUL_RATE))
    plies = np.random.default_rng((seed, 6)).choice(np.arange(3, n_turns), size=n_fouls, replace=False)
    script = Script(
        n_turns,
        {int(ply): ANY_FOUL for ply in plies},
        ACCIDENTS | (UNREST if unrest else {}),
        foul_s=END_S,
        end_s=END_S,
        rests_s=QUICK_S if quick else None,
        thinking=THINKING,
        beside=unrest,
    )
    return _filmed(f"game {seed}", GAMES[seed % len(GAMES)], script, seed, camera)


def upset_game(seed: int, *, camera: bool = False) -> Source:
    """A simulated game in which three stones are moved at once, and which goes on from there."""
    script = Script(UPSET_TURN + TURNS_AFTER_UPSET - 1, {}, {UPSET_TURN: "shuffle"}, rest_s=2.5)
    return _filmed(f"upset {seed}", UPSET_GAMES[seed % len(UPSET_GAMES)], script, seed, camera)


def _filmed(what: str, name: str, script: Script, seed: int, camera: bool) -> Source:
    game, eye = Game.start(find_variant(name)), random_camera(seed) if camera else None
    hardness = 0.7 * HARDNESS if camera else HARDNESS  # the camera does its own harm
    return Source(f"{what} ({name})", game.variant, lambda: shots_of(game, script, seed, eye, hardness=hardness))


def drawn_series(seed: int, n_turns: int = 12) -> Source:
    """A handheld series that is drawn."""
    series = draw_series(seed, n_turns=n_turns)
    name = f"series {seed} ({series.variant.name}, {series.material})"
    return Source(name, series.variant, lambda: photographed(series), photographs=True)


# ---------------------------------------------------------------- the report


def total(tallies: Sequence[Tally]) -> Tally:
    """All tallies of a law together."""
    broken = tuple(one for tally in tallies for one in tally.broken)
    return Tally(sum(t.kept for t in tallies), sum(t.asked for t in tallies), broken)


def line(name: str, tally: Tally) -> str:
    """A law on one line; seconds are rounded for their interval."""
    return f"{name:34} {wilson(round(tally.kept), round(tally.asked))}"


def sources_of(given: argparse.Namespace) -> Iterator[Source]:
    """What the command line asks to watch for the first two laws."""
    seeds = range(given.seed, given.seed + max(given.games, given.drawn_series))
    for seed in seeds[: given.games]:
        yield drawn_game(seed, camera=given.camera, quick=given.quick, unrest=given.unrest)
    for seed in seeds[: given.drawn_series]:
        yield drawn_series(seed)


def main() -> None:
    """Measure the laws on what the command line names, and print a line a law."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=0, help="simulated games")
    parser.add_argument("--drawn-series", type=int, default=0, help="drawn handheld series")
    parser.add_argument("--upset", type=int, default=0, help="games for the third law")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first game and the first series")
    parser.add_argument("--camera", action="store_true", help="games through a cheap camera")
    parser.add_argument("--quick", action="store_true", help="rests of 0.5 to 3 s between turns of the games")
    parser.add_argument("--unrest", action="store_true", help="hands that rest and hide, a cup, stones laid beside")
    parser.add_argument("--min-rest", type=float, default=MIN_REST_S, help="rest from which a look is read, seconds")
    parser.add_argument("--no-read", action="store_true", help="leave out the first law, which takes most of the time")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    rests, first, second, third = list[Tally](), list[Tally](), list[Tally](), list[Tally]()
    for source in sources_of(given):
        looks = watch(source, read=not given.no_read, min_rest_s=given.min_rest)
        rests.append(at_rest(looks, source.photographs, given.min_rest))
        first.append(law_1(looks))
        second.append(law_2(looks, source.photographs))
        print(f"{source.name:48} right at rest {rests[-1].kept:.0f}/{rests[-1].asked:.0f}", end="")
        print(f"  law 1 {first[-1].kept:.0f}/{first[-1].asked:.0f}", end="")
        print(f"  law 2 {second[-1].kept:.1f}/{second[-1].asked:.1f} s", flush=True)
        _print_broken(source, ("law 1", first[-1]), ("law 2", second[-1]))
    for seed in range(given.seed, given.seed + given.upset):
        source = upset_game(seed, camera=given.camera)
        looks = watch(source, read=False)
        third.append(law_3(looks))
        said = [f"{look.time_s:.1f} {name}" for look in looks for name in look.said if name in WAYS_OUT]
        print(f"{source.name:48} law 3 {third[-1].kept:.0f}/{third[-1].asked:.0f}  {', '.join(said)}", flush=True)
        _print_broken(source, ("law 3", third[-1]))
    print()
    for name, tallies in (
        ("0 position right at rest", rests),
        ("1 never worse than reading", first),
        ("2 never silently stuck (s)", second),
    ):
        if tallies:
            print(line(name, total(tallies)))
    if third:
        print(line("3 always a way out", total(third)))


def _print_broken(source: Source, *laws: tuple[str, Tally]) -> None:
    for name, tally in laws:
        for one in tally.broken:
            print(f"    {name} broken: {source.name} at {one.time_s:.1f} s, {one.what}", flush=True)


if __name__ == "__main__":
    main()
