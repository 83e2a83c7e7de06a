"""Whole games on synthetic tables through the whole path, judged against the truth.

    python -m tests.simulation.play --games 20 --game millchen --fouls --accidents

Nothing here looks into the pipeline: it gives frames and counts what is said.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np

from referee.boards import boards_for
from referee.events import BoardFound, Event, FoulSeen, TurnAmended, TurnPlayed
from referee.game import Game
from referee.moves import Capture, Move, Place, Rotate, Slide
from referee.presets import find_variant
from referee.variant import Variant
from tests.simulation.camera import Camera, View, filmed
from tests.synthetic import Scene, Script, Shot, film, random_spec
from tests.synthetic.film import ANY_FOUL
from tests.synthetic.foul import KINDS, kinds_showing
from vision import pipeline
from vision.decoding.turn_hypotheses import MAX_TURNS_TAKEN_BACK
from vision.imaging.frame import Frame
from vision.pipeline import step
from vision.watching.state import State, Table, start

FOUL_WINDOW_S = 2.5  # a foul may be called until so long after it has been put right
Acts = frozenset[tuple[object, ...]]


@dataclass
class Offence:
    """A foul on the table: its kind, when it could be seen first and last, what was said to it.

    ``alike`` are the kinds that leave the same table, its own included: a stone laid to close a mill and one of one's
    own taken look as a stone moved while stones are laid.
    """

    kind: str
    first_s: float
    last_s: float
    called: str = ""
    alike: tuple[str, ...] = ()


@dataclass
class Result:
    """How one game went.

    ``turns`` lawful turns were played and ``right`` of them announced in order; ``exact`` is a game in which every
    word was right.
    """

    seed: int
    turns: int = 0
    right: int = 0
    announced: int = 0
    offences: list[Offence] = field(default_factory=list)
    taken_back: int = 0
    false_accusations: int = 0
    under_hand: int = 0
    questions: int = 0
    found: bool = False
    frames: int = 0
    seconds: float = 0.0
    waits_s: list[float] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    played: list[tuple[int, Acts]] = field(default_factory=list)
    answers: list[tuple[int, Acts]] = field(default_factory=list)
    like: list[tuple[int, Acts]] = field(default_factory=list)
    sure: list[tuple[float, bool]] = field(default_factory=list)
    """How sure each turn was said to be when it was announced, and whether it was played."""

    @property
    def fouls(self) -> int:
        return len(self.offences)

    @property
    def caught(self) -> int:
        return sum(bool(offence.called) for offence in self.offences)

    @property
    def right_kind(self) -> int:
        return sum(offence.called == offence.kind for offence in self.offences)

    @property
    def exact(self) -> bool:
        everything = self.turns == self.right == self.announced and self.fouls == self.caught
        return everything and not self.false_accusations


@dataclass
class Spoken:
    """The turns that the referee has announced, as they stand after every amendment."""

    before: list[tuple[int, Acts, float]] = field(default_factory=list)
    """Those before the board was last taken over as it was seen; they are not amended any more."""
    now: dict[int, tuple[int, Acts, float]] = field(default_factory=dict)
    resumed: int = 0

    def hear(self, event: Event, name_of: dict[str, str]) -> None:
        """Keep what an event says of turns; ``name_of`` has the truth's names of the points."""
        if isinstance(event, TurnPlayed):
            self.now[event.ply] = event.player, acts_of(event.moves, name_of), event.time_s
        elif isinstance(event, TurnAmended) and event.moves is None:
            self.now.pop(event.ply, None)
        elif isinstance(event, TurnAmended) and event.ply in self.now:
            self.now[event.ply] = self.now[event.ply][0], acts_of(event.moves or (), name_of), event.time_s
        elif type(event).__name__ == "Resumed":
            self.before, self.now, self.resumed = self.turns, {}, self.resumed + 1

    @property
    def turns(self) -> list[tuple[int, Acts, float]]:
        """Player, acts and time of each turn, in order."""
        return [*self.before, *(self.now[ply] for ply in sorted(self.now))]


def table_of(variant: Variant, *, photographs: bool = False) -> Table:
    """The table as ``millchen watch`` makes it: where it can, it takes a board over as it is seen."""
    known: dict[str, Any] = {"takes_over": True} if "takes_over" in Table.__dataclass_fields__ else {}
    return Table(variant, boards_for(variant), photographs=photographs, **known)


def at_end(state: State, frame: Frame, table: Table) -> tuple[Event, ...]:
    """What is said when a film is over, where ``millchen watch`` says something then."""
    finish = getattr(pipeline, "finish", None)
    return tuple(finish(state, frame, table)[1]) if finish is not None else ()


def wilson(k: int, n: int) -> str:
    """``k`` of ``n`` with the Wilson 95 % interval, as text."""
    if n == 0:
        return "-"
    z, p = 1.96, k / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return f"{p:7.2%} [{max(0, middle - half):.2%}, {min(1, middle + half):.2%}] ({k}/{n})"


def acts_of(moves: Sequence[Move], name_of: dict[str, str]) -> Acts:
    """Moves as a set of plain tuples, with the points renamed."""
    acts: set[tuple[object, ...]] = set()
    for move in moves:
        if isinstance(move, Place):
            acts.add(("place", name_of.get(move.to, "?")))
        elif isinstance(move, Slide):
            acts.add(("move", name_of.get(move.start, "?"), name_of.get(move.to, "?")))
        elif isinstance(move, Capture):
            acts.add(("capture", name_of.get(move.at, "?")))
        elif isinstance(move, Rotate):
            acts.add(("rotate", move.ring, move.steps))
    return frozenset(acts)


def names_seen(points: Sequence[tuple[str, float, float]], shot: Shot, names: Sequence[str]) -> dict[str, str]:
    """From the referee's names to the truth's: a board has no printed "up", so they may differ by a turn."""
    truth = shot.truth.points_px
    apart = np.linalg.norm(truth[:, None] - truth[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    found = {}
    for name, x, y in points:
        distance = np.linalg.norm(truth - (x, y), axis=1)
        nearest = int(distance.argmin())
        if distance[nearest] < 0.5 * apart[nearest].min():
            found[name] = names[nearest]
    return found


def common_in_order(one: Sequence[object], other: Sequence[object]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(other) + 1)
    for x in one:
        diagonal = 0
        for j, y in enumerate(other, 1):
            diagonal, row[j] = row[j], diagonal + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


def judge(shots: Iterator[Shot], game: Game, seed: int) -> Result:
    """Let the referee watch a film and compare."""
    result, table, names = Result(seed), table_of(game.variant), game.variant.board.points
    state = start(table)
    name_of: dict[str, str] = {}
    spoken = Spoken()
    announced: list[tuple[float, tuple[int, Acts]]] = []
    accused: list[tuple[float, str]] = []
    truth: list[tuple[int, Acts]] = []
    rested_at: list[float] = []
    undone: set[int] = set()
    was_foul = ""

    def hear(shot: Shot, events: Sequence[Event]) -> None:
        nonlocal name_of
        for event in events:
            result.said.append(f"{event.time_s:6.1f} {brief(event)}")
            if isinstance(event, BoardFound):
                seen = names_seen(event.points, shot, names)
                name_of = seen if len(seen) >= len(name_of) else name_of
                result.found |= len(seen) == len(names)
            elif isinstance(event, TurnPlayed):
                announced.append((event.confidence, (event.player, acts_of(event.moves, name_of))))
            elif isinstance(event, FoulSeen):
                accused.append((event.time_s, event.kind))
            spoken.hear(event, name_of)
            result.questions += type(event).__name__ == "QuestionAsked"
            result.under_hand += shot.hand and not shot.resting and isinstance(event, TurnPlayed | FoulSeen)

    shot = None
    for shot in shots:
        now, result.frames = shot.frame.time_s, result.frames + 1
        if shot.foul and not was_foul:
            result.offences.append(Offence(shot.foul, now, now))
        elif shot.foul:
            result.offences[-1].last_s = now
            if not shot.hand and not result.offences[-1].alike:
                result.offences[-1].alike = (shot.foul, *kinds_showing(shot.game.position, shot.truth.tops))
            if not shot.hand and shown_before(shot):
                undone.add(len(result.offences) - 1)
        was_foul = shot.foul
        for turn in shot.game.turns[len(truth) :]:
            if on_its_like(shot.game, len(truth)):
                result.like.append((turn.player, acts_of(turn.moves, {name: name for name in names})))
            truth.append((turn.player, acts_of(turn.moves, {name: name for name in names})))
            rested_at.append(now)
        began = time.perf_counter()
        state, events = step(state, shot.frame, table)
        result.seconds += time.perf_counter() - began
        hear(shot, events)
    if shot is not None:
        hear(shot, at_end(state, shot.frame, table))
    said = spoken.turns
    answers = [turn[:2] for turn in said]
    result.played, result.answers = truth, answers
    result.turns, result.announced = len(truth), len(answers)
    result.right = common_in_order(truth, answers)
    result.sure = [(confidence, turn in truth) for confidence, turn in announced]
    result.missed = [f"{player}:{sorted(map(str, acts))}" for player, acts in truth if (player, acts) not in answers]
    for played, rested in zip(truth, rested_at, strict=True):
        result.waits_s += [when - rested for *what, when in said if tuple(what) == played][:1]
    for offence in result.offences:
        calls = [call for call in accused if offence.first_s <= call[0] <= offence.last_s + FOUL_WINDOW_S]
        offence.called = calls[0][1] if calls else ""
        accused = [call for call in accused if call not in calls[:1]]
    result.false_accusations = len(accused)
    # Whoever lifts the stone just laid and puts it back has taken a turn back: nobody could see a foul in it.
    result.taken_back = len(undone)
    result.offences = [offence for i, offence in enumerate(result.offences) if i not in undone or offence.called]
    return result


def through(shots: Iterable[Shot], camera: Camera) -> Iterator[Shot]:
    """A film as a camera takes it; its ``Script`` must have the camera's ``fps``."""
    kept: dict[int, Shot] = {}

    def views() -> Iterator[View]:
        before: tuple[int, ...] = ()
        for number, shot in enumerate(shots):
            stones = shot.truth.heights
            kept[number] = shot
            yield View(shot.frame.bgr, bool(before) and stones != before)
            before = stones

    for number, frame in enumerate(filmed(views(), camera)):
        kept = {index: shot for index, shot in kept.items() if index >= frame.shows}
        yield replace(kept[frame.shows], frame=Frame(frame.bgr, frame.time_s, number))


def on_its_like(game: Game, ply: int) -> bool:
    """Whether a turn laid a stone on a tower whose top has its colour: from above nothing has changed."""
    for _ in range(len(game.turns) - ply):
        after, game = game, game.take_back()
    index = game.position.board.index
    goals = [move.to for move in after.turns[ply].moves if isinstance(move, Place | Slide)]
    return any(game.position.tops[index[to]] == after.position.tops[index[to]] > 0 for to in goals)


def shown_before(shot: Shot) -> bool:
    """Whether a foul leaves the table as one of the last positions was: then it looks like turns taken back."""
    game = shot.game
    for _ in range(min(MAX_TURNS_TAKEN_BACK, len(game.turns))):
        game = game.take_back()
        if shot.truth.tops == game.position.tops:
            return True
    return False


def brief(event: Event) -> str:
    if isinstance(event, BoardFound):
        return "BoardFound"
    moves = "".join(map(str, getattr(event, "moves", None) or ()))
    detail = getattr(event, "kind", "") or getattr(event, "reason", "") or ""
    return f"{type(event).__name__} {moves} {detail}".strip()


def simulate(
    seed: int,
    game_name: str = "millchen",
    *,
    n_turns: int = 20,
    hardness: float = 0.4,
    n_fouls: int = 0,
    any_foul: bool = False,
    accidents: dict[int, str] | None = None,
    size: float = 1.0,
    size_px: tuple[int, int] = (960, 540),
    drawing: str | None = None,
    camera: Camera | None = None,
    rests_s: tuple[float, float] | None = None,
    beside: bool = False,
    fouls: Mapping[int, str] | None = None,
    options: Mapping[str, object] | None = None,
) -> Result:
    """One game on one random table; the same seed gives the same film. ``fouls`` are by ply, else drawn."""
    rng = np.random.default_rng(seed)
    game = Game.start(find_variant(game_name, **(options or {})))
    n_players = len(game.position.hands)
    spec = random_spec(
        rng, game.variant.board, drawing=drawing, n_players=n_players, hardness=hardness, size_px=size_px
    )
    plies = rng.choice(np.arange(3, n_turns), size=min(n_fouls, max(n_turns - 3, 0)), replace=False)
    drawn = {int(ply): ANY_FOUL if any_foul else str(rng.choice(KINDS)) for ply in plies}
    script = Script(n_turns, dict(fouls or drawn), accidents or {}, size=size, rests_s=rests_s, beside=beside)
    script = script if camera is None else replace(script, fps=camera.fps)
    shots = film(Scene(spec), game, script, rng)
    return judge(shots if camera is None else through(shots, camera), game, seed)


def report(results: Sequence[Result]) -> str:
    """The figures of many games."""
    counted = ("turns", "right", "announced", "fouls", "caught", "right_kind")
    said = ("false_accusations", "under_hand", "questions")
    total = {name: sum(getattr(r, name) for r in results) for name in counted + said}
    waits = sorted(w for r in results for w in r.waits_s)
    frames = sum(r.frames for r in results)
    lines = [
        f"fields found         {wilson(sum(r.found for r in results), len(results))}",
        f"turns right          {wilson(total['right'], total['turns'])}",
        f"games untouched      {wilson(sum(r.exact for r in results), len(results))}",
        f"fouls caught         {wilson(total['caught'], total['fouls'])}",
        f"the right kind       {wilson(total['right_kind'], total['caught'])}",
        f"false accusations    {total['false_accusations']} in {total['turns']} turns",
        f"said too much        {total['announced'] - total['right']} turns;  questions {total['questions']}",
        f"said under a hand    {total['under_hand']}",
        f"path a frame         {1000 * sum(r.seconds for r in results) / max(frames, 1):.1f} ms over {frames} frames",
    ]
    if waits:
        p50, p95 = waits[len(waits) // 2], waits[int(0.95 * (len(waits) - 1))]
        lines.append(f"announced after      p50 {p50:.2f} s, p95 {p95:.2f} s from the first frame without the hand")
    offences = [offence for r in results for offence in r.offences]
    for kind in sorted({offence.kind for offence in offences}):
        of_kind = [offence.called for offence in offences if offence.kind == kind]
        called = ", ".join(f"{name or 'nothing'} {of_kind.count(name)}" for name in sorted(set(of_kind)))
        lines.append(f"  {kind:20} caught {wilson(sum(map(bool, of_kind)), len(of_kind))}; called {called}")
    return "\n".join(lines)


def main() -> None:
    """Play the games asked for on the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0, help="seed of the first game")
    parser.add_argument("--game", default="millchen")
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--hardness", type=float, default=0.4)
    parser.add_argument("--fouls", type=int, default=0, help="fouls a game")
    parser.add_argument("--any-foul", action="store_true", help="of every kind, rare ones as often as common ones")
    parser.add_argument("--accidents", action="store_true", help="nudge, bump and light in every game")
    parser.add_argument("--words", action="store_true", help="print what the referee said in games that went wrong")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    results = []
    for seed in range(given.seed, given.seed + given.games):
        accidents = {5: "nudge", 9: "bump", 13: "light"} if given.accidents else {}
        result = simulate(
            seed,
            given.game,
            n_turns=given.turns,
            hardness=given.hardness,
            n_fouls=given.fouls,
            any_foul=given.any_foul,
            accidents=accidents,
        )
        results.append(result)
        print(
            f"seed {seed:4} found {'yes' if result.found else 'NO '} turns {result.right:2}/{result.turns:2}"
            f" (said {result.announced:2}) fouls {result.caught}/{result.fouls} false {result.false_accusations}"
            f" hand {result.under_hand} asked {result.questions} {'EXACT' if result.exact else ''}"
            f" {'; '.join(result.missed)[:90]}",
            flush=True,
        )
        if given.words and not result.exact:
            print("   ", "\n    ".join(result.said), flush=True)
    print("\n" + report(results))


if __name__ == "__main__":
    main()
