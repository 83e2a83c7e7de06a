"""A film shows the game that it says it shows."""

import numpy as np
import pytest

from referee.game import Game
from referee.layouts import NINE_MENS_MORRIS
from referee.presets import find_variant
from tests.synthetic import Scene, Script, Shot, film, random_spec

pytestmark = pytest.mark.film


def filmed(script: Script) -> list[Shot]:
    rng = np.random.default_rng(5)
    spec = random_spec(rng, NINE_MENS_MORRIS, hardness=0.2, size_px=(320, 180))
    return list(film(Scene(spec), Game.start(find_variant("millchen")), script, rng))


def test_the_table_shows_the_game_whenever_no_hand_is_over_it() -> None:
    shots = filmed(Script(3, {3: "two_moves"}, {1: "nudge", 2: "bump", 3: "light"}, fps=4))
    assert [shot.frame.sequence for shot in shots] == list(range(len(shots)))
    assert np.allclose(np.diff([shot.frame.time_s for shot in shots]), 0.25)
    quiet = [shot for shot in shots if not shot.hand and not shot.foul]
    assert all(shot.truth.tops == shot.game.position.tops for shot in quiet)
    assert len(shots[-1].game.turns) == 3
    assert {shot.accident for shot in shots} == {"", "nudge", "bump", "light"}
    assert any(any(shot.truth.hidden) for shot in shots if shot.hand)
    wrong = [shot for shot in shots if shot.foul and not shot.hand]
    assert wrong and all(shot.truth.tops != shot.game.position.tops for shot in wrong)
    before, after = shots[0].truth.points_px, shots[-1].truth.points_px
    assert np.abs(after - before).max() > 1


def test_three_stones_are_moved_at_once_and_the_game_goes_on_from_there():
    shots = filmed(Script(6, accidents={5: "shuffle"}, fps=4))
    before, after = (next(s for s in shots if len(s.game.turns) == n) for n in (4, 5))
    apart = sum(a != b for a, b in zip(before.truth.tops, after.truth.tops, strict=True))
    assert 3 <= apart <= 6
    assert shots[-1].game.ply == 7
    assert shots[-1].truth.tops == shots[-1].game.position.tops
