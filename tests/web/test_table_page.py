"""An evening at the table, in a real Chromium: clocks, endings, towers and rings set right, questions."""

import random
import re
from pathlib import Path

import pytest

from referee.game import Game
from referee.moves import Capture
from referee.presets import find_variant
from referee.turns import Turn, legal_turns
from tests.web.browsing import Page, Serve, Stage, Visit, expect, wait_until
from tests.web.scripted_eyes import write_film
from web.table.live_table import LiveTable


def count_down(table: LiveTable, minutes: float, increment: float = 2) -> None:
    table.set_clock("set", kind="down", minutes=minutes, increment=increment)
    table.set_clock("start")


def test_clocks_run_and_are_pressed_and_stopped(stage: Stage) -> None:
    page = stage.show("d6")
    expect(page.locator("#story li").first).to_contain_text("d6")
    expect(page.locator(".time")).to_have_count(0)
    count_down(stage.table, 10, 300)
    second = page.locator(".player[data-player='2'] .time")
    expect(second).to_have_class("time runs")
    expect(second).to_have_text(re.compile("^9:"))
    second.click()
    expect(page.locator(".player[data-player='1'] .time")).to_have_class("time runs")
    expect(second).to_have_text(re.compile("^1[34]:"))  # five minutes for the turn
    page.click("#more")
    page.click("#pause")
    expect(page.locator(".time.runs")).to_have_count(0)
    page.click("#more")
    expect(page.locator("#pause")).to_have_text("Start the clock")


def test_who_has_no_time_left_loses_only_when_the_players_say_so(stage: Stage) -> None:
    page = stage.show("d6")
    expect(page.locator("#story li").first).to_contain_text("d6")
    count_down(stage.table, 0.02)
    expect(page.locator("#flagged-words")).to_have_text("Grey has no time left")
    page.click("#time-lost")
    expect(page.locator("#finish-words")).to_contain_text("Red wins")
    expect(page.locator("#flagged")).to_be_hidden()


def test_giving_up_is_chosen_and_then_said_once_more(stage: Stage) -> None:
    page = stage.show("d6", "d7")
    expect(page.locator("#story li").first).to_contain_text("d7")
    page.click("#more")
    page.click("#end")
    expect(page.locator("#end-yes")).to_be_disabled()
    page.click("#end-cancel")
    page.click("#more")
    page.click("#end")
    page.click("#end-game .chip:has-text('Grey gives up')")
    expect(page.locator("#end-decider")).to_be_hidden()
    expect(page.locator("#finish")).to_be_hidden()
    page.click("#end-yes")
    expect(page.locator("#finish-words")).to_contain_text("Red wins")
    wait_until(page, "window.spoken.some((said) => said.startsWith('Red wins'))")
    page.click("#more")
    expect(page.locator("#end")).to_be_hidden()


def test_a_point_with_a_tower_opens_as_a_stack(stage: Stage) -> None:
    page = stage.show(game="trialectic")
    name = stage.table.variant.board.points[0]
    spot = page.locator(f".touch[aria-label^='{name}:']")
    for height, player in ((1, 1), (2, 2), (3, 3)):
        spot.click()
        expect(page.locator("#set-right .stack svg")).to_have_count(height - 1)
        told = page.locator("#story li").count()
        page.click(f"#set-right [data-act='on-{player}']")
        wait_until(page, f"document.querySelectorAll('#board .stones .pebble:not(.going)').length === {height}")
        wait_until(page, f"document.querySelectorAll('#story li').length > {told}")
    expect(page.locator("#story li").first).to_have_text(f"By hand: Player 3 places on {name}.")
    spot.click()
    expect(page.locator("#set-right [data-act^='on-']")).to_have_count(0)
    page.click("#set-right [data-act='off-2']")
    wait_until(page, "document.querySelectorAll('#board .stones .pebble:not(.going)').length === 2")
    assert [stone.paint for stone in stage.table.state.game.position.stacks[0]] == [0, 1]


class Keys:
    """Somebody who has a keyboard and nothing else."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.n_pressed = 0

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.n_pressed += 1

    def to(self, selector: str) -> None:
        """Tab on until that is where one is."""
        for _ in range(90):
            if self.page.evaluate("(what) => Boolean(document.activeElement?.matches(what))", selector):
                return
            self.press("Tab")
        raise AssertionError(f"no way by keyboard to {selector}")

    def use(self, selector: str) -> None:
        self.to(selector)
        self.press("Enter")

    def go(self, point: str) -> None:
        """By arrow keys to a point of the three by three board."""
        self.to(".touch")
        now = str(self.page.evaluate("document.activeElement.getAttribute('aria-label').slice(0, 2)"))
        across, up = ord(point[0]) - ord(now[0]), int(point[1]) - int(now[1])
        self.press(*["ArrowRight" if across > 0 else "ArrowLeft"] * abs(across))
        self.press(*["ArrowUp" if up > 0 else "ArrowDown"] * abs(up))
        expect(self.page.locator(".touch:focus")).to_have_attribute("aria-label", re.compile(f"^{point}:"))

    def lay(self, point: str, player: int) -> None:
        """A stone of this player, or none, on a point."""
        self.go(point)
        self.press("Enter")
        expect(self.page.locator("#set-right")).to_be_visible()
        self.use(f"#set-right [data-top='{player}']")
        expect(self.page.locator("#set-right")).to_be_hidden()


def test_a_whole_game_by_keyboard_alone(served: Serve, visit: Visit, tmp_path: Path) -> None:
    """From the first page to the replay: game, players, source, a foul that stands, stones, the end; no mouse."""
    at = served(game="nine_mens_morris")
    film = write_film(tmp_path / "hands.json", "foul:b2=2", pause_s=0.3)
    page = visit(at, voices=("en-GB",))
    keys = Keys(page)
    newest = page.locator("#story li").first
    keys.use("#choose")
    keys.to("input[name='game']")
    keys.press("ArrowLeft", "ArrowLeft")
    expect(page.locator("#rules-title")).to_have_text("Tic Tac Toe")
    keys.press("Enter")
    for name in ("Anna", "Ben"):
        keys.to(f"#party input[placeholder='Player\u00a0{1 + (name == 'Ben')}']")
        page.keyboard.type(name)
    keys.press("Enter")
    keys.to("input[name='source']:checked")
    keys.press("ArrowUp", "ArrowDown")
    keys.to("input[name='other']")
    keys.press("Control+A")
    page.keyboard.type(str(film))
    keys.press("Enter")
    expect(page.locator("#chooser")).to_be_hidden()
    expect(page.locator("#foul")).to_be_visible()  # the second player began: the referee says so, the players let it be
    keys.use("#play-on")
    expect(page.locator("#foul")).to_be_hidden()
    keys.lay("a3", 2)
    expect(newest).to_have_text("By hand: Ben places on a3.")
    keys.use("#take-back")
    expect(newest).to_contain_text("is taken back")
    keys.use("#redo")
    expect(newest).to_contain_text("stands again")
    keys.lay("a1", 1)
    expect(page.locator(".player.active .who")).to_contain_text("Ben")
    keys.lay("c1", 2)
    expect(page.locator("#finish")).to_be_visible()
    expect(newest).to_contain_text("wins")
    keys.use("a[href='/games']")
    page.wait_for_url("**/games")
    keys.use(".game-row")
    page.wait_for_url("**/games/*")
    expect(page.locator("#who")).to_have_text("Anna – Ben")
    keys.press("Home")
    expect(page.locator("#count")).to_have_text("At the beginning")
    keys.press("ArrowRight")
    expect(page.locator("#count")).to_contain_text("Turn 1 of")


def test_a_tap_plays_on_from_the_board_as_it_is_seen(stage: Stage) -> None:
    page = stage.show("d6", "d7", "b6", "seen:b6=0,b4=1,a1=2>2", pause_s=0.05)
    expect(page.locator("#seen-title")).to_have_text("The stones lie differently from what is written.")
    expect(page.locator("#seen-now .pebble")).to_have_count(4)
    expect(page.locator("#seen-written .pebble")).to_have_count(3)
    expect(page.locator("#seen-now .differs")).to_have_count(3)
    expect(page.locator("#seen-written .differs")).to_have_count(3)
    assert page.locator("#seen-points li").all_text_contents() == [
        "b6: I see Nothing, Red is written.",
        "b4: I see Red, Nothing is written.",
        "a1: I see Grey, Nothing is written.",
    ]
    expect(page.locator("#seen-whose")).to_be_hidden()
    page.evaluate("document.documentElement.dataset.role = 'viewer'")
    expect(page.locator("#take-over")).to_be_hidden()
    page.evaluate("document.documentElement.dataset.role = 'referee'")
    page.click("#take-over")
    expect(page.locator("#seen")).to_be_hidden()
    expect(page.locator("#story li").first).to_contain_text("the game goes on from what lies on the table")
    expect(page.locator(".player.active .who")).to_have_text("Grey’s turn")
    wait_until(page, "document.querySelectorAll('#board .stones .pebble').length === 4")


def test_a_question_has_its_answers_and_shows_what_is_seen_when_asked(stage: Stage) -> None:
    page = stage.show("d6", "d7", "b6", "seen:g7=2,g4=2", "ask:g7|=")
    expect(page.locator("#foul-title")).to_have_text("Did Grey lay a stone on g7?")
    expect(page.locator("#foul-steps button")).to_have_text(
        ["Grey places on g7.", "Nothing was played.", "Something else – show me"]
    )
    expect(page.locator("#seen")).to_be_hidden()
    page.click("#something-else")
    expect(page.locator("#something-else")).to_have_attribute("aria-expanded", "true")
    page.locator("#seen-take button").first.click()
    expect(page.locator("#foul")).to_be_hidden()
    expect(page.locator("#seen")).to_be_hidden()
    wait_until(page, "document.querySelectorAll('#board .stones .pebble').length === 5")


def test_a_game_seen_in_its_middle_asks_once_whose_turn_it_is(stage: Stage) -> None:
    page = stage.show("resumed:a7=1,d7=1,g7=1,b6=2,f6=2,b4=2")
    expect(page.locator("#foul-title")).to_have_text("Whose turn is it?")
    expect(page.locator(".player.active")).to_have_count(0)
    page.locator("#foul-steps button").last.click()
    expect(page.locator("#foul")).to_be_hidden()
    expect(page.locator(".player.active .who")).to_have_text("Grey’s turn")


@pytest.mark.parametrize("is_other", [True, False])
def test_another_game_is_one_tap_away_and_so_is_a_no(stage: Stage, is_other: bool) -> None:
    page = stage.show("a4", "other:trialectic")  # a point of both boards
    expect(page.locator("#foul-title")).to_contain_text("shall we play Trialectic?")
    button = page.locator("[data-game=trialectic]" if is_other else "#keep-game").element_handle()
    stage.table.publisher.publish()  # what the camera sees changes while a finger is on the button
    page.wait_for_timeout(300)
    assert button.evaluate("(element) => element.isConnected")
    button.click()
    if is_other:
        expect(page.locator("#game-name")).to_have_text("Trialectic")
    else:
        expect(page.locator("#foul")).to_be_hidden()
    assert stage.table.publisher.snapshot.game.name == ("trialectic" if is_other else "nine_mens_morris")


def test_the_page_rings_stones_in_their_owners_colour_and_strikes_out_who_is_out(stage: Stage) -> None:
    rng, game, turns = random.Random(1), Game.start(find_variant("trialectic")), list[Turn]()
    while not any(game.position.out):  # everybody takes what can be taken
        lawful = legal_turns(game.position)
        taking = [turn for turn in lawful if any(isinstance(move, Capture) for move in turn.moves)]
        turns.append(rng.choice(taking or list(lawful)))
        game = game.play_turn(turns[-1])
    page = stage.show(*map(str, turns), game="trialectic")
    gone = turns[-1].after.out.index(True) + 1
    expect(page.locator(f".player.out[data-player='{gone}'] .what")).to_have_text("Out of the game")
    expect(page.locator(".player.out")).to_have_count(1)
    expect(page.locator(f".owner-ring[data-owner='{turns[-1].player + 1}']").first).to_be_visible()
    expect(page.locator("#story")).to_contain_text("is out.")


def test_the_page_counts_down_to_a_draw(stage: Stage) -> None:
    steps = ["a7-d7", "a1-d1", "d7-a7", "d1-a1"] * 5
    laid = ["a7", "a1", "b6", "b2", "c5", "c3", "f4", "g4", "g7", "g1", "d6", "d2", "f2", "f6", "e5", "e3", "d3", "b4"]
    page = stage.show(*laid, *steps[:5], game="millchen")
    expect(page.locator(".player.active .near")).to_have_text("This position has occurred 2 times.")
