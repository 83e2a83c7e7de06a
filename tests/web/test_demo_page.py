"""The demo says what it is and what happens, and leads to a table of one's own; each is a whole game."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.web.browsing import Stage, expect
from tests.web.scripted_eyes import write_film
from web.game.player_commands import play_act, put_back
from web.table.live_table import LiveTable
from web.table.source_names import DemoClip

NOTE = "A film of a game, so that you can see how it works"


@pytest.fixture
def show_demo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Have a table show a demo of these scenes."""

    def show(table: LiveTable, *scenes: str) -> None:
        clip = DemoClip(write_film(tmp_path / "demo.json", *scenes), "nine_mens_morris")
        for module in ("source_names", "live_table"):
            monkeypatch.setattr(f"web.table.{module}.find_demo", lambda *_: clip)
        table.use_source("demo")

    return show


def test_a_demo_tells_what_happens_as_it_happens(stage: Stage, show_demo: Callable[..., None]) -> None:
    page = stage.show()
    caption = page.locator("#demo-caption")
    show_demo(stage.table)
    expect(page.locator("#demo")).to_contain_text(NOTE)
    expect(caption).to_contain_text("The board is found")
    expect(caption).to_have_attribute("role", "status")
    show_demo(stage.table, "d6", "d7", "b6", "g7", "foul:d6=0,b4=1")
    expect(caption).to_contain_text("Against the rules: red shows what to put back.")
    expect(page.locator("#foul-steps li")).to_have_count(1)
    expect(page.locator("#foul-tools")).to_be_hidden()  # it is put right in the film
    stage.table.apply_command(put_back)
    expect(caption).to_contain_text("The stones were put back")
    stage.table.apply_command(partial(play_act, act="a1", player=None))
    expect(caption).to_contain_text("The large card says whose turn it is.")
    stage.table.apply_command(partial(play_act, act="g4", player=None))
    stage.table.apply_command(partial(play_act, act="f6", player=None))
    expect(caption).to_contain_text("A mill: a whole line of one colour.")


def test_only_a_demo_says_so_and_leads_to_ones_own_table(stage: Stage, show_demo: Callable[..., None]) -> None:
    page = stage.show("d6")
    expect(page.locator("#story li").first).to_contain_text("d6")
    expect(page.locator("#own-table")).to_be_hidden()  # after a film of one's own
    show_demo(stage.table, "d6")
    expect(page.locator("#own-table")).to_be_visible()
    stage.table.new_game("millchen", {}, "hand")
    expect(page.locator("#own-table")).to_be_hidden()
    expect(page.locator(".top h1")).to_have_text("Millchen")  # once, though the game is called like the program
