"""The path as a whole, on a table that a program draws."""

from copy import copy

import numpy as np
import pytest

from referee.boards import boards_for
from referee.events import BoardLost, Restored, TurnPlayed
from referee.layouts import NINE_MENS_MORRIS
from referee.moves import Place
from referee.presets import find_variant
from tests.drawn import drawn
from tests.synthetic import Hand, random_spec, stacks_of
from vision.imaging.field import NotRegistered
from vision.imaging.frame import Frame
from vision.pipeline import finish, step
from vision.watching.player_actions import change_game, correct_game
from vision.watching.state import State, TableSetup, start

pytestmark = pytest.mark.film

VARIANT = find_variant("millchen")
TABLE = TableSetup(VARIANT, boards_for(VARIANT))
POINT = NINE_MENS_MORRIS.index


def tops_with(**stones: int) -> list[int]:
    tops = [0] * 24
    for name, top in stones.items():
        tops[POINT[name]] = top
    return tops


class Watching:
    """A table under the eyes: at every call a hand comes and goes, and what it leaves rests for a second and a half."""

    def __init__(self, seed: int = 11) -> None:
        self.scene = drawn(random_spec(np.random.default_rng(seed), NINE_MENS_MORRIS, hardness=0.2, size_px=(960, 540)))
        self.state: State = start(TABLE)
        self.n = 0

    def rest(self, tops: list[int], frames: int = 15) -> list[object]:
        rng, said = np.random.default_rng(self.n), []
        for k in range(frames):
            hand = Hand((0.5, 0.5)) if k == 0 and self.n else None  # nothing changes without a hand
            bgr, _ = self.scene.render(stacks_of(tops), rng=rng, hand=hand)
            self.frame = Frame(bgr, self.n / 10, self.n)
            self.state, events = step(self.state, self.frame, TABLE)
            said += events
            self.n += 1
        return said


@pytest.fixture(scope="module")
def opening() -> tuple[Watching, list[object], list[object]]:
    """A table at which red has laid on d6, what was said of the empty board, and of the turn."""
    watching = Watching()
    return watching, watching.rest(tops_with()), watching.rest(tops_with(d6=1))


@pytest.fixture
def watching(opening: tuple[Watching, list[object], list[object]]) -> Watching:
    """The same table, for one test to go on from: states are values."""
    return copy(opening[0])


def test_a_ghost_that_was_corrected_does_not_come_back(watching: Watching):
    game = watching.state.game
    right = game.play_on(tops_with(), to_move=game.position.to_move, kinds=("corrected",))
    watching.state = correct_game(watching.state, right)  # the players say: there is nothing on d6
    assert watching.state.game.position.tops == tuple(tops_with())
    assert watching.rest(tops_with(d6=1)) == [], "what looks like a stone there is known to be none"
    assert watching.state.game.position.tops == tuple(tops_with())


def test_what_is_open_when_a_film_ends_is_decided(watching: Watching):
    assert watching.rest(tops_with(d6=1, a1=2), frames=4) == [], (
        "a film that ends three tenths of a second after the hand"
    )
    state, said = finish(watching.state, watching.frame, TABLE)
    assert [(e.player, e.time_s) for e in said if isinstance(e, TurnPlayed)] == [(1, watching.frame.time_s)]
    assert state.game.ply == 2


def test_a_film_that_ends_under_a_hand_says_nothing_more(watching: Watching):
    watching.rest(tops_with(d6=1, a1=2), frames=1)
    assert finish(watching.state, watching.frame, TABLE) == (watching.state, ())


def test_a_stone_that_is_lifted_after_its_turn_was_taken_back_is_no_new_turn(watching: Watching):
    watching.state = change_game(watching.state, watching.state.game.take_back())
    assert watching.rest(tops_with(d6=1)) == [], "nobody has lifted it yet"
    assert [type(e) for e in watching.rest(tops_with())] == [Restored]
    assert [e.moves for e in watching.rest(tops_with(b4=1)) if isinstance(e, TurnPlayed)] == [(Place("b4"),)]


def test_a_table_without_a_board_is_said_to_have_none_once():
    state, said = start(TABLE), []
    rng = np.random.default_rng(0)
    for i in range(30):
        bgr = np.full((360, 640, 3), 140, np.uint8) + rng.integers(0, 4, (360, 640, 3), dtype=np.uint8)
        state, events = step(state, Frame(bgr, i / 10, i), TABLE)
        said += events
    assert [type(e) for e in said] == [BoardLost]
    assert isinstance(state.registration, NotRegistered)
    assert state.sight == "searching"
