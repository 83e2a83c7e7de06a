"""The bundled demos are whole games that the eyes follow to the end."""

from __future__ import annotations

import json

import pytest

from millchen import main
from tools.draw_demos import GAMES
from web.table.source_names import demo_games, find_demo

MAX_FIRST_STONE_S = 5.0
"""Film time until the first stone is accepted: with the start of the page at most eight seconds. Source: chosen."""

QUICK = ("millchen", "tic_tac_toe")
"""The one that everybody sees first, and the shortest; the others are watched with the slow tests."""


@pytest.mark.film
@pytest.mark.parametrize(
    "game", [game if game in QUICK else pytest.param(game, marks=pytest.mark.slow) for game in demo_games()]
)
def test_a_demo_ends_with_a_winner_and_asks_nobody(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    clip = find_demo(f"demo:{game}")
    assert main(["watch", str(clip.video), "--game", clip.game, "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    kinds = [event["event"] for event in events]
    assert "question" not in kinds and kinds[-1] == "over"
    assert events[-1]["winner"] is not None
    assert next(event for event in events if event["event"] == "turn")["t"] <= MAX_FIRST_STONE_S
    assert kinds.count("foul") == kinds.count("restored") == 1
    if game in ("tic_tac_toe", "trialectic"):  # on a round board no point is seen to be the first
        assert [event["text"] for event in events if event["event"] == "turn"] == GAMES[game].turns.split()
