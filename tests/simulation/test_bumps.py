"""A grid of bumps: the board pushed on the table, or the camera knocked, with and without a move made meanwhile.

A table with some stones on it is watched; then a hand comes in, board or camera moves within three frames by a share of
the board and some degrees, a stone is laid or not, and the hand goes. Counted is whether the board is where it is said
to be half a second after the last frame of motion, whether the move was found, and what was said that nobody did.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest

from referee.boards import boards_for
from referee.events import Event, FoulSeen, TurnAmended, TurnPlayed
from referee.game import Game
from referee.presets import find_variant
from tests.simulation.play import Eyes, wilson
from tests.synthetic import Bump, Hand, Nudge, Scene, Truth, random_spec, stacks_of
from vision.imaging.field import Registration
from vision.imaging.frame import Frame, Image
from vision.watching.state import TableSetup

pytestmark = pytest.mark.film

SHARES, DEGREES = (0.02, 0.05, 0.10, 0.15), (2.0, 5.0, 10.0, 15.0)
FPS, RECOVERED_S = 10, 0.5
NEAR = 0.25  # share of the spacing by which a point may lie off
YAW_OF_THE_BOARD_DEG = 30.0  # angle under which the camera sees a board, about: half of its field of view
SIZE_PX, MOST_WAYS = (960, 540), 12  # of so many ways to go the first is taken that leaves the board in the picture
TOPS, LAID = {"d6": 1, "f4": 2, "a1": 1, "g1": 2, "b4": 1, "e3": 2, "d2": 1, "c4": 2}, "f6"


class Bumped(NamedTuple):
    """What came of one bump.

    Attributes:
        recovered: All points were known again within ``RECOVERED_S`` of rest.
        phantoms: Turns, fouls and amendments said that nobody made.
        found: The turn made during the bump was said, or none was made.
    """

    recovered: bool
    phantoms: int
    found: bool


def bumped(seed: int, share: float, degrees: float, *, camera: bool, move: bool) -> Bumped:
    """Bump one table of nine men's morris.

    Args:
        seed: Of the table, and of the directions.
        share: How far, in sides of the board.
        degrees: How far it is turned besides.
        camera: Whether it is the camera that is knocked and not the board that is pushed.
        move: Whether the player to move lays a stone meanwhile.
    """
    rng, game = np.random.default_rng(seed), Game.start(find_variant("millchen"))
    names = game.position.board.points
    tops = [TOPS.get(name, 0) for name in names]
    after = [1 if name == LAID and move else top for name, top in zip(names, tops, strict=True)]
    game = game.play_on(tops, to_move=0)
    scene = Scene(random_spec(rng, game.variant.board, hardness=0.3, size_px=SIZE_PX))
    eyes, said = Eyes(TableSetup(game.variant, boards_for(game.variant)), game), list[Event]()
    hand = Hand((0.5, 0.6), from_deg=float(rng.uniform(0, 360)))

    def taken(way: tuple[float, float], part: float, over: Hand | None, stones: Sequence[int]) -> tuple[Image, Truth]:
        """A picture after a part of a bump that goes one way (radians) and turns to one side (a sign)."""
        x, y = part * share * np.cos(way[0]), part * share * np.sin(way[0])
        turned = part * way[1] * degrees
        knock = Bump(YAW_OF_THE_BOARD_DEG * x, YAW_OF_THE_BOARD_DEG * y, turned) if camera and part else None
        push = Nudge() if camera else Nudge(x, y, turned)
        return scene.render(stacks_of(stones), rng=rng, hand=over, nudge=push, bump=knock)

    for way in zip(rng.uniform(0, 2 * np.pi, MOST_WAYS), rng.choice((-1.0, 1.0), MOST_WAYS), strict=True):
        truth = taken(way, 1.0, None, tops)[1]
        if truth.points_px.min() >= 0 and (truth.points_px.max(axis=0) < SIZE_PX).all():
            break
    else:
        raise ValueError(f"the board of table {seed} leaves the picture whichever way it is bumped")
    moving = [(0.0, hand, tops), (0.3, hand, tops), (0.7, hand, after), (1.0, hand, after)]
    script = [(0.0, None, tops)] * (2 * FPS) + moving + [(1.0, None, after)] * (2 * FPS)
    recovered = False
    for n, shown in enumerate(script):
        bgr, truth = taken(way, *shown)
        said += eyes.see(Frame(bgr, n / FPS, n), truth.points_px)
        is_time = n + 1 == 2 * FPS + len(moving) + round(RECOVERED_S * FPS)
        if is_time and isinstance(eyes.state.registration, Registration):
            seen = eyes.state.registration.field
            off = np.linalg.norm(seen.points_px[:, None] - truth.points_px[None], axis=2).min(axis=1)
            recovered = bool((off < NEAR * seen.spacing_px).all())
    right_turn = [event for event in said if isinstance(event, TurnPlayed) and move and event.player == 0]
    phantoms = sum(isinstance(event, TurnPlayed | TurnAmended | FoulSeen) for event in said) - len(right_turn[:1])
    return Bumped(recovered, phantoms, bool(right_turn) or not move)


@pytest.mark.parametrize(("camera", "move"), [(False, True), pytest.param(True, False, marks=pytest.mark.slow)])
def test_a_bump_of_a_tenth_and_five_degrees_is_seen_through(camera: bool, move: bool) -> None:
    assert bumped(2, 0.10, 5.0, camera=camera, move=move) == Bumped(recovered=True, phantoms=0, found=True)


@pytest.mark.slow
def test_the_whole_grid_of_bumps_is_seen_through() -> None:
    kinds = itertools.product(SHARES, DEGREES, (False, True), (False, True))
    came = [bumped(s, share, deg, camera=c, move=m) for s, (share, deg, c, m) in enumerate(kinds)]
    n_recovered, phantoms, n_found = (sum(column) for column in zip(*came, strict=True))
    print(f"recovered {wilson(n_recovered, len(came))}  found {wilson(n_found, len(came))}  phantoms {phantoms}")
    assert sum(b.recovered and b.found for b in came) >= 0.96 * len(came)
    assert phantoms == 0
