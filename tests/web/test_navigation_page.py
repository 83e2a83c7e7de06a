"""Where one can go stands in words on every page, in one row, in every language."""

from __future__ import annotations

from itertools import product

from languages import LANGUAGES
from tests.web.browsing import Serve, Visit, expect, settles_within
from web.page_words import words

WAYS = ("choose", "nav.partner", "nav.learn", "nav.make", "nav.games")
PAGES = ("", "lessons", "make", "games")


def test_every_page_has_the_same_ways_and_each_leads_there(served: Serve, visit: Visit) -> None:
    at = served("d6")
    page = visit(at)
    for path in PAGES:
        page.goto(at.address + path)
        assert page.locator(".navigation > *").all_inner_texts() == [words("en")[key] for key in WAYS]
        expect(page.locator(".navigation [aria-current]")).to_have_count(1 if path else 0)
    for key, heading in (("nav.learn", "Lessons"), ("nav.make", "Make a board"), ("nav.games", "Games played")):
        page.click(f".navigation a:text-is('{words('en')[key]}')")
        expect(page.locator("h1").first).to_contain_text(heading)
    page.click(".navigation a:text-is('Play')")
    expect(page.locator("#board")).to_be_visible()


def test_the_ways_are_all_in_sight_and_the_head_is_one_row_in_every_language(served: Serve, visit: Visit) -> None:
    at = served("d6", game="twelve_mens_morris")
    page = visit(at)
    for language, width in product(LANGUAGES, (390, 640, 768, 900, 1920)):
        if width == 390:
            page.goto(f"{at.address}?lang={language}")
        page.set_viewport_size({"width": width, "height": 800})
        settles_within(page, width)
        boxes = page.locator(".navigation > *").evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect().toJSON())"
        )
        assert len(boxes) == len(WAYS)
        assert all(box["left"] >= 0 and box["right"] <= width and box["height"] >= 40 for box in boxes)
        assert max(box["top"] for box in boxes) - min(box["top"] for box in boxes) < 12
        if width >= 900:
            head = page.locator(".top").bounding_box()
            assert head is not None and head["height"] < 80


def test_playing_against_millchen_is_one_way_from_every_page(served: Serve, visit: Visit) -> None:
    at = served("d6")
    page = visit(at)
    page.route("**/api/setup/cameras", lambda route: route.fulfill(json={"cameras": []}))
    for path in ("", "lessons"):
        page.goto(at.address + path)
        page.click(".navigation a[href='/#partner']")
        expect(page.locator("#chooser")).to_be_visible()
        expect(page.locator("[name='source'][value='hand']")).to_be_checked()
        page.click("#chooser-next")
        assert [one.input_value() for one in page.locator(".who-plays").all()] == ["", "medium"]
        page.click("#chooser-close")
    page.click(".navigation a[href='/#partner']")  # and once more from where one is
    expect(page.locator("#chooser")).to_be_visible()
