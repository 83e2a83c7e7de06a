"""A drawn table under the eyes: tables are shown one after the other, as people leave them."""

from collections.abc import Sequence

import numpy as np

from referee.boards import boards_for
from referee.events import Event
from referee.layouts import NINE_MENS_MORRIS
from referee.presets import find_variant
from tests.drawn import drawn
from tests.simulation.play import Eyes
from tests.synthetic import Hand, Scene, random_spec, stacks_of
from vision.imaging.field import Field, Registration
from vision.imaging.frame import Frame
from vision.watching.field_search import take_field
from vision.watching.state import State, TableSetup

FPS = 5
VARIANT = find_variant("nine_mens_morris")
TABLE = TableSetup(VARIANT, boards_for(VARIANT))


class ShownTable:
    """Every table that is shown rests for a while after a hand was there, or is photographed once."""

    def __init__(
        self, scene: Scene, table: TableSetup, rng: np.random.Generator, rest_s: float, *, photographs: bool = False
    ) -> None:
        self.scene, self.rng, self.rest_s = scene, rng, rest_s
        self.eyes, self.n = Eyes(table, photographs=photographs), 0

    @property
    def state(self) -> State:
        return self.eyes.state

    @state.setter
    def state(self, state: State) -> None:
        self.eyes.state = state

    def show(self, tops: Sequence[int]) -> list[Event]:
        """What is said of a table that is shown."""
        said, photographs = list[Event](), self.eyes.photographs
        for k in range(1 if photographs else round(self.rest_s * FPS) + 1):
            hand = Hand((0.5, 0.5)) if k == 0 and self.n and not photographs else None
            bgr, truth = self.scene.render(stacks_of(list(tops)), rng=self.rng, hand=hand)
            self.frame = Frame(bgr, self.n / FPS, self.n)
            said += self.eyes.see(self.frame, truth.points_px)
            self.n += 10 if photographs else 1
        return said

    def seen_tops(self) -> tuple[int, ...]:
        """What the record shows, by the names of the drawn table; nothing while a foul is in dispute."""
        if self.state.belief.dispute is not None or not self.eyes.name_of:
            return ()
        names = self.eyes.table.variant.board.points
        tops = zip(names, self.state.belief.expected_tops, strict=True)
        top_of = {self.eyes.name_of[name]: top for name, top in tops}
        return tuple(top_of.get(name, 0) for name in names)


def nine_mens_morris(table: TableSetup = TABLE, seed: int = 11, *, photographs: bool = False) -> ShownTable:
    """A board of nine men's morris that is drawn once for all tests."""
    spec = random_spec(np.random.default_rng(seed), NINE_MENS_MORRIS, hardness=0.2, size_px=(960, 540))
    return ShownTable(drawn(spec), table, np.random.default_rng(seed), 1.5, photographs=photographs)


def in_sight(state: State, left_px: float = 20.0) -> State:
    """The state of a table of nine men's morris after its field was seen in a grey picture of 240 px."""
    places = np.array(NINE_MENS_MORRIS.xy) * 200 + (left_px, 20)
    field = Field(NINE_MENS_MORRIS, "lines", places, np.array([[200.0, 0, left_px], [0, 200, 20], [0, 0, 1]]))
    grey = Frame(np.full((240, 240, 3), 128, np.uint8), 0.0, 0)
    return take_field(state, grey, Registration(field, 1.0)).state


def tops_with(stones: dict[str, int]) -> tuple[int, ...]:
    return tuple(stones.get(name, 0) for name in NINE_MENS_MORRIS.points)
