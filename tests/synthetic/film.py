"""A game played on a synthetic table and filmed: hands, mills, captures, fouls put back, knocks and switched lamps."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, field, replace
from functools import partial

import numpy as np

from referee.game import Game
from referee.moves import Capture, Place, Rotate, Slide, turn_text
from referee.turns import Turn, legal_turns, partial_turns
from tests.synthetic.foul import EVERY_KIND, Acts, make_foul
from tests.synthetic.ground import Nudge
from tests.synthetic.hand import Cup, Hand
from tests.synthetic.scene import Scene
from tests.synthetic.spec import Bgr, Light, random_light
from tests.synthetic.stones import Stone
from tests.synthetic.truth import Truth
from tests.synthetic.viewpoint import Array, Bump
from vision.imaging.frame import Frame

Spot = tuple[float, float]
Errand = tuple[Spot, Stone | None, Callable[[], Iterator[tuple[Stone | None, Spot]]]]
"""Where the fingers go (board space), what they carry there, and what they do; it yields what they hold then, where."""

ANY_FOUL = "any"
"""Stands in a script for any kind that the position allows, rare kinds as often as common ones."""

AWAY = 1.9  # sides from the target at which a hand is out of the picture
FRAMES_A_SIDE_S = 1 / 6  # a hand crosses six sides a second
UNREST = ("rest", "point", "hide", "cup")
"""What people do at a table besides playing: a hand rests on the board's rim, a finger points, an arm hides half of the
board for ten seconds, a cup is put down on it for a turn or two."""

RESTING_S, POINTING_S, HIDING_S, CUP_S = 3.0, 2.0, 10.0, 3.0
CUP_TURNS = 2  # turns that are played beside a cup
THINKING_S = 5.0  # how long a player thinks who thinks long
MILL_HUNGER = 0.8  # how often a player who can close a mill does
CARRYING_HEIGHT, TOUCHING_HEIGHT = 0.12, 0.04  # of the fingertips over the table, sides
SKINS: tuple[Bgr, ...] = ((110, 140, 200), (130, 165, 220), (60, 85, 135), (45, 60, 95))
SLEEVES: tuple[Bgr, ...] = ((75, 45, 40), (40, 40, 45), (60, 60, 150), (170, 175, 180), (70, 110, 60))


@dataclass(frozen=True, slots=True)
class Script:
    """What is to happen besides lawful play. Turns count from 1; a thing happens before the turn of its number.

    Attributes:
        n_turns: After so many lawful turns the film ends, if the game has not ended before.
        fouls: Kinds of foul (values of ``Foul``, or ``ANY_FOUL``); each is put right again. One that the position does
            not allow is left out.
        accidents: "nudge" (the board is pushed by up to 8 % of its side and turned by 8 degrees), "bump" (the camera is
            turned by up to 2 degrees), "light" (a lamp is switched), "shuffle" (three stones are moved at once,
            and the game goes on from there) or one of ``UNREST``.
        rest_s, foul_s: How long the table rests after a turn, and after a foul.
        end_s: How long it rests longer after the last turn.
        off_step: How far from a step a disc stops at most when it is turned, steps.
        turning: How often a player turns a ring who may; 0 leaves it to chance among all turns.
        rests_s: Shortest and longest rest after a turn, seconds, instead of ``rest_s``; short ones are as common as
            long ones.
        thinking: Share of the turns before which somebody thinks for ``THINKING_S`` besides.
        beside: Whether captured stones are laid right beside the board, and not taken away.
        step_s: How long a hand takes at least and at most to turn a ring by a step; at 0 one frame shows it halfway.
        leaning: Whether who has played leaves a hand over a corner of the board until the next turn, and fiddles.
        turns: The turns in their notation, where nothing is left to chance.
    """

    n_turns: int = 20
    fouls: Mapping[int, str] = field(default_factory=dict)
    accidents: Mapping[int, str] = field(default_factory=dict)
    fps: float = 10.0
    rest_s: float = 1.0
    foul_s: float = 2.5
    end_s: float = 0.0
    off_step: float = 0.0
    turning: float = 0.0
    rests_s: tuple[float, float] | None = None
    thinking: float = 0.0
    beside: bool = False
    step_s: tuple[float, float] = (0.4, 1.0)
    leaning: bool = False
    turns: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Shot:
    """One frame of a film with its truth.

    Attributes:
        hand: A hand is over the table.
        game: All turns that are complete, this frame's included.
        foul: Kind of the foul that lies on the table; empty when all is lawful.
        accident: What has just happened to board, camera or light; empty otherwise.
        resting: The hand rests, and has nothing to do with the game.
    """

    frame: Frame
    truth: Truth
    hand: bool
    game: Game
    foul: str = ""
    accident: str = ""
    resting: bool = False


@dataclass(frozen=True)
class Laid:
    """What lies on a table: stacks of stones by point, and how far rings are turned."""

    stacks: list[list[Stone]]
    rings: list[float]


class Filming:
    """A film while it is made: hands that play, and what they change; the stones, the camera, the light, the clock."""

    def __init__(self, scene: Scene, game: Game, script: Script, rng: np.random.Generator) -> None:
        self.scene, self.game, self.script, self.rng = scene, game, script, rng
        self.board = game.variant.board
        self.stacks: list[list[Stone]] = [[] for _ in self.board.points]
        self.nudge = Nudge()
        self.bump: Bump | None = None
        self.light: Light = scene.spec.light
        self.rings = [0.0] * len(self.board.rings)
        self.foul, self.accident = "", ""
        self.loose: list[tuple[Stone, Spot]] = []
        self.leaning: Hand | None = None
        self.cup: Cup | None = None
        self.cup_turns = 0
        self.n_frames, self.n_looks = 0, 0
        n_players = len(scene.spec.paints)
        self.skins = [SKINS[int(rng.integers(len(SKINS)))] for _ in range(n_players)]
        self.sleeves = [SLEEVES[int(rng.integers(len(SLEEVES)))] for _ in range(n_players)]

    def laid(self) -> Laid:
        """What lies on the table now."""
        return Laid([list(stack) for stack in self.stacks], list(self.rings))

    def make(self, player: int, acts: Acts) -> Iterator[Shot]:
        """Do something, lawful or not, and leave it there."""
        yield from self.visit(player, self._errands(acts))

    def put_back(self, player: int, before: Laid) -> Iterator[Shot]:
        """Put stones and rings back as they lay."""
        yield from self.visit(player, self._repairs(before))

    def lay(self, player: int, stones: Iterable[tuple[int, int]]) -> Iterator[Shot]:
        """Lay stones on their points: the point and its player of each."""
        errands = ((self.board.xy[i], stone := self._stone(owner), partial(self._put, i, stone)) for i, owner in stones)
        yield from self.visit(player, errands)

    def set_up(self) -> None:
        """Lay the stones that lie on the board from the start."""
        for point, top in enumerate(self.game.position.tops):
            if top:
                self.stacks[point].append(self._stone(top - 1))

    def shoot(self, hand: Hand | None = None, *, resting: bool = False) -> Shot:
        bgr, truth = self.scene.render(
            self.stacks,
            rng=self.rng,
            hand=hand,
            leaning=self.leaning and replace(self.leaning, target=self._beside_itself(self.leaning.target)),
            light=self.light,
            nudge=self.nudge,
            bump=self.bump,
            ring_steps=tuple(self.rings) if any(self.rings) else (),
            spare_stones=tuple(min(n, 6) for n in self.game.position.hands),
            loose_stones=self.loose,
            cup=self.cup,
        )
        frame = Frame(bgr, self.n_frames / self.script.fps, self.n_frames)
        self.n_frames += 1
        shot = Shot(frame, truth, hand is not None, self.game, self.foul, self.accident, resting)
        self.accident = ""
        return shot

    def rest(self, seconds: float) -> Iterator[Shot]:
        for _ in range(round(seconds * self.script.fps)):
            yield self.shoot()

    def pause(self) -> Iterator[Shot]:
        """The rest after a turn."""
        seconds = self.script.rest_s
        if self.script.rests_s is not None:
            low, high = self.script.rests_s
            seconds = float(low * (high / low) ** self.rng.uniform())
        if self.script.thinking and self.rng.random() < self.script.thinking:
            seconds += THINKING_S
        yield from self.rest(seconds)

    def hold(self, hand: Hand, seconds: float) -> Iterator[Shot]:
        """A hand that does not move."""
        for _ in range(max(1, round(seconds * self.script.fps))):
            yield self.shoot(hand, resting=True)

    def visit(self, player: int, errands: Iterator[Errand]) -> Iterator[Shot]:
        """One coming and going of a player's hand."""
        hand, towards = self._hand_of(player)
        home = 0.5 + AWAY * towards
        at, holding = home, None
        for target, carried, act in errands:
            place = np.array(target)
            moving = replace(hand, carries=carried, height=CARRYING_HEIGHT)
            yield from self._glide(moving, at, place)
            touching = replace(hand, target=target, height=TOUCHING_HEIGHT)
            for _ in range(max(1, round(self.script.fps / 10))):
                yield self.shoot(replace(touching, carries=carried))
            for holding, spot in act():
                place = np.array(spot)
                yield self.shoot(replace(touching, target=spot, carries=holding))
            at = place
        carrying = replace(hand, carries=holding, height=CARRYING_HEIGHT)
        self.leaning = None
        if self.script.leaning:
            x, y = (float(c) for c in np.clip(home, 0.0, 1.0))
            yield from self._glide(carrying, at, np.array([x, y]))
            self.leaning = replace(hand, target=(x, y), height=TOUCHING_HEIGHT)
        else:
            yield from self._glide(carrying, at, home)

    def _beside_itself(self, spot: Spot) -> Spot:
        """A place a little beside one: a hand fiddles."""
        x, y = self.rng.normal(spot, 0.02)
        return float(x), float(y)

    def _hand_of(self, player: int) -> tuple[Hand, Array]:
        """A player's hand, and the unit vector towards where it comes from."""
        angle = 360 / len(self.skins) * player + float(self.rng.uniform(-25, 25))
        turn = np.deg2rad(angle)
        hand = Hand((0.5, 0.5), from_deg=angle, skin=self.skins[player], sleeve=self.sleeves[player])
        return hand, np.array([np.sin(turn), np.cos(turn)])

    def _glide(self, hand: Hand, start: Array, end: Array) -> Iterator[Shot]:
        n = max(2, round(float(np.linalg.norm(end - start)) * FRAMES_A_SIDE_S * self.script.fps))
        for share in np.linspace(0.15, 0.85, n):
            x, y = start + (end - start) * share
            yield self.shoot(replace(hand, target=(float(x), float(y))))

    def _errands(self, acts: Acts) -> Iterator[Errand]:
        xy, index = self.board.xy, self.board.index
        for player, move in acts:
            if isinstance(move, Place):
                stone = self._stone(player)
                yield xy[index[move.to]], stone, partial(self._put, index[move.to], stone)
            elif isinstance(move, Slide):
                start, to = index[move.start], index[move.to]
                moved = replace(self.stacks[start][-1], offset=self._offset())
                yield xy[start], None, partial(self._lift, start)
                yield xy[to], moved, partial(self._put, to, moved)
            elif isinstance(move, Capture):
                taken = self.stacks[index[move.at]][-1 if move.level is None else move.level - 1]
                yield xy[index[move.at]], None, partial(self._lift, index[move.at], move.level)
                if self.script.beside:
                    spot = self._beside(player)
                    yield spot, taken, partial(self._lay_beside, taken, spot)
            elif isinstance(move, Rotate):
                hole = self._hole(move.ring)
                yield self._turned(hole, move.ring), None, partial(self._rotate, move, hole)

    def _repairs(self, laid: Laid) -> Iterator[Errand]:
        """What puts rings and stones back as they were."""
        xy, before = self.board.xy, laid.stacks
        for ring, (now, then) in enumerate(zip(self.rings, laid.rings, strict=True)):
            n = len(self.board.rings[ring])
            back = (round(then) - round(now) + n // 2) % n - n // 2
            if back:
                hole = self._hole(ring)
                yield self._turned(hole, ring), None, partial(self._rotate, Rotate(ring, back), hole)
        wrong = [i for i, stack in enumerate(before) if stack != self.stacks[i]]
        for i in wrong:
            while self.stacks[i] != before[i][: len(self.stacks[i])]:
                yield xy[i], None, partial(self._lift, i)
        for i in wrong:
            for stone in before[i][len(self.stacks[i]) :]:
                yield xy[i], stone, partial(self._put, i, stone)

    def _stone(self, player: int) -> Stone:
        self.n_looks += 1
        return Stone(player, 100 + self.n_looks, self._offset())

    def _offset(self) -> tuple[float, float]:
        away = self.scene.spec.placing_error * np.sqrt(self.rng.uniform())
        angle = self.rng.uniform(0, 2 * np.pi)
        return float(away * np.cos(angle)), float(away * np.sin(angle))

    def _hole(self, ring: int) -> int:
        """The hole beside which a hand takes hold of a ring."""
        return int(self.rng.choice(self.board.rings[ring]))

    def _turned(self, hole: int, ring: int, whole: int | None = None) -> Spot:
        """Where a hole lies that was in its place when its ring stood at a step (the nearest one), board space."""
        at = self.rings[ring]
        steps = at - (round(at) if whole is None else whole)
        angle = 2 * np.pi * steps / len(self.board.rings[ring])
        x, y = (c - 0.5 for c in self.board.xy[hole])
        return float(0.5 + x * np.cos(angle) - y * np.sin(angle)), float(0.5 + x * np.sin(angle) + y * np.cos(angle))

    def _put(self, point: int, stone: Stone) -> Iterator[tuple[Stone | None, Spot]]:
        self.stacks[point].append(stone)
        yield None, self.board.xy[point]

    def _lift(self, point: int, level: int | None = None) -> Iterator[tuple[Stone | None, Spot]]:
        yield self.stacks[point].pop(-1 if level is None else level - 1), self.board.xy[point]

    def _beside(self, player: int) -> Spot:
        """A free place right beside the board, on the side of a player."""
        turn = 2 * np.pi * player / len(self.skins)
        reach = float(np.abs(np.array(self.board.xy) - 0.5).max())
        for _ in range(30):
            along, away = self.rng.uniform(-0.45, 0.45), reach + self.rng.uniform(0.13, 0.24)
            x = 0.5 + away * np.sin(turn) + along * np.cos(turn)
            y = 0.5 + away * np.cos(turn) - along * np.sin(turn)
            if all(np.hypot(x - a, y - b) > 0.12 for _, (a, b) in self.loose):
                break
        return float(x), float(y)

    def _lay_beside(self, stone: Stone, spot: Spot) -> Iterator[tuple[Stone | None, Spot]]:
        self.loose.append((stone, spot))
        yield None, spot

    def _rotate(self, move: Rotate, hole: int) -> Iterator[tuple[Stone | None, Spot]]:
        """Turn a ring by its rim beside a hole: slowly, fast, slowly; its stones ride on it, and so do the fingers."""
        ring = self.board.rings[move.ring]
        before = [self.stacks[i] for i in ring]
        home = self.rings[move.ring]
        off = self.script.off_step * float(self.rng.uniform(-1, 1)) if self.script.off_step else 0.0
        way = round(home) + move.steps + off - home
        time_s = abs(way) * float(self.rng.uniform(*self.script.step_s))
        n_frames = max(2, round(time_s * self.script.fps))
        for share in 0.5 - 0.5 * np.cos(np.pi * np.arange(1, n_frames + 1) / n_frames):
            now = home + way * float(share)
            for k, i in enumerate(ring):
                self.stacks[i] = before[(k - round(now) + round(home)) % len(ring)]
            self.rings[move.ring] = now
            yield None, self._turned(hole, move.ring, round(home))
        self.rings[move.ring] = now % len(ring)

    def play(self, turn: Turn) -> Iterator[Shot]:
        yield from self.make(turn.player, [(turn.player, move) for move in turn.moves])
        self.game = self.game.play_turn(turn)
        if tuple(stack[-1].player + 1 if stack else 0 for stack in self.stacks) != self.game.position.tops:
            raise RuntimeError(f"the filmed table and the game differ after {turn}")

    def commit_foul(self, kind: str) -> Iterator[Shot]:
        lawful = {turn.after.tops for turn in (*legal_turns(self.game.position), *partial_turns(self.game.position))}
        kinds = [str(kind) for kind in self.rng.permutation(EVERY_KIND)] if kind == ANY_FOUL else [kind]
        made = ((kind, make_foul(kind, self.game.position, lawful, self.rng)) for kind in kinds)
        kind, acts = next(((kind, acts) for kind, acts in made if acts is not None), ("", None))
        if acts is None:
            return
        player, before = self.game.position.to_move, self.laid()
        for shot in self.make(player, acts):
            yield replace(shot, foul=kind)
        self.foul = kind
        yield from self.rest(self.script.foul_s)
        self.foul = ""
        for shot in self.put_back(player, before):
            yield replace(shot, foul=kind)
        if self.stacks != before.stacks:
            raise RuntimeError(f"the foul {kind} was not put right")
        yield from self.pause()

    def disturb(self, what: str) -> Iterator[Shot]:
        """Something of ``UNREST``: it changes nothing in the game."""
        player = int(self.rng.integers(len(self.skins)))
        hand, towards = self._hand_of(player)
        home = 0.5 + AWAY * towards
        if what == "cup":
            yield from self._put_cup(hand, home)
            return
        point = np.array(self.board.xy[int(self.rng.integers(len(self.board.points)))])
        aims = {"rest": 0.5 + 0.62 * towards, "point": point + 0.06 * towards, "hide": 0.5 - 0.1 * towards}
        seconds = {"rest": RESTING_S, "point": POINTING_S, "hide": HIDING_S}[what]
        x, y = (float(c) for c in aims[what])
        moving, lying = replace(hand, height=CARRYING_HEIGHT), replace(hand, target=(x, y), height=TOUCHING_HEIGHT)
        yield from self._glide(moving, home, np.array([x, y]))
        yield from self.hold(lying, seconds)
        yield from self._glide(moving, np.array([x, y]), home)
        yield from self.pause()

    def _put_cup(self, hand: Hand, home: Array) -> Iterator[Shot]:
        """Put a cup down where no stone stands, as far as there is such a place."""
        taken = [xy for xy, stack in zip(self.board.xy, self.stacks, strict=True) if stack]
        spots = self.rng.uniform(0.1, 0.9, (40, 2))
        free = [min((float(np.hypot(*(spot - xy))) for xy in taken), default=1.0) for spot in spots]
        x, y = (float(c) for c in spots[int(np.argmax(free))])
        moving = replace(hand, height=CARRYING_HEIGHT)
        yield from self._glide(moving, home, np.array([x, y]))
        self.cup, self.cup_turns = Cup((x, y)), CUP_TURNS
        yield self.shoot(replace(moving, target=(x, y)))
        yield from self._glide(moving, np.array([x, y]), home)
        yield from self.rest(CUP_S)

    def take_cup(self) -> Iterator[Shot]:
        """Take the cup away once its turns are over."""
        if self.cup is None:
            return
        self.cup_turns -= 1
        if self.cup_turns >= 0:
            return
        hand = Hand((0.5, 0.5), from_deg=0.0, height=CARRYING_HEIGHT, skin=self.skins[0], sleeve=self.sleeves[0])
        place, home = np.array(self.cup.place), np.array([0.5, 0.5 + AWAY])
        yield from self._glide(hand, home, place)
        self.cup = None
        yield from self._glide(hand, place, home)
        yield from self.pause()

    def under_cup(self) -> frozenset[str]:
        """Points that a cup hides."""
        if self.cup is None:
            return frozenset()
        hidden = self.shoot().truth.hidden
        self.n_frames -= 1
        return frozenset(name for name, under in zip(self.board.points, hidden, strict=True) if under)

    def shuffle(self) -> Iterator[Shot]:
        """Move three stones at once; what lies there then is what the game goes on from."""
        full = [i for i, stack in enumerate(self.stacks) if stack]
        bare = [i for i, stack in enumerate(self.stacks) if not stack]
        n = min(3, len(full), len(bare))
        starts, goals = self.rng.permutation(full)[:n], self.rng.permutation(bare)[:n]
        errands = list[Errand]()
        for start, goal in zip(starts, goals, strict=True):
            stone = replace(self.stacks[start][-1], offset=self._offset())
            errands.append((self.board.xy[start], None, partial(self._lift, int(start))))
            errands.append((self.board.xy[goal], stone, partial(self._put, int(goal), stone)))
        yield from self.visit(self.game.position.to_move, iter(errands))
        tops = tuple(stack[-1].player + 1 if stack else 0 for stack in self.stacks)
        heights = tuple(len(stack) for stack in self.stacks)
        self.game = self.game.play_on(tops, heights, to_move=self.game.position.to_move)
        self.accident = "shuffle"
        yield from self.pause()

    def suffer(self, accident: str) -> Iterator[Shot]:
        if accident in UNREST:
            yield from self.disturb(accident)
            return
        if accident == "shuffle":
            yield from self.shuffle()
            return
        chance = self.rng
        if accident == "nudge":
            right, down, turn = (float(n) for n in chance.uniform(-1, 1, 3))
            old = self.nudge
            new = Nudge(old.right + 0.08 * right, old.down + 0.08 * down, old.turn_deg + 8 * turn)
            for share in (0.3, 0.7, 1.0):
                ends = zip(astuple(old), astuple(new), strict=True)
                self.nudge = Nudge(*(a + share * (b - a) for a, b in ends))
                yield self.shoot(Hand((0.0, 0.9), from_deg=30.0, skin=self.skins[0], sleeve=self.sleeves[0]))
            self.nudge = new
        elif accident == "bump":
            yaw, pitch, roll = (float(n) for n in chance.uniform(-2, 2, 3))
            x, y, z = (float(n) for n in chance.uniform(-0.05, 0.05, 3))
            self.bump = Bump(yaw, pitch, roll, (x, y, z))
        elif accident == "light":
            new_light = random_light(chance)
            self.light = replace(
                new_light, bars=self.light.bars, gain=self.light.gain * float(chance.uniform(0.6, 1.4))
            )
        else:
            known = ("nudge", "bump", "light", "shuffle", *UNREST)
            raise ValueError(f"accident must be one of {known}, got {accident!r}")
        self.accident = accident
        yield from self.pause()


def chosen_turn(game: Game, script: Script, rng: np.random.Generator, hidden: frozenset[str] = frozenset()) -> Turn:
    turns = legal_turns(game.position)
    if script.turns:
        return next(turn for turn in turns if turn_text(turn.moves) == script.turns[game.ply])
    ends = ("start", "to", "at")  # nobody plays under a cup
    free = [turn for turn in turns if not any(getattr(m, end, None) in hidden for m in turn.moves for end in ends)]
    turns = free or list(turns)
    closing = [turn for turn in turns if turn.mills]
    among = closing if closing and rng.random() < MILL_HUNGER else turns
    rotating = [turn for turn in turns if any(isinstance(move, Rotate) for move in turn.moves)]
    if script.turning and rotating and rng.random() < script.turning:
        among = rotating
    return among[int(rng.integers(len(among)))]


def film(scene: Scene, game: Game, script: Script, rng: np.random.Generator) -> Iterator[Shot]:
    """Play and film a game.

    Args:
        scene: Its board must be the game's.
        game: Where to begin, with the stones on the board that lie there: no towers.
        rng: Chooses turns, hands and noise.
    """
    if scene.spec.board.points != game.variant.board.points:
        raise ValueError(f"the table shows {scene.spec.board.name}, the game needs {game.variant.board.name}")
    if max(game.position.heights) > 1:
        raise ValueError("a film does not begin with towers")
    filming = Filming(scene, game, script, rng)
    filming.set_up()
    yield from filming.rest(1.5)
    for number in range(1, script.n_turns + 1):
        if number in script.accidents:
            yield from filming.suffer(script.accidents[number])
        yield from filming.take_cup()
        if number in script.fouls and filming.cup is None:
            yield from filming.commit_foul(script.fouls[number])
        yield from filming.play(chosen_turn(filming.game, script, rng, filming.under_cup()))
        yield from filming.pause()
        if filming.game.outcome is not None:
            break
    yield from filming.rest(script.end_s)
