"""The club's pages in a real browser: the desk leads an evening, the screen follows, the shelf has every game."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from languages import LANGUAGES
from tests.web.browsing import Visit, expect, wait_until
from tests.web.conftest import House
from tests.web.scripted_eyes import write_film
from tests.web.test_access_page import LOCALES, look_at_all
from web.game.game_state import Partner
from web.game.records import partner_body
from web.hosted_tables import TableRequest


@pytest.fixture
def evening(house: House, tmp_path: Path) -> House:
    """A house with two tables."""
    for name, scenes in (("Kitchen", ("d6", "f4")), ("Garden", ("b2",))):
        film = write_film(tmp_path / f"{name}.json", *scenes)
        house.tables.open(TableRequest(str(film), "nine_mens_morris", name=name))
    return house


def settled(at: House) -> None:
    """Wait until both tables have played their scenes."""
    version = -1
    while sorted(one.game.ply for one in at.club.scoreboard.tables) != [1, 2]:
        version, _, _ = at.club.scoreboard.wait(version, 10)


def test_the_desk_leads_an_evening_and_the_screen_in_the_hall_follows(evening: House, visit: Visit) -> None:
    desk = visit(evening, "club")
    desk.fill("#begin-form [name=name]", "Rainy Sunday")
    desk.fill("#begin-form [name=players]", "Anna\nBen\nClara\nDan")
    desk.check("#begin-form [value=swiss]")
    desk.click("#begin-form button")
    expect(desk.locator("#begin-form")).to_be_hidden()  # folded away
    expect(desk.locator("#rounds-title")).to_be_focused()
    expect(desk.locator("#pair")).to_be_in_viewport()
    screen = visit(evening, "scoreboard", width=1600)
    expect(screen.locator("#evening-name")).to_have_text("Rainy Sunday")
    expect(screen.locator(".hall-table h2")).to_have_text(["Garden", "Kitchen"])
    desk.click("#pair")
    expect(screen.locator("#pairings li")).to_have_count(2)
    expect(desk.locator("#pair")).to_be_hidden()  # results are missing
    results = desk.locator("#round-list select.open")
    for missing in (1, 0):
        results.first.select_option("1-0")
        expect(results).to_have_count(missing)  # the desk has heard the result before the next one is given
    expect(desk.locator("#error")).to_be_hidden()
    expect(screen.locator("#standings li").first).to_contain_text("1")
    expect(desk.locator("#pair")).to_be_visible()
    desk.click("#pair")
    expect(desk.locator(".club-round")).to_have_count(2)
    expect(desk.locator("#cross tbody tr")).to_have_count(4)
    for missing in (1, 0):
        results.first.select_option("0-1")
        expect(results).to_have_count(missing)
    expect(desk.locator("#over")).to_contain_text("The evening is over")  # two rounds are enough for four
    desk.fill("#begin-form [name=name]", "Next Sunday")
    desk.click("#begin-form button")
    expect(desk.locator("#rounds-title")).to_have_text("Next Sunday")
    desk.click("#close")
    desk.click("#sure-close [value=yes]")
    expect(desk.locator("#over")).to_have_text("The evening is over.")
    expect(desk.locator("#begin-form")).to_be_visible()


def test_the_screen_shows_each_turn_and_where_millchen_plays_without_being_asked(evening: House, visit: Visit) -> None:
    settled(evening)
    screen = visit(evening, "scoreboard")
    kitchen = screen.locator(".hall-table", has_text="Kitchen")
    before = kitchen.locator("img").get_attribute("src")
    number = evening.games.last_game_of_table("Kitchen")
    assert number is not None
    body = {"t": 9.0, "frame": 9, "player": 1, "moves": ["a1"], "mills": [], "confidence": 1.0, "skipped": []}
    evening.games.append(number, "turn", body, ply=3, by="camera")
    expect(kitchen.locator(".said")).to_contain_text("a1")
    wait_until(screen, f"[...document.querySelectorAll('.hall-table img')].every((i) => i.src.indexOf('{before}') < 0)")
    wait_until(screen, "[...document.querySelectorAll('.hall-table img')].every((i) => i.naturalWidth > 0)")
    number = evening.games.last_game_of_table("Garden")
    assert number is not None
    evening.games.append(number, "partner", partner_body(0, Partner("medium")), by="hand")
    expect(screen.locator(".hall-table", has_text="Garden").locator(".who").first).to_have_text("Millchen (medium)")
    expect(kitchen).not_to_contain_text("Millchen")


def test_a_table_is_added_at_the_desk_and_what_is_wrong_is_said_there(
    evening: House, visit: Visit, tmp_path: Path
) -> None:
    desk = visit(evening, "club")
    desk.click("#add summary")
    desk.fill("#add-form [name=name]", "Kitchen")
    desk.fill("#add-form [name=source]", str(write_film(tmp_path / "attic.json", "a1")))
    desk.select_option("#add-form [name=game]", "nine_mens_morris")
    desk.click("#add-form button")
    expect(desk.locator("#error")).to_contain_text("Kitchen")
    desk.fill("#add-form [name=name]", "Attic")
    desk.click("#add-form button")
    line = desk.locator("#club-tables li", has_text="Attic")
    expect(line).to_be_visible()
    line.get_by_role("link").click()
    expect(desk.locator("#players")).to_be_visible()
    assert not desk.url.startswith(evening.address)  # a page of its own


def test_a_game_is_found_on_the_shelf_and_replayed_but_not_changed(evening: House, visit: Visit) -> None:
    settled(evening)
    page = visit(evening, "archive")
    expect(page.locator(".game-row")).to_have_count(2)
    page.fill("#search", "kitchen")
    page.press("#search", "Enter")
    expect(page.locator(".game-row")).to_have_count(1)
    page.click(".game-row")
    expect(page.locator("#turns .turn")).to_have_count(2)
    expect(page.locator("#rename")).to_have_count(0)
    assert page.request.get(page.url.partition("#")[0] + ".pgn").text().startswith("[")


def _begun(at: House) -> None:
    settled(at)
    at.club.begin_evening({"name": "Sunday", "system": "swiss", "players": ["Anna", "Ben", "Clara"]})
    at.club.record_evening_event("round", {"pairings": [[0, 1], [2, None]]})


EVERY_LOOK = list(product(LANGUAGES, ("light", "dark"), (390, 1280)))


@pytest.mark.parametrize(
    ("language", "scheme", "width"),
    [pytest.param(*one, marks=() if one == ("de", "dark", 390) else pytest.mark.slow) for one in EVERY_LOOK],
)
def test_axe_finds_nothing(evening: House, visit: Visit, language: str, scheme: str, width: int) -> None:
    _begun(evening)
    page = visit(evening, width=width, language=LOCALES[language], color_scheme=scheme, reduced_motion="reduce")
    assert look_at_all(page, evening, width, ("club", "scoreboard", "archive")) == []
