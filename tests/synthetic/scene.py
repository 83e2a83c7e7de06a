"""A synthetic table that can be looked at again and again, with the truth beside every picture."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.synthetic.blemish import reflection
from tests.synthetic.cloth import Cloth, make_cloth, make_shape
from tests.synthetic.ground import Nudge, Wrinkles, light_map, make_table, see_ground, wrinkle
from tests.synthetic.hand import Cup, Hand, draw_cup, draw_hand
from tests.synthetic.kept import kept
from tests.synthetic.spec import Light, Placing, TableSpec
from tests.synthetic.stones import Pebble, Sprite, Stone, draw_pebble, outline_px, paste, shadow_outline, shape_of
from tests.synthetic.surfaces import Float
from tests.synthetic.texels import compressed, spacings
from tests.synthetic.truth import Stacks, Truth
from tests.synthetic.viewpoint import Array, Bump, Viewpoint, bumped, look_at
from vision.imaging.frame import Image

T = TypeVar("T")

NOISE_ROOM = 64  # px by which the bank of noise is larger than a picture, so that every frame gets another cut of it
HIDDEN_DISC = 0.2  # radius round a point, in spacings, that a hand must leave free
HIDDEN_SHARE = 0.2  # of that disc; a fingertip beside a point hides nothing
PEBBLE_ROOM = (0.115, 0.24)  # sides; people choose pebbles neither for a denser nor for a wider board than this
KEPT = 6  # pictures of the bare table that are kept; a 720p one takes 11 MB


class State(NamedTuple):
    """How table, camera and light are; see ``Scene.render``."""

    light: Light
    nudge: Nudge = Nudge()
    bump: Bump | Placing | None = None
    ring_steps: tuple[float, ...] = ()


class Masks(NamedTuple):
    """What of a picture shows a stone, uint8 (H, W, 3), and where a hand or a cup hides the board, uint8 (H, W)."""

    stones: Image
    covers: NDArray[np.uint8]


class Scene:
    """One table under one camera.

    Rendering is a pure function of the arguments: what is kept between calls only saves time.

    Args:
        cloth: A board that was not drawn by hand, to lie there instead of the spec's; its rings do not turn.
    """

    def __init__(self, spec: TableSpec, cloth: Cloth | None = None) -> None:
        self.spec = spec
        self._kept: dict[Hashable, object] = {}
        self._given = cloth
        self._masks: Masks | None = None  # of the picture that is being taken, where somebody asks for them
        points_xy, self._outline_xy = make_shape(spec) if cloth is None else (cloth.points_xy, cloth.outline_xy)
        self._wrinkles = Wrinkles(spec)
        self._points_xy = self._wrinkles.seen_at(points_xy)
        self._spacing = spacings(self._points_xy)
        self._stone_spacing = float(np.clip(self._spacing.min(), *PEBBLE_ROOM))
        self._home = self._place_camera(spec.placing)
        rng = np.random.default_rng([spec.seed, 8])
        width, height = spec.size_px
        bank = rng.standard_normal((height + NOISE_ROOM, width + NOISE_ROOM, 3), np.float32)
        self._texture = cast(Float, cv2.GaussianBlur(bank[..., 0], (0, 0), 1.2) * 4)  # the blur leaves a quarter of it
        self._noise: NDArray[np.int16] = np.round(bank * spec.noise).astype(np.int16)

    @cached_property
    def cloth(self) -> Cloth:
        """The board at rest, which is only drawn where no picture of the bare table is kept."""
        return self._given or make_cloth(self.spec)

    @cached_property
    def table(self) -> NDArray[np.uint8]:
        """The ground that the board lies on; another picture may be laid there."""
        return make_table(self.spec)

    def viewpoint(self, bump: Bump | Placing | None = None) -> Viewpoint:
        """The camera: where the spec has it, after a knock, or where else it is put."""
        if isinstance(bump, Placing):
            return self._keep(("view", bump), lambda: self._place_camera(bump))
        return self._home if bump is None else bumped(self._home, bump)

    def points_px(
        self, nudge: Nudge | None = None, bump: Bump | Placing | None = None, ring_steps: tuple[float, ...] = ()
    ) -> Array:
        """Where each point of the board lies in the picture, image space, shape (n_points, 2)."""
        places = (nudge or Nudge()).world(self._places(ring_steps))
        return self.viewpoint(bump).project(np.column_stack([places, np.zeros(len(places))]))

    def seen(self, board_xy: Array, bump: Bump | Placing | None = None) -> Array:
        """Image places (n, 2) of places (n, 2) of the board as it was made, board space."""
        laid = self._wrinkles.seen_at(board_xy) - 0.5
        return self.viewpoint(bump).project(np.column_stack([laid, np.zeros(len(laid))]))

    def rim_px(self, bump: Bump | Placing | None = None) -> Array:
        """The rim of the board, image space (n, 2)."""
        return self.seen(self._outline_xy, bump)

    def outlines_px(self, stacks: Stacks) -> list[Array | None]:
        """The outline of the top stone on each point, image space (n, 2); None on a bare point."""
        piles = self._pebbles(self._stones(stacks), State(self.spec.light))
        return [outline_px(pile[-1], self.viewpoint()) if pile else None for pile in piles]

    def render(
        self,
        stacks: Stacks,
        *,
        rng: np.random.Generator,
        hand: Hand | None = None,
        leaning: Hand | None = None,
        light: Light | None = None,
        nudge: Nudge | None = None,
        bump: Bump | Placing | None = None,
        ring_steps: tuple[float, ...] = (),
        spare_stones: Sequence[int] | None = None,
        loose_stones: Sequence[tuple[Stone, tuple[float, float]]] = (),
        cup: Cup | None = None,
    ) -> tuple[Image, Truth]:
        """Take a picture.

        Args:
            stacks: For each point the stones on it, bottom first; an int is the player that painted it, 0 first.
            rng: Of the sensor's noise.
            leaning: The hand of somebody else.
            light: Another light than the spec's.
            nudge: The board, with all that lies on it, has been pushed.
            bump: The camera has been knocked, or stands elsewhere than the spec says.
            ring_steps: How far each ring of the board is turned, in holes. The truth names places on the table, so that
                whole steps do not turn it; stones ride where their stacks say. A disc that is off a step, up to half of
                one, has its places and stones so far off, too.
            spare_stones: How many stones of each player lie beside the board; the spec's number when omitted.
            loose_stones: Stones that lie on no point, and where (board space).
            cup: A cup that stands on the board.

        Returns:
            uint8 array of shape (H, W, 3). BGR.
        """
        state, stones = State(light or self.spec.light, nudge or Nudge(), bump, ring_steps), self._stones(stacks)
        spares = tuple(spare_stones if spare_stones is not None else (self.spec.spare_stones,) * len(self.spec.paints))
        loose = tuple(loose_stones)
        lying = stones, spares, loose, state
        settle = partial(self._settled, *lying)
        settled = settle() if self._masks else self._keep(("settled", *lying), settle)
        points_px = self.points_px(*state[1:])
        hidden = (False,) * len(points_px)
        picture = settled if hand is leaning is cup is None else settled.copy()
        if cup is not None:
            hidden = self._add_cup(picture, cup, state, points_px)
        for one in (leaning, hand):
            under = hidden if one is None else self._add_hand(picture, one, state, points_px)
            hidden = tuple(a or b for a, b in zip(hidden, under, strict=True))
        picture = self._sensed(picture, rng)
        tops = tuple(stack[-1].player + 1 if stack else 0 for stack in stones)
        return picture, Truth(points_px, tops, tuple(map(len, stones)), hidden)

    def render_with_masks(self, stacks: Stacks, **how: Any) -> tuple[Image, Truth, Masks]:
        """Take a picture as ``render`` does, and say what of it is a stone, a hand or a cup."""
        width, height = self.spec.size_px
        masks = self._masks = Masks(np.zeros((height, width, 3), np.uint8), np.zeros((height, width), np.uint8))
        try:
            return (*self.render(stacks, **how), masks)
        finally:
            self._masks = None

    # ------------------------------------------------------------------ set-up

    def _places(self, ring_steps: tuple[float, ...]) -> Array:
        """Where the points lie, board space, when discs have stopped a little off a step."""
        places = self._points_xy
        for ring, steps in zip(self.spec.board.rings, ring_steps, strict=bool(ring_steps)):
            off = steps - round(steps)
            if off:
                turn = 2 * np.pi * off / len(ring)
                matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
                places = places.copy()
                places[list(ring)] = 0.5 + (places[list(ring)] - 0.5) @ matrix.T
        return places

    def _place_camera(self, placing: Placing) -> Viewpoint:
        outline = np.column_stack([self._outline_xy - 0.5, np.zeros(len(self._outline_xy))])
        half = (np.array(self.spec.size_px) - 1) / 2
        distance = 2.0
        for _ in range(12):  # the share of the picture is nearly proportional to 1 / distance
            view = look_at(distance, self.spec.size_px, placing)
            in_front = ((outline - view.centre) @ view.camera_from_world[2]).min() > 0.2
            share = float((np.abs(view.project(outline) - half) / half).max()) if in_front else 2.0
            distance *= min(max(share / placing.fill, 0.7), 1.5)
        return view

    def _keep(self, key: Hashable, make: Callable[[], T]) -> T:
        if key not in self._kept:
            kinds = [k for k in self._kept if cast(tuple[object, ...], k)[0] == cast(tuple[object, ...], key)[0]]
            if len(kinds) >= (400 if cast(tuple[object, ...], key)[0] == "sprite" else KEPT):
                del self._kept[kinds[0]]
            self._kept[key] = make()
        return cast(T, self._kept[key])

    def _stones(self, stacks: Stacks) -> tuple[tuple[Stone, ...], ...]:
        n = len(self.spec.board.points)
        if len(stacks) != n:
            raise ValueError(f"stacks must have one entry for each of {n} points, got {len(stacks)}")
        found = []
        for point, stack in enumerate(stacks):
            named = []
            for level, entry in enumerate(stack):
                stone = entry if isinstance(entry, Stone) else Stone(entry)
                if not 0 <= stone.player < len(self.spec.paints):
                    raise ValueError(f"player must be below {len(self.spec.paints)}, got {stone.player!r}")
                named.append(stone if stone.look is not None else replace(stone, look=4 * point + level))
            found.append(tuple(named))
        return tuple(found)

    # ------------------------------------------------------------------ one picture

    def _bare(self, state: State) -> Image:
        """The lit table without stones, uint8 (H, W, 3)."""
        light, nudge, bump, ring_steps = state

        def make() -> Image:
            cloth = make_cloth(self.spec, ring_steps) if any(ring_steps) else self.cloth
            laid = wrinkle(cloth, self._wrinkles, light)
            thickness = 0.035 if self.spec.cloth.pattern == "wood" else 0.006
            ground = see_ground(self.viewpoint(bump), self.table, laid, nudge, light, thickness)
            return cast(Image, np.clip(ground * self._lights(light, bump), 0, 255).astype(np.uint8))

        is_as_drawn = self._given is None and state == State(self.spec.light)
        return self._keep(("bare", *state), lambda: kept(self.spec, make) if is_as_drawn else make())

    def _lights(self, light: Light, bump: Bump | Placing | None) -> Float:
        return self._keep(("light", light, bump), lambda: light_map(self.viewpoint(bump), self.spec, light))

    def _pebbles(self, stones: tuple[tuple[Stone, ...], ...], state: State) -> list[list[Pebble]]:
        places = self._places(state.ring_steps)
        return [self._pile(point, places[point], stack, state.nudge) for point, stack in enumerate(stones)]

    def _pile(self, point: int, home: Array, stack: tuple[Stone, ...], nudge: Nudge) -> list[Pebble]:
        pile: list[Pebble] = []
        risen = 0.0
        for level, stone in enumerate(stack):
            look = cast(int, stone.look)
            axes, turn = shape_of(self.spec, stone.player, look, self._stone_spacing)
            offset = np.array(stone.offset or (0.0, 0.0))
            if stone.offset is None:
                chance = np.random.default_rng([self.spec.seed, 9, point, level, stone.player, look])
                away, angle = self.spec.placing_error * np.sqrt(chance.uniform()), chance.uniform(0, 2 * np.pi)
                offset = away * np.array([np.cos(angle), np.sin(angle)])
            place = home + offset * self._spacing[point]
            if pile:  # a stone on top lies about where its stack lies
                below = pile[-1].centre[:2]
                lean = 0.15 * axes[0] * offset / max(self.spec.placing_error, 1e-9)
                ground = below + lean
            else:
                ground = nudge.world(place[None])[0]
            pile.append(Pebble(stone.player, look, np.array([*ground, -(risen + axes[2])]), axes, turn))
            risen += 1.8 * axes[2]  # pebbles are not flat: the upper one settles a little into the lower
        return pile

    def _spare_pebbles(self, spares: tuple[int, ...]) -> list[Pebble]:
        reach = float(np.linalg.norm(self._outline_xy - 0.5, axis=1).max())
        found: list[Pebble] = []
        for player, n in enumerate(spares):
            side = 2 * np.pi * player / len(spares)
            for k in range(n):
                chance = np.random.default_rng([self.spec.seed, 10, player, k])
                axes, turn = shape_of(self.spec, player, 1000 + k, self._stone_spacing)
                for _ in range(20):  # beside the others where there is room
                    angle, away = side + chance.uniform(-0.7, 0.7), reach + chance.uniform(0.08, 0.35)
                    place = np.array([np.sin(angle) * away, np.cos(angle) * away, -axes[2]])
                    if all(np.hypot(*(place - other.centre)[:2]) > 2.3 * axes[0] for other in found):
                        break
                found.append(Pebble(player, 1000 + k, place, axes, turn))
        return found

    def _settled(
        self,
        stones: tuple[tuple[Stone, ...], ...],
        spares: tuple[int, ...],
        loose: tuple[tuple[Stone, tuple[float, float]], ...],
        state: State,
    ) -> Image:
        """Table and stones, lit, without hand, blur or noise."""
        light, nudge, view = state.light, state.nudge, self.viewpoint(state.bump)
        picture = self._bare(state).copy()
        pebbles = [p for pile in self._pebbles(stones, state) for p in pile] + self._spare_pebbles(spares)
        for stone, place in loose:
            axes, turn = shape_of(self.spec, stone.player, cast(int, stone.look), self._stone_spacing)
            ground = nudge.world(np.array([place]))[0]
            pebbles.append(Pebble(stone.player, cast(int, stone.look), np.array([*ground, -axes[2]]), axes, turn))
        in_sight = [p for p in pebbles if self._in_sight(view, p)]
        self._add_shadows(picture, [shadow_outline(p, light) for p in in_sight], view, light)
        in_sight.sort(key=lambda p: -float(np.linalg.norm(p.centre - view.centre)))
        for pebble in in_sight:
            self._add_pebble(picture, pebble, state)
        self._add_glare(picture, nudge, view)
        return picture

    def _add_glare(self, picture: Image, nudge: Nudge, view: Viewpoint) -> None:
        around = np.deg2rad(np.arange(0.0, 360.0, 5.0))
        circle = np.stack([np.cos(around), np.sin(around)], axis=1)
        for glare in self.spec.blemish.glare if self.spec.blemish else ():
            rim = nudge.world(np.array(glare.place) + glare.radius * circle)
            lamp = reflection(view.project(np.column_stack([rim, np.zeros(len(rim))])), view.size_px)
            picture[:] = np.clip(picture + glare.level * lamp[..., None], 0, 255).astype(np.uint8)

    @staticmethod
    def _in_sight(view: Viewpoint, pebble: Pebble) -> bool:
        if (pebble.centre - view.centre) @ view.camera_from_world[2] < 0.3:
            return False
        place = view.project(pebble.centre)[0]
        return bool(np.all(place > -100) and np.all(place < np.array(view.size_px) + 100))

    def _add_pebble(self, picture: Image, pebble: Pebble, state: State) -> None:
        light, bump, view = state.light, state.bump, self.viewpoint(state.bump)
        key = ("sprite", pebble.player, pebble.look, tuple(pebble.centre), light, bump)
        sprite: Sprite = self._keep(key, lambda: draw_pebble(self.spec, pebble, view, light))
        column, row = np.clip(view.project(pebble.centre)[0], 0, np.array(view.size_px) - 1).astype(int)
        paste(picture, sprite, self._lights(light, bump)[row, column])
        if self._masks:
            white = np.dstack([sprite.bgra[..., 3]] * 4)
            paste(self._masks.stones, replace(sprite, bgra=white), np.ones(3, np.float32))

    @staticmethod
    def _add_shadows(picture: Image, outlines: list[Array], view: Viewpoint, light: Light) -> None:
        if not outlines:
            return
        places = [view.project(outline) for outline in outlines]
        soft = max(1, round(light.softness * view.focal_px / float(np.linalg.norm(view.centre))))
        size = np.array(view.size_px)
        everything = np.vstack(places)
        low = np.clip(np.floor(everything.min(axis=0)) - 3 * soft, 0, size).astype(int)
        high = np.clip(np.ceil(everything.max(axis=0)) + 3 * soft, 0, size).astype(int)
        if np.any(high <= low):
            return
        mask = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
        for place in places:
            cv2.fillPoly(mask, [np.round((place - low) * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
        box = (2 * soft + 1, 2 * soft + 1)
        mask = cv2.blur(cv2.blur(mask, box), box).astype(np.uint8)
        Scene._darken(picture[low[1] : high[1], low[0] : high[0]], mask, light.shadow)

    @staticmethod
    def _darken(part: Image, mask: NDArray[np.uint8], strength: float) -> None:
        table = np.clip(255 - strength * np.arange(256), 0, 255).astype(np.uint8)
        kept = cv2.cvtColor(cv2.LUT(mask, table), cv2.COLOR_GRAY2BGR)
        cv2.multiply(part, kept, part, scale=1 / 255)

    def _sensed(self, picture: Image, rng: np.random.Generator) -> Image:
        """What lens, sensor and compression make of a picture."""
        seen: cv2.typing.MatLike = picture
        if self.spec.blur_px > 0:
            seen = cv2.GaussianBlur(seen, (0, 0), self.spec.blur_px)
        top, left = (int(n) for n in rng.integers(0, NOISE_ROOM, 2))
        height, width = picture.shape[:2]
        seen = cv2.add(seen, self._noise[top : top + height, left : left + width], dtype=cv2.CV_8U)
        if self.spec.jpeg_quality is not None:
            return compressed(seen, self.spec.jpeg_quality)
        return cast(Image, seen)

    def _add_hand(self, picture: Image, hand: Hand, state: State, points_px: Array) -> tuple[bool, ...]:
        """Draw the hand into ``picture``; which points it covers."""
        light, view = state.light, self.viewpoint(state.bump)
        drawn = draw_hand(hand, view, light, self._texture)
        if drawn is None:
            return (False,) * len(points_px)
        column, row = drawn.corner
        height, width = drawn.mask.shape
        part = picture[row : row + height, column : column + width]
        if self._masks:
            self._masks.covers[row : row + height, column : column + width] |= drawn.mask
        self._darken(part, drawn.shadow, 0.8 * light.shadow)
        if hand.carries is not None:
            look = hand.carries.look if hand.carries.look is not None else 500
            axes, turn = shape_of(self.spec, hand.carries.player, look, self._stone_spacing)
            tip = np.array([hand.target[0] - 0.5, hand.target[1] - 0.5, -hand.height + axes[2] * 0.5])
            self._add_pebble(picture, Pebble(hand.carries.player, look, tip, axes, turn), state)
        lit = self._lights(light, state.bump)[row : row + height : 8, column : column + width : 8].mean(axis=(0, 1))
        bright = np.clip(drawn.bgr * lit.astype(np.float32), 0, 255).astype(np.uint8)
        cv2.copyTo(bright, (drawn.mask > 127).astype(np.uint8), part)
        return self._covers(drawn.mask, points_px - drawn.corner)

    def _add_cup(self, picture: Image, cup: Cup, state: State, points_px: Array) -> tuple[bool, ...]:
        """Draw the cup into ``picture``; which points it covers."""
        view, ground = self.viewpoint(state.bump), state.nudge.world(np.array([cup.place]))[0]
        middle = view.project(np.array([[*ground, 0.0]]))[0]
        column, row = np.clip(middle, 0, np.array(view.size_px) - 1).astype(int)
        mask = draw_cup(picture, cup, ground, view, self._lights(state.light, state.bump)[row, column])
        if self._masks:
            np.bitwise_or(self._masks.covers, mask, out=self._masks.covers)
        return self._covers(mask, points_px)

    def _covers(self, mask: NDArray[np.uint8], points_px: Array) -> tuple[bool, ...]:
        """Which points a mask covers, whose corner is the origin."""
        return tuple(self._covered(mask, p, r) for p, r in zip(points_px, spacings(points_px), strict=True))

    @staticmethod
    def _covered(mask: NDArray[np.uint8], place: Array, spacing_px: float) -> bool:
        radius = max(1.0, HIDDEN_DISC * spacing_px)
        grid = np.mgrid[-1:1:7j, -1:1:7j].reshape(2, -1).T
        samples = np.round(place + radius * grid[(grid**2).sum(axis=1) <= 1]).astype(int)
        inside = np.all((samples >= 0) & (samples < mask.shape[::-1]), axis=1)
        covered = mask[samples[inside, 1], samples[inside, 0]] > 127
        return bool(covered.sum() > HIDDEN_SHARE * len(samples))
