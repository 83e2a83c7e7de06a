"""Every page for everybody: axe-core finds nothing, in each language, by day and by lamp light, wide or narrow.

axe-core (Deque, MPL-2.0) comes with the package axe-playwright-python; the rules are its own.
"""

from functools import partial
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

import pytest

from calibration.profile import Profile
from calibration.profile_folder import ProfileFolder
from languages import LANGUAGES
from tests.web.browsing import Page, Serve, Served, Visit, expect, settles_within
from tests.web.test_fitting_sentences import look_through
from tests.web.told_cases import KINDS, told_case
from vision.cases.table_habits import HabitFit
from vision.evidence.fusion import Habits
from web.game.player_commands import set_partner

if find_spec("axe_playwright_python") is None:
    pytest.skip("axe-playwright-python is not installed", allow_module_level=True)

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
RUN = "axe.run(document, { resultTypes: ['violations'] }).then((all) => all.violations)"
PAGES = (
    *("", "games", "games/1", "games/1/sheet", "scoreboard", "overlay", "games?q=nobody", "links", "setup"),
    *("settings", "nowhere", "make", "make?game=moulin_rouge", "make/steps/moulin_rouge", "story/nine_mens_morris"),
    *("rules/moulin_rouge?players=3", "help", "cases", *(f"cases/{n}" for n in (1, 7, 9))),
    *("lessons", "lessons/tic_tac_toe/7", "lessons/trialectic/sheet", "lessons/moulin_rouge/2"),
)  # fmt: skip
LOCALES = {"lb": "lb-LU", "de": "de-DE", "fr": "fr-FR", "en": "en-GB"}


def findings(page: Page) -> list[str]:
    """What axe-core finds, of any severity, with the element that it means.

    The weave behind everything is taken away first: axe-core measures no contrast on a picture.
    """
    page.evaluate("document.body.style.backgroundImage = 'none'")
    page.evaluate(AXE)
    found: list[dict[str, Any]] = page.evaluate(RUN)
    return [
        f"{one['id']}: {one['help']}: {node['html'][:160]} {node.get('failureSummary', '')[:260]}"
        for one in found
        for node in one["nodes"]
    ]


def look_at_all(page: Page, at: Served, width: int, paths: tuple[str, ...] = PAGES) -> list[str]:
    found = []
    for path in paths:
        page.goto(at.address + path)
        expect(page.locator("h1").first).to_be_attached()
        found += [f"/{path} {one}" for one in findings(page)]
        settles_within(page, width)
    return found


@pytest.fixture
def at(served: Serve) -> Served:
    table = served("d6", "d7", "b6", "g7", "mill:f6xd7", "foul:g7=0,g4=2,a1=2")
    for kind in KINDS:
        table.table.cases.add(told_case(kind))
    tables = ProfileFolder(table.table.cases.data_folder)
    tables.save(Profile("Hall", habits=HabitFit(Habits(0.7, -0.5, 1.4), 20, 3.25, 2.5, 6, 4, is_better=True)))
    tables.save(Profile("Kitchen"))
    while table.table.publisher.snapshot.game.foul is None:
        table.table.publisher.wait(table.table.publisher.snapshot.version, 10.0)
    return table


@pytest.mark.parametrize(
    ("language", "scheme", "width", "paths"), [("en", "light", 1280, PAGES[::2]), ("lb", "dark", 390, PAGES[1::2])]
)
def test_axe_finds_nothing(
    at: Served, visit: Visit, language: str, scheme: str, width: int, paths: tuple[str, ...]
) -> None:
    """Every page once; all of them in every language, by day and by lamp light, is slow."""
    page = visit(at, width=width, language=LOCALES[language], color_scheme=scheme, reduced_motion="reduce")
    assert look_at_all(page, at, width, paths) == []
    if scheme == "light":  # and it can fail
        page.goto(at.address + "games")
        page.evaluate("document.querySelector('main').append(document.createElement('button'))")
        page.evaluate("document.querySelector('h1').style.color = '#d8ccb8'")
        found = " ".join(findings(page))
        assert "button-name" in found and "color-contrast" in found


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing_anywhere(at: Served, visit: Visit, language: str, scheme: str, width: int) -> None:
    page = visit(at, width=width, language=LOCALES[language], color_scheme=scheme, reduced_motion="reduce")
    assert look_at_all(page, at, width) == []


def test_axe_finds_nothing_in_the_windows_of_a_demo_nor_in_the_hall(at: Served, visit: Visit) -> None:
    look_through(at.table, "demo", "live")
    page = visit(at)
    expect(page.locator("#demo")).to_be_visible()
    page.click("#choose")
    for _ in range(3):
        assert findings(page) == []
        if page.locator("#chooser-next").is_visible():
            page.click("#chooser-next")
    page.click("#chooser-close")
    page.locator(".touch").first.click(force=True)
    assert findings(page) == []
    page.keyboard.press("Escape")
    page.click("#more")
    assert findings(page) == []
    at.table.new_game("tic_tac_toe", {}, "hand")
    at.table.apply_command(partial(set_partner, player=1, strength="easy", explain=True, laid_by_people=True))
    expect(page.locator("#do-it")).to_be_visible()
    assert findings(page) == []
    page.click("#partners")
    assert findings(page) == []
    for path in ("?theme=hall", "scoreboard"):
        page.goto(at.address + path)
        assert findings(page) == []


def test_the_scoreboard_and_the_overlay_follow_the_game(served: Serve, visit: Visit) -> None:
    at = served("page", "d6", "d7", pause_s=0.4)
    page = visit(at, "scoreboard")
    expect(page.locator("#newest")).to_contain_text("d7")
    expect(page.locator(".stones .pebble")).to_have_count(2)
    page.goto(at.address + "overlay")
    expect(page.locator(".stones .pebble")).to_have_count(2)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert page.evaluate("getComputedStyle(document.body).backgroundImage") == "none"
    assert page.locator("button:enabled").count() == 0
