"""Kills amid games that were begun on the page and gone on with: what is taken up is what was acknowledged.

`pytest -m slow tests/web/test_taking_up_kills.py -s` prints the figure that stands in docs/PROMISES.md.
"""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.web.ports import free_port
from tests.web.scripted_eyes import write_film
from tests.web.test_faults import Program, many, wait_until

GAMES = ("tic_tac_toe", "three_mens_morris", "nine_mens_morris")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


def test_after_every_kill_the_game_that_was_on_is_taken_up_as_it_was_acknowledged(tmp_path: Path) -> None:
    rng, port, film = random.Random(11), free_port(), write_film(tmp_path / "film.json")
    acked: dict[int, int] = {}  # of every unfinished game: its complete turns
    on: int | None = None
    n_kills, n_commands = many(25), 0
    for _ in range(n_kills):
        program = Program(film, tmp_path / "data", port)
        wait_until(lambda program=program: program.ask("/api/state") is not None, 90, "the page")  # type: ignore[misc]
        state = program.ask("/api/state")
        if on is not None:
            assert (state["game"]["id"], state["game"]["ply"], state["source"]["name"]) == (on, acked[on], "hand")
            assert state["offer"]["game"] == on
        until = time.monotonic() + rng.random() * 2
        while on is None or time.monotonic() < until:
            state = _command(program, rng, acked, state)
            on, n_commands = int(state["game"]["id"]), n_commands + 1
            acked[on] = state["game"]["ply"]
            if state["game"]["outcome"] is not None:
                acked.pop(on)
                on = None
        program.end(signal.SIGKILL)
    print(f"taking up: {n_kills} kills amid {n_commands} commands, every one taken up as acknowledged")


def _command(program: Program, rng: random.Random, acked: dict[int, int], state: Any) -> Any:
    """Give one command that is carried out, and return the state after it."""
    game, chance = state["game"], rng.random()
    acts = game["acts"] or []
    if (
        game["outcome"] is not None
        or not acts
        or game["name"] == "nine_mens_morris"
        and game["ply"] == 0
        or chance < 0.1
    ):
        assert program.ask("/api/game", {"game": rng.choice(GAMES), "source": "hand"})
        state = program.ask("/api/state")
        game, acts = state["game"], state["game"]["acts"]
    elif chance < 0.25:
        assert program.ask("/api/go-on", {"game": rng.choice(sorted(acked))})
        state = program.ask("/api/state")
        game, acts = state["game"], state["game"]["acts"]
    seen = {"game": game["id"], "seq": game["seq"]}
    assert program.ask("/api/act", {"act": rng.choice(acts)["text"], "seen": seen})
    return program.ask("/api/state")
