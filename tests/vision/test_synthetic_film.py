"""A film shows the game that it says it shows."""

from dataclasses import replace

import numpy as np
import pytest

from referee.game import Game
from referee.layouts import NINE_MENS_MORRIS
from referee.presets import find_variant
from tests.synthetic import Scene, Script, film, random_spec

pytestmark = pytest.mark.film


def small_scene() -> Scene:
    spec = random_spec(np.random.default_rng(5), NINE_MENS_MORRIS, size_px=(320, 180), hardness=0.2)
    return Scene(replace(spec, jpeg_quality=None))


def test_the_table_shows_the_game_whenever_no_hand_is_over_it() -> None:
    game = Game.start(find_variant("millchen"))
    script = Script(5, {3: "two_moves"}, {2: "nudge", 4: "bump", 5: "light"}, fps=4)
    shots = list(film(small_scene(), game, script, np.random.default_rng(1)))
    assert [shot.frame.sequence for shot in shots] == list(range(len(shots)))
    assert np.allclose(np.diff([shot.frame.time_s for shot in shots]), 0.25)
    quiet = [shot for shot in shots if not shot.hand and not shot.foul]
    assert all(shot.truth.tops == shot.game.position.tops for shot in quiet)
    assert len(shots[-1].game.turns) == 5
    assert {shot.accident for shot in shots} == {"", "nudge", "bump", "light"}
    assert any(any(shot.truth.hidden) for shot in shots if shot.hand)
    wrong = [shot for shot in shots if shot.foul and not shot.hand]
    assert wrong and all(shot.truth.tops != shot.game.position.tops for shot in wrong)
    before, after = shots[0].truth.points_px, shots[-1].truth.points_px
    assert np.abs(after - before).max() > 1
