"""Synthetic games through the whole path: a few short ones always, many long ones when asked (`pytest -m slow -s`)."""

import pytest

from tests.simulation.play import handheld, simulate

pytestmark = pytest.mark.film


SLOW = (("millchen", 0, 8), ("millchen", 2, 8))


@pytest.mark.parametrize(
    ("game", "seed", "n_turns"),
    [("tic_tac_toe", 0, 6), *(pytest.param(*game, marks=pytest.mark.slow) for game in SLOW)],
)
def test_a_short_game_on_a_friendly_table_is_refereed_without_a_touch(game: str, seed: int, n_turns: int) -> None:
    result = simulate(seed, game, n_turns=n_turns, hardness=0.3, size_px=(640, 360))
    assert result.exact, "\n".join([*result.missed, *result.said])
    assert result.under_hand == 0 and not result.broken
    assert result.laws["position right at rest"] == (result.turns + 1,) * 2, "after each turn, and before"


@pytest.mark.slow
def test_the_first_stone_in_a_forbidden_middle_is_a_foul_although_nobody_knows_yet_whose_it_is() -> None:
    fouls, options = {1: "centre_forbidden"}, {"no_centre_first": True}
    result = simulate(0, "three_mens_morris", n_turns=2, hardness=0.3, size_px=(640, 360), fouls=fouls, options=options)
    assert [offence.called for offence in result.offences] == ["centre_forbidden"]
    assert result.exact, "\n".join([*result.missed, *result.said])


def test_a_handheld_series_of_photographs_is_followed_without_a_touch() -> None:
    result = handheld(51000, n_turns=2)
    assert result.exact and result.turns == 2, "\n".join([*result.missed, *result.said])
