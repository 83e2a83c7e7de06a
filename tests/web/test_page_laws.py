"""What holds of every page in every state and size, measured in Chromium as people see it (`page_laws.js`).

No text lies on another one, under anything, or outside its card; nothing that is shown has no size; marks lie on their
picture, which is at least 150 px high; the board is wholly in sight, and so is what is to be done next.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.web.browsing import Browser, Page, Stage, expect, wait_until
from tests.web.page_states import STATES, PageState, StateServer
from web.game.player_commands import play_act

LONGEST = "de-DE"  # its texts are the longest in all
SIZES = (
    *((390, 844), (844, 390), (768, 1024), (1024, 768), (1280, 800), (1366, 768), (1920, 1080)),
    *((640, 400), (320, 640)),  # 1280 x 800, magnified twice; the narrowest phone
)
MEASURE = Path(__file__).with_name("page_laws.js").read_text(encoding="utf-8")
PHONES = ((390, 844), (844, 390))
PUSHING = {"seen", "question_seen", "no_connection", "not_saved"}  # these push the picture down on a phone
LEAST_BOARD_PX = 200
WITH_TWO_BOARDS = {"seen", "take_over"}  # two more boards, which leave a narrow page no room for the large one
CONTRAST = """([ground, ...drawn]) => {
  const draw = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const light = (paint) => {
    draw.fillStyle = paint;
    draw.fillRect(0, 0, 1, 1);
    const linear = (v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
    const [r, g, b] = [...draw.getImageData(0, 0, 1, 1).data].map((v) => linear(v / 255));
    return .2126 * r + .7152 * g + .0722 * b + .05;
  };
  const paint = ([where, what]) => getComputedStyle(document.querySelector(where))[what];
  const below = light(paint(ground));
  return drawn.map(paint).map(light).map((one) => Math.max(one, below) / Math.min(one, below));
}"""


@dataclass
class Shown:
    """One page of one browser, used for all states."""

    server: StateServer
    page: Page

    def open(self, name: str) -> PageState:
        state = self.server.show(STATES[name])
        self.page.set_viewport_size({"width": 1280, "height": 800})
        self.page.goto(self.server.address + state.path)
        state.press(self.page)
        if has_picture(state):
            wait_until(self.page, "document.querySelector('#picture canvas').dataset.number > 0")
        return state


def has_picture(state: PageState) -> bool:
    return not state.path and state.told.get("source") != "hand"


@pytest.fixture(scope="module")
def shown(browser: Browser) -> Iterator[Shown]:
    server = StateServer()
    context = browser.new_context(locale=LONGEST, reduced_motion="reduce")
    context.set_default_timeout(60_000)
    yield Shown(server, context.new_page())
    context.close()
    server.close()


@pytest.mark.parametrize("name", STATES)
def test_a_page_keeps_its_laws_in_every_size(shown: Shown, name: str) -> None:
    state = shown.open(name)
    shown.page.evaluate("document.getElementById('demo')?.removeAttribute('open')")  # after the first look
    wanted: dict[str, Any] = {
        "picture": has_picture(state),
        "next": "#next" if state.path == "setup" else "#players .active .what",
    }
    faults = []
    for width, height in SIZES:
        is_board_asked = name not in WITH_TWO_BOARDS or width > height
        wanted |= {"width": width, "height": height}
        wanted["first"] = (width, height) in PHONES and name not in PUSHING
        wanted["board"] = LEAST_BOARD_PX if is_board_asked and not state.path.startswith(("setup", "games")) else 0
        found = None
        while found is None:
            shown.page.set_viewport_size({"width": width, "height": height})
            found = shown.page.evaluate(MEASURE, wanted)
        faults += [f"{width} x {height}: {fault}" for fault in found]
    assert not faults, "\n".join(faults)


def test_black_stones_are_told_from_the_dark_cloth_and_the_dark_cards(shown: Shown) -> None:
    shown.page.emulate_media(color_scheme="dark")
    shown.open("black_and_white")
    black = [".stones .paint-1 .body", "stroke"], [".player[data-player='1'] .hand .paint-1 .body", "stroke"]
    on_cloth = shown.page.evaluate(CONTRAST, [["svg.board .cloth", "fill"], *black])
    on_card = shown.page.evaluate(CONTRAST, [[".picture", "backgroundColor"], *black])
    shown.page.emulate_media(color_scheme="light")
    assert min(*on_cloth, *on_card) > 3, (on_cloth, on_card)


@pytest.mark.parametrize(
    ("name", "lamp"), [("hand", "watching"), ("hand_foul", "disputed"), ("hand_over", "over"), ("film_over", "over")]
)
def test_the_lamp_shows_what_is_so(shown: Shown, name: str, lamp: str) -> None:
    shown.open(name)
    expect(shown.page.locator("#sight")).to_have_attribute("data-sight", lamp)


STANDING = ((1280, 800), (390, 844), (844, 390), (1366, 768), (1920, 1080))  # the first is the size of the stage
WATCH = """() => {
  window.boxes = [];
  const look = () => {
    const { left, top, width, height } = document.querySelector("#board svg.board").getBoundingClientRect();
    const box = [left, top, width, height].join(" ");
    if (window.boxes.at(-1) !== box) window.boxes.push(box);
    requestAnimationFrame(look);
  };
  look();
}"""
BY_HAND: tuple[tuple[str, dict[str, Any], tuple[str, ...]], ...] = (
    ("nine_mens_morris", {}, ("d6", "d7", "b6", "g7", "f6", "xd7", "g4", "f6-f4")),  # a mill, a capture, a foul
    ("trialectic", {}, ("a1", "b3", "c1", "a1-b1")),
    ("moulin_rouge", {"players": 6}, ("o1", "i5", "m+")),
)
FILMED = ("d6", "d7", "b6", "g7", "mill:f6xd7", "g4", "foul:d6=0,b4=1")


def test_the_board_stands_still_while_a_game_is_played(stage: Stage) -> None:
    """Two, three and six play by hand, two before the camera: on every screen its box moves 0 px."""
    first = stage.begin("nine_mens_morris")
    pages = [first, *(first.context.new_page() for _ in STANDING[1:])]
    for page, (width, height) in zip(pages, STANDING, strict=True):
        page.emulate_media(reduced_motion="no-preference")
        page.goto(first.url)
        page.set_viewport_size({"width": width, "height": height})
        wait_until(page, f"innerWidth === {width} && innerHeight === {height}")
        page.wait_for_timeout(100)
        page.evaluate(WATCH)

    def wait_until_shown() -> None:
        now = stage.table.publisher.snapshot.game
        for page in pages:
            wait_until(page, f"document.getElementById('hand-tools').dataset.shown?.startsWith('{now.id} {now.ply}')")
        first.wait_for_timeout(50)

    for game, options, acts in BY_HAND:
        stage.table.new_game(game, options, "hand")
        for act in acts:
            stage.table.apply_command(partial(play_act, act=act, player=None))
            wait_until_shown()
        assert stage.table.publisher.snapshot.game.foul is not None
    stage.show(*FILMED, pause_s=0.2)
    wait_until_shown()
    expect(first.locator("#foul")).to_be_visible()
    first.wait_for_timeout(600)  # what moves has come to rest
    moved = {
        size: boxes for page, size in zip(pages, STANDING, strict=True) if len(boxes := page.evaluate("boxes")) != 1
    }
    for page in pages[1:]:
        page.close()
    first.emulate_media(reduced_motion="reduce")
    assert not moved, moved
