"""A film shows the game that it says it shows."""

from dataclasses import replace

import numpy as np
import pytest

from referee.game import Game
from referee.layouts import NINE_MENS_MORRIS, TIC_TAC_TOE
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


def test_the_same_seed_films_the_same_game() -> None:
    game, script = Game.start(find_variant("millchen")), Script(1, fps=4)
    first, again = (list(film(small_scene(), game, script, np.random.default_rng(1))) for _ in range(2))
    assert all(np.array_equal(a.frame.bgr, b.frame.bgr) for a, b in zip(first, again, strict=True))


def test_misuse_of_a_film_is_refused() -> None:
    game, rng = Game.start(find_variant("millchen")), np.random.default_rng(1)
    scene = small_scene()
    with pytest.raises(ValueError, match="accident must be"):
        list(film(scene, game, Script(1, accidents={1: "flood"}, fps=1), rng))
    with pytest.raises(ValueError, match="kind must be one of"):
        list(film(scene, game, Script(1, fouls={1: "cheated"}, fps=1), rng))
    with pytest.raises(ValueError, match="begins with the start of a game"):
        list(film(scene, game.play(game.legal_moves[0]), Script(1), rng))
    other = Scene(random_spec(rng, TIC_TAC_TOE, size_px=(320, 180)))
    with pytest.raises(ValueError, match="shows tic_tac_toe, the game needs nine_mens_morris"):
        list(film(other, game, Script(1), rng))
