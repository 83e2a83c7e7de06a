"""The front door: what README's first command refereed is every bundled film, turn for turn, to its winner."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

from millchen import main
from referee.board import Board
from referee.presets import find_variant
from tests.web.browsing import expect
from tools.draw_demos import GAMES
from vision.imaging.homography import rotation
from web.table.source_names import demo_games, find_demo

ROOT = Path(__file__).parents[2]

MILLCHEN_TURNS = (
    "b2 e3 b6 d3 b4xd3 c4 d2 d6 f2xe3 a1 f4 a4 f6xc4 c5 e4 c4 g4xd6 e5 f6-d6 a1-d1 f4-f6xc5 d1-g1 f2-f4xe5 a4-d3 "
    "f4-f2xg1"
)
"""Of the rendered film, as its scene was made. The others are drawn from ``GAMES``."""

MAX_FIRST_STONE_S = 5.0
"""Film time until the first stone is accepted: with the start of the page at most eight seconds. Source: chosen."""

FILM_S, SPEED = 77, 3
"""Length of the film that the page plays first; so many times as fast it is played here.

Its own time runs as ever: what comes late counts as three times as late.
"""

FAST = f"""
import sys
from web.table import vision_process as eyes
pace_film = eyes.pace_film
eyes.pace_film = lambda frames, clock, sleep: pace_film(frames, lambda: {SPEED} * clock(), lambda s: sleep(s / {SPEED}))
if __name__ == "__main__":
    from millchen import main
    sys.exit(main())
"""
"""The program with a fast film. The eyes are a process that runs the same file again."""


def turned_names(board: Board) -> Iterator[dict[str, str]]:
    """The names of all points after each turn of the board that leaves it as it is: a round one has no up."""
    xy = np.array(board.xy) - 0.5
    for n in range(24):
        moved = xy @ rotation(2 * np.pi * n / 24).T
        apart = np.linalg.norm(moved[:, None] - xy[None], axis=2)
        if apart.min(axis=1).max() < 1e-6:
            yield dict(zip(board.points, (board.points[k] for k in apart.argmin(axis=1)), strict=True))


@pytest.mark.film
@pytest.mark.parametrize("game", demo_games())
def test_watch_referees_a_bundled_film_turn_for_turn_to_its_winner(
    game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    clip = find_demo(f"demo:{game}")
    assert main(["watch", str(clip.video), "--game", clip.game, "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    kinds = [event["event"] for event in events]
    assert not {"question", "resumed", "amended", "lost", "stood"} & set(kinds)
    assert kinds.count("foul") == kinds.count("restored") == 1
    assert kinds[-1] == "over" and events[-1]["winner"] is not None
    turns = [event for event in events if event["event"] == "turn"]
    assert turns[0]["t"] <= MAX_FIRST_STONE_S
    said = [turn["text"] for turn in turns]
    written = GAMES[game].turns if game in GAMES else MILLCHEN_TURNS
    board = find_variant(game).board
    of_point = re.compile("|".join(sorted(map(re.escape, board.points), key=len, reverse=True)))
    readings = [of_point.sub(lambda point, names=names: names[point[0]], written) for names in turned_names(board)]  # type: ignore[misc]
    assert " ".join(said) in readings


@pytest.mark.film
@pytest.mark.timeout(4 * FILM_S)
def test_the_page_plays_its_film_to_the_card_of_the_winner(browser: Browser, tmp_path: Path) -> None:
    """With the eyes of a real process; nobody touches anything."""
    program_file = tmp_path / "fast.py"
    program_file.write_text(FAST)
    words = [sys.executable, str(program_file), "--no-browser", "--port", "0", "--data", str(tmp_path / "data")]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment) as program:
        try:
            assert program.stderr is not None
            address = program.stderr.readline().split(" is at ")[1].split()[0]
            page = browser.new_page(viewport={"width": 1366, "height": 768}, locale="en")
            page.goto(address)
            expect(page.locator("#finish")).to_be_visible(timeout=3000 * FILM_S)
            expect(page.locator("#finish-words")).to_contain_text("wins")
            state = page.evaluate("fetch('/api/state').then(answer => answer.json())")
            assert state["game"]["ply"] == len(MILLCHEN_TURNS.split())
            page.close()
        finally:
            program.terminate()
