"""Whole games on synthetic tables through the whole path, judged against the truth.

Nothing here looks into the pipeline: it gives frames and counts what is said. ``tools/films.py`` counts many of them.
"""

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.boards import boards_for
from referee.events import BoardFound, Event, FoulSeen, QuestionAsked, TurnAmended, TurnPlayed
from referee.game import Game
from referee.moves import Capture, Move, Place, Rotate, RotateUnseen, Slide
from referee.position import Position
from referee.presets import PRESETS, find_variant
from referee.turns import Turn, legal_turns
from referee.variant import Variant
from tests.simulation.camera import Camera, View, filmed
from tests.simulation.laws import Looks
from tests.simulation.reading import places_of
from tests.simulation.series import Series, covers_its_like, draw_series
from tests.synthetic import Scene, Script, Shot, Truth, film, random_spec
from tests.synthetic.foul import kinds_showing
from tests.synthetic.spec import Discs, Manner
from vision.decoding.turn_hypotheses import MAX_CHANGED_POINTS
from vision.imaging.frame import Frame
from vision.pipeline import finish, step, step_photograph
from vision.watching.state import TableSetup, start

FOUL_WINDOW_S = 2.5  # a foul may be called until so long after it has been put right
Acts = frozenset[tuple[object, ...]]

GAMES = (
    "millchen", "tic_tac_toe", "nine_mens_morris", "three_mens_morris", "six_mens_morris", "twelve_mens_morris",
    "roman_mill", "morabaraba",
)  # fmt: skip
"""By turns: every preset of two players that needs neither turning rings nor towers."""

ONE_A_BOARD = tuple({preset.variant.board.name: name for name, preset in reversed(PRESETS.items())}.values())
"""The first game of the program on each board."""

HARDNESS = 0.4
ACCIDENTS = {5: "nudge", 9: "bump", 13: "light"}
"""What befalls a table in a long game, by turn."""


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

    ``turns`` lawful turns were played and ``right`` of them announced in order; ``invented`` were announced that were
    not played; ``exact`` is a game in which every word was right. ``rings`` and ``like`` are turns that turned a ring,
    and stones laid on a tower whose top has their colour; ``laws`` are how often each was kept and asked.
    """

    seed: int
    game: str = ""
    turns: int = 0
    right: int = 0
    announced: int = 0
    invented: int = 0
    rings: int = 0
    rings_right: int = 0
    like: int = 0
    like_found: int = 0
    offences: list[Offence] = field(default_factory=list)
    false_accusations: int = 0
    under_hand: int = 0
    questions: int = 0
    found: bool = False
    frames: int = 0
    seconds: float = 0.0
    waits_s: list[float] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    laws: dict[str, tuple[float, float]] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    @property
    def fouls(self) -> int:
        return len(self.offences)

    @property
    def caught(self) -> int:
        return sum(bool(offence.called) for offence in self.offences)

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


def table_of(variant: Variant) -> TableSetup:
    """The table as ``millchen watch`` makes it: it takes a board over as it is seen."""
    return TableSetup(variant, boards_for(variant), takes_over=True)


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
        elif isinstance(move, RotateUnseen):
            acts.add(("rotate", None, None))
    return frozenset(acts)


def rings_told(said: Sequence[tuple[int, Acts]], truth: Sequence[tuple[int, Acts]]) -> list[tuple[int, Acts]]:
    """Turns as they were said; "turned a ring, not known which" is the first ring that its player turned so unseen."""
    unsaid = [turn for turn in truth if turn not in said and any(act[0] == "rotate" for act in turn[1])]
    told = []
    for turn in said:
        meant = next((one for one in unsaid if one[0] == turn[0]), turn) if ("rotate", None, None) in turn[1] else turn
        unsaid = [one for one in unsaid if one is not meant]
        told.append(meant)
    return told


def common_in_order(one: Sequence[object], other: Sequence[object]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(other) + 1)
    for x in one:
        diagonal = 0
        for j, y in enumerate(other, 1):
            diagonal, row[j] = row[j], diagonal + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


class Eyes:
    """The referee at a table: frames go in, what is said comes out.

    Attributes:
        name_of: From the referee's names of the points to the truth's: a board has no printed "up".
        said: Everything, with its time.
        seconds: How long all of it took.
    """

    def __init__(self, table: TableSetup, game: Game | None = None, *, photographs: bool = False) -> None:
        self.table, self.state, self.photographs = table, start(table, game), photographs
        self.name_of: dict[str, str] = {}
        self.said: list[str] = []
        self.seconds = 0.0

    def watch(self, shots: Iterable[Shot]) -> Iterator[tuple[Shot, tuple[Event, ...]]]:
        """Look at every frame of a film and tell what is said of it, at the last one also what is said at the end.

        It is this that plays, laws and lessons are driven by: whoever films goes on as frames are asked for.
        """
        for shot, after in pairwise(chain(shots, [None])):
            assert shot is not None
            events = self.see(shot.frame, shot.truth.points_px)
            if after is None and not self.photographs:
                events += tuple(finish(self.state, shot.frame, self.table)[1])
            yield shot, events

    def see(self, frame: Frame, points_px: NDArray[np.float64]) -> tuple[Event, ...]:
        """Look at a frame in which the points of the table lie at ``points_px``, shape (n_points, 2)."""
        began = time.perf_counter()
        self.state, events = (step_photograph if self.photographs else step)(self.state, frame, self.table)
        self.seconds += time.perf_counter() - began
        for event in events:
            self.said.append(f"{event.time_s:6.1f} {brief(event)}")
            if isinstance(event, BoardFound):
                places, names = places_of([xy for _, *xy in event.points], points_px), self.table.variant.board.points
                found = {name: names[i] for (name, *_), i in zip(event.points, places, strict=True) if i >= 0}
                self.name_of = found if len(found) >= len(self.name_of) else self.name_of
        return events

    def in_place(self, tops: Sequence[int]) -> tuple[int, ...]:
        """What the referee has on each point of the truth; -1 where it is not known which point that is."""
        if not any(tops):
            return (0,) * len(tops)  # wherever the points lie
        known = zip(self.state.game.position.board.points, tops, strict=True)
        top_of = {self.name_of[name]: top for name, top in known if name in self.name_of}
        return tuple(top_of.get(name, -1) for name in self.table.variant.board.points)

    def turn_of(self, lying: Position, moves: Sequence[Move]) -> Turn | None:
        """The turn of the table as it lies that has these moves of the referee, under the truth's names."""
        own = {name: name for name in lying.board.points}
        wanted = acts_of(moves, self.name_of)
        return next((turn for turn in legal_turns(lying) if acts_of(turn.moves, own) == wanted), None)


def judge(
    shots: Iterator[Shot],
    game: Game,
    seed: int,
    *,
    photographs: bool = False,
    laws: bool = False,
    either_side: bool = False,
) -> Result:
    """Let the referee watch a film, or look at a series of photographs, and compare.

    ``either_side``: of two players each may be called the first, as a game has begun that does not tell.
    """
    names = game.variant.board.points
    own = {name: name for name in names}
    result, spoken = Result(seed, game.variant.name), Spoken()
    eyes = Eyes(table_of(game.variant), photographs=photographs)
    looks = Looks(game.variant, photographs=photographs, reads=laws)
    accused: list[tuple[float, str]] = []
    truth: list[tuple[int, Acts]] = []
    like: list[tuple[int, Acts]] = []
    rested_at: list[float] = []
    undone: set[int] = set()
    was_foul, lying = "", game.position

    def hear(shot: Shot, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, FoulSeen):
                accused.append((event.time_s, event.kind))
            spoken.hear(event, eyes.name_of)
            result.questions += isinstance(event, QuestionAsked)
            result.under_hand += shot.hand and not shot.resting and isinstance(event, TurnPlayed | FoulSeen)

    for shot, events in eyes.watch(shots):
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
            played = turn.player, acts_of(turn.moves, own)
            like += [played] if covers_its_like(lying, turn) else []
            lying = turn.after
            truth.append(played)
            rested_at.append(now)
        hear(shot, events)
        looks.add(shot, events, eyes.state.game.position.tops, eyes.in_place)
    looks.end_rest()
    counted = looks.laws()
    result.laws = {name: (law.kept, law.asked) for name, law in counted.items()}
    result.broken = [f"{name}: {where}" for name, law in counted.items() for where in law.broken]
    heard = [turn[:2] for turn in spoken.turns]
    if either_side:
        other_way = [(1 - player, acts) for player, acts in heard]
        heard = max(heard, other_way, key=lambda said: common_in_order(truth, said))
    answers = rings_told(heard, truth)
    turning = [turn for turn in truth if any(act[0] == "rotate" for act in turn[1])]
    result.found, result.said, result.seconds = len(eyes.name_of) == len(names), eyes.said, eyes.seconds
    result.turns, result.announced, result.invented = len(truth), len(answers), sum(a not in truth for a in answers)
    result.right = common_in_order(truth, answers)
    result.rings, result.rings_right = len(turning), sum(turn in answers for turn in turning)
    result.like, result.like_found = len(like), sum(turn in answers for turn in like)
    result.missed = [f"{player}:{sorted(map(str, acts))}" for player, acts in truth if (player, acts) not in answers]
    for turn, rested in zip(truth, rested_at, strict=True):
        times = zip(answers, spoken.turns, strict=True)
        result.waits_s += [when - rested for answer, (*_, when) in times if answer == turn][:1]
    for offence in result.offences:
        calls = [call for call in accused if offence.first_s <= call[0] <= offence.last_s + FOUL_WINDOW_S]
        offence.called = calls[0][1] if calls else ""
        accused = [call for call in accused if call not in calls[:1]]
    result.false_accusations = len(accused)
    # Whoever lifts the stone just laid and puts it back has taken a turn back: nobody could see a foul in it.
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


def shown_before(shot: Shot) -> bool:
    """Whether a foul leaves the table as one of the last positions was: then it looks like turns taken back."""
    game = shot.game
    for _ in range(min(MAX_CHANGED_POINTS, len(game.turns))):
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


# ---------------------------------------------------------------- games by kind


def simulate(
    seed: int,
    game_name: str = "millchen",
    *,
    n_turns: int = 20,
    hardness: float = HARDNESS,
    fouls: Mapping[int, str] | None = None,
    options: Mapping[str, object] | None = None,
    size_px: tuple[int, int] = (960, 540),
    **script: Any,
) -> Result:
    """One game on one random table, with more words of its ``Script``; the same seed gives the same film."""
    game = Game.start(find_variant(game_name, **(options or {})))
    shots = shots_of(game, Script(n_turns, fouls or {}, **script), seed, hardness=hardness, size_px=size_px)
    return judge(shots, game, seed)


def shots_of(
    game: Game,
    script: Script,
    seed: int,
    camera: Camera | None = None,
    *,
    hardness: float | None = HARDNESS,
    size_px: tuple[int, int] = (960, 540),
    discs: Discs = "grainy",
    manner: Manner | None = None,
) -> Iterator[Shot]:
    """The film of a game on a random table, in a manner of drawing, through a camera where one is given."""
    rng = np.random.default_rng(seed)
    hardness = float(rng.uniform(0.1, 0.5)) if hardness is None else hardness
    board, n_players = game.variant.board, game.variant.players
    spec = random_spec(rng, board, n_players=n_players, hardness=hardness, size_px=size_px, discs=discs)
    spec = replace(spec, manner=manner)
    shots = film(Scene(spec), game, script if camera is None else replace(script, fps=camera.fps), rng)
    return shots if camera is None else through(shots, camera)


def photographed(series: Series) -> Iterator[Shot]:
    """The pictures of a series, each of a table at rest."""
    games = [Game.start(series.variant)]
    for turn in series.turns:
        games.append(games[-1].play_turn(turn))
    for number, (bgr, tops, n_done, points_px) in enumerate(series):
        truth = Truth(points_px, tops, tuple(map(bool, tops)), (False,) * len(tops))
        yield Shot(Frame(bgr, float(number), number), truth, False, games[n_done])


def handheld(seed: int, n_turns: int) -> Result:
    """One series of photographs, a picture a turn."""
    series = draw_series(seed, n_turns=n_turns)
    return judge(photographed(series), Game.start(series.variant), seed, photographs=True)
