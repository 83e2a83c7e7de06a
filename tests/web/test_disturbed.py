"""A board that is pushed, a hand, a lamp that goes out invent no move, and the game goes on (promise R12).

The whole path of pictures, on a table that a program draws: two turns are played, the disturbance comes, then a third.
"""

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
import pytest

from referee.boards import boards_for
from referee.events import BoardFound, BoardLost, Event, TurnPlayed
from referee.layouts import NINE_MENS_MORRIS
from referee.presets import find_variant
from tests.drawn import drawn
from tests.synthetic import Hand, Light, Nudge, random_spec, stacks_of
from vision.imaging.field import Registration
from vision.imaging.frame import Frame
from vision.pipeline import step
from vision.watching.state import State, TableSetup, start

VARIANT = find_variant("millchen")
TABLE = TableSetup(VARIANT, boards_for(VARIANT))
FPS = 10
TWO_SECONDS = 2 * FPS
pytestmark = pytest.mark.film

NEAR_SPACINGS = 0.15
"""A point may be off by so much; stones lie up to a third of a spacing off theirs."""


class Watched:
    """A drawn table under the eyes."""

    def __init__(self) -> None:
        spec = random_spec(np.random.default_rng(11), NINE_MENS_MORRIS, hardness=0.2, size_px=(960, 540))
        self.scene, self.state, self.n, self.tops = drawn(spec), start(TABLE), 0, [0] * 24
        self.said: list[Event] = []
        points = self.scene.points_px()
        self.side_px = float(np.linalg.norm(np.ptp(points, axis=0)) / np.sqrt(2))

    def see(self, n_frames: int, **how: Any) -> State:
        for _ in range(n_frames):
            rng = np.random.default_rng(self.n)
            bgr, self.truth = self.scene.render(stacks_of(self.tops), rng=rng, **how)
            self.state, said = step(self.state, Frame(bgr, self.n / FPS, self.n), TABLE)
            self.said += said
            self.n += 1
        return self.state

    def play(self, point: str, top: int, **how: Any) -> None:
        """A hand comes, and lays a stone; then all lies still."""
        self.see(1, hand=Hand((0.5, 0.5)), **how)
        self.tops[NINE_MENS_MORRIS.index[point]] = top
        self.see(TWO_SECONDS, **how)

    @property
    def is_where_it_lies(self) -> bool:
        seen = self.state.registration
        if not isinstance(seen, Registration):
            return False
        off_px = np.linalg.norm(seen.field.points_px - self.truth.points_px, axis=1)
        return bool((off_px < NEAR_SPACINGS * seen.field.spacing_px).all())

    @property
    def n_turns(self) -> int:
        return sum(isinstance(event, TurnPlayed) for event in self.said)

    @property
    def others(self) -> list[Event]:
        """What was said besides turns and where the board is: fouls, questions, turns taken back."""
        return [event for event in self.said if not isinstance(event, TurnPlayed | BoardFound | BoardLost)]


def pushed(px: float, turn_deg: float = 0.0) -> Callable[[Watched], dict[str, Any]]:
    def push(table: Watched) -> dict[str, Any]:
        side = px / table.side_px
        for part in (0.0, 0.3, 0.6, 1.0):
            at = (0.4 + part / 5, 0.6)
            table.see(1, hand=Hand(at), nudge=Nudge(0.8 * side * part, -0.6 * side * part, turn_deg * part))
        return {"nudge": Nudge(0.8 * side, -0.6 * side, turn_deg)}

    return push


def hand(table: Watched) -> dict[str, Any]:
    table.see(TWO_SECONDS, hand=Hand((0.5, 0.4)))  # lies still over the stones, longer than a rest
    return {}


def lamp(table: Watched) -> dict[str, Any]:
    table.see(TWO_SECONDS, light=Light(gain=0.1))
    return {}


DISTURBANCES = {
    "3 px": pushed(3), "10 px": pushed(10), "40 px": pushed(40), "turned": pushed(10, 8.0), "hand": hand, "lamp": lamp,
}  # fmt: skip
QUICK = ("40 px", "hand", "lamp")
TOLD = ("10 px", "40 px", "turned")
"""Pushes that are large enough to be said."""


@pytest.fixture(scope="module")
def played() -> Watched:
    """A table at which two turns have been played; every test goes on from a copy."""
    table = Watched()
    table.see(12)
    table.play("d6", 1)
    table.play("a1", 2)
    assert table.n_turns == 2
    return table


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in DISTURBANCES]
)
def test_what_disturbs_a_table_invents_no_move_and_the_game_goes_on(played: Watched, name: str) -> None:
    """A push is told, the third turn is seen, all within two seconds."""
    table = copy(played)
    table.said, table.tops = list(played.said), list(played.tops)
    after = DISTURBANCES[name](table)
    table.see(TWO_SECONDS, **after)
    assert (table.n_turns, table.others) == (2, []) and table.is_where_it_lies
    n_found = sum(isinstance(event, BoardFound) for event in table.said)
    table.play("f6", 1, **after)
    assert n_found == 1 + (name in TOLD) and (table.n_turns, table.others) == (3, [])
