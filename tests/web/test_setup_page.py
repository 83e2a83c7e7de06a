"""The wizard in a real Chromium, with a camera in the network that shows what a test lays on its table."""

import time
from collections.abc import Iterator

import numpy as np
import pytest

from calibration.field_step import find_field
from referee.layouts import NINE_MENS_MORRIS
from tests.synthetic import Scene, random_spec
from tests.web.broken_camera import BrokenCamera
from tests.web.browsing import Serve, Visit, expect, settles_within
from tests.web.conftest import Until
from tests.web.pace import is_kept
from vision.imaging.field import Registration
from vision.imaging.frame import Image
from web.views import setup_pages

MOST_CLICKS, MOST_S = 12, 90

pytestmark = pytest.mark.usefixtures("_no_camera")


@pytest.fixture
def _no_camera(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is plugged into the computer of the test."""
    monkeypatch.setattr(setup_pages, "list_cameras", dict)


@pytest.fixture
def camera() -> Iterator[BrokenCamera]:
    """A camera app on a phone: an endless picture over http, 10 frames a second."""
    made = BrokenCamera(fps=10)
    yield made
    made.close()


@pytest.fixture(scope="module")
def table() -> tuple[Image, Image]:
    """A table without stones, and with three of each player."""
    rng = np.random.default_rng(7)
    scene = Scene(random_spec(rng, NINE_MENS_MORRIS, size_px=(960, 540)))
    tops: list[list[int]] = [[] for _ in range(24)]
    for point, player in ((0, 0), (5, 1), (9, 0), (14, 1), (18, 0), (22, 1)):
        tops[point] = [player]
    return scene.render([[] for _ in range(24)], rng=rng)[0], scene.render(tops, rng=rng)[0]


def test_a_table_is_set_up_with_few_clicks_in_little_time(
    served: Serve, visit: Visit, camera: BrokenCamera, table: tuple[Image, Image], until: Until
) -> None:
    empty, with_stones = table
    camera.show(empty)
    at = served()
    began = time.monotonic()
    clicks = 0
    page = visit(at, path="setup")

    def click(what: str) -> None:
        nonlocal clicks
        clicks += 1
        page.click(what)

    page.fill("#address", camera.address)
    click("#other button")
    expect(page.locator("#camera-lines")).to_contain_text("960 x 540")
    click("#next")
    expect(page.locator("#board-seen")).to_have_attribute("data-sight", "watching")
    expect(page.locator(".gauge[data-key=tilt] .value")).to_contain_text("degrees")
    expect(page.locator(".gauge")).to_have_count(6)
    click("#next")
    expect(page.locator("#wish")).to_have_text("Show the sheet to the camera")
    expect(page.locator("#next")).to_have_text("Skip the lens")
    click("#next")
    expect(page.locator("#field-lines")).to_contain_text("24 of 24 points seen")
    expect(page.locator(".grip")).to_have_count(24)
    click("#next")
    expect(page.locator("#next")).to_have_text("Learn them while playing")
    camera.show(with_stones)
    n_before = camera.n_sent
    until(lambda: camera.n_sent > n_before + 3)  # the next looks see the stones
    click("#look")
    expect(page.locator("#stone-lines")).to_contain_text("Player 1 and player 2", ignore_case=True)
    expect(page.locator(".marks .stone")).to_have_count(6)
    click("#next")
    expect(page.locator("#sum")).to_contain_text("24 of 24 points seen")
    page.fill("#name", "Test table")
    click("#keep button")
    expect(page.locator(".kept")).to_contain_text("Kept as Test table")
    took_s = time.monotonic() - began
    print(f"{clicks} clicks, {took_s:.1f} s")
    assert clicks <= MOST_CLICKS
    assert is_kept(MOST_S, took_s)
    kept = at.wizard.tables.load("Test table")
    assert kept.field is not None and kept.stones is not None and kept.camera is not None
    assert kept.field.field.board.name == "nine_mens_morris"
    assert sum(top > 0 for top in kept.stones.tops) == 6


def test_corners_that_people_set_are_taken_by_the_button_below(
    served: Serve, visit: Visit, camera: BrokenCamera, table: tuple[Image, Image]
) -> None:
    camera.show(table[0])
    page = visit(served(), path="setup", width=390)
    page.fill("#address", camera.address)
    page.click("#other button")
    for _ in range(3):
        page.click("#next")
    expect(page.locator(".grip")).to_have_count(24)
    page.click("#set-corners")
    expect(page.locator(".grip")).to_have_count(4)
    expect(page.locator("#field-help")).to_be_in_viewport()
    expect(page.locator("#next")).to_have_text("Fit it to these corners")
    page.click("#next")
    expect(page.locator(".grip")).to_have_count(24)
    expect(page.locator("#next")).to_have_text("Next")


def test_a_board_that_is_moved_after_the_placement_is_found_where_it_lies_then(
    served: Serve, camera: BrokenCamera, table: tuple[Image, Image], until: Until
) -> None:
    at, moved = served(), np.roll(table[0], 60, axis=1)

    def show(picture: Image) -> None:
        camera.show(picture)
        n_before = camera.n_sent
        until(lambda: camera.n_sent > n_before + 3)

    camera.show(table[0])
    at.wizard.open(at.table.camera, camera.address)
    at.wizard.watch("placement")
    until(lambda: at.wizard.camera.state(-1, 0.1).get("placement", {}).get("points"))
    at.wizard.watch("lens")
    show(moved)
    answer, there = at.wizard.take_field(), find_field(moved, None)
    assert isinstance(there, Registration)
    assert np.abs(np.array(answer["points"]) - there.field.points_px).max() < 5  # the camera sends JPEG


def test_the_wizard_speaks_and_tells_in_a_sentence_of_a_camera_that_is_not_there(served: Serve, visit: Visit) -> None:
    page = visit(served(), path="setup", width=390)
    titles = {"lb": "Keng Kamera", "de": "Keine Kamera", "fr": "Aucune caméra", "en": "No camera"}
    for language, title in titles.items():
        page.click(f".languages a[lang={language}]")
        expect(page.locator("[data-page=camera] h2")).to_contain_text(title)
    expect(page.locator("#next")).to_be_disabled()
    page.fill("#address", "/nowhere/at/all.mp4")
    page.click("#other button")
    expect(page.locator("#wrong")).to_contain_text("There is no file")
    expect(page.locator("#next")).to_be_disabled()
    settles_within(page, 390)


def test_without_a_camera_the_page_says_what_to_do_and_leads_on_by_hand(
    served: Serve, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = visit(served(), path="setup", has_clock=True)
    expect(page.locator("#camera-title")).to_have_text("No camera found")
    expect(page.locator("#camera-help")).to_contain_text("let your phone be the camera")
    expect(page.locator("#next")).to_have_accessible_description("First choose a camera or a film.")
    last, footer = page.locator(".other-ways .source").last.bounding_box(), page.locator(".ways").bounding_box()
    assert last and footer and last["y"] + last["height"] <= footer["y"] + 1  # the footer covers none of the ways
    page.click("#use-phone")
    expect(page.locator("#wrong")).to_contain_text("No phone is sending its picture")
    monkeypatch.setattr(setup_pages, "list_cameras", lambda: {"0": "Desk camera"})
    page.clock.fast_forward(4000)
    expect(page.locator("#camera-title")).to_have_text("Which camera looks at the table?")  # plugged in meanwhile
    expect(page.locator(".camera")).to_have_text("Desk camera")
    expect(page.locator("#wrong")).to_be_visible()
    page.click("text=Play without a camera")
    expect(page.locator("#chooser")).to_be_visible()
    expect(page.locator("#chooser [name=source][value=hand]")).to_be_checked()
