"""The wizard in a real Chromium, with a camera in the network that shows what a test lays on its table."""

import re
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.cameras import Camera as KnownCamera
from referee.layouts import NINE_MENS_MORRIS
from tests.calibration.studio import LENSES, picture, shots
from tests.synthetic import Scene, random_spec
from tests.web.browsing import Serve, Visit, expect, settles_within, wait_until
from tests.web.conftest import Until
from tests.web.pace import is_kept
from vision.imaging.frame import Image
from web.views import setup_pages

MOST_CLICKS, MOST_S = 12, 90
PICTURES_COME_SLOWLY = """() => {
  const fetchNow = window.fetch;
  window.fetch = async (path, ...rest) => {
    if (String(path).endsWith("field.jpg")) await new Promise((done) => setTimeout(done, 1000));
    return fetchNow(path, ...rest);
  };
}"""

GOES_AWAY = """() => {  // noticed however short it is, and however busy the test
  const over = document.getElementById("film-over");
  window.goesAway = new Promise((done) => {
    new MutationObserver(() => { if (over.hidden) done(true); }).observe(over, { attributes: true });
  });
}"""

pytestmark = pytest.mark.usefixtures("_no_camera")


@pytest.fixture
def _no_camera(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is plugged into the computer of the test."""
    monkeypatch.setattr(setup_pages, "list_cameras", tuple)


class Camera:
    """A camera app on a phone: an endless picture over http, 10 frames a second."""

    def __init__(self) -> None:
        self.jpeg = b""
        self.is_on, self.n_sent = True, 0
        camera = self

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=next")
                self.end_headers()
                while camera.is_on:
                    head = f"--next\r\nContent-Type: image/jpeg\r\nContent-Length: {len(camera.jpeg)}\r\n\r\n"
                    try:
                        self.wfile.write(head.encode() + camera.jpeg + b"\r\n")
                        camera.n_sent += 1
                    except OSError:
                        return
                    time.sleep(0.1)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/video"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def show(self, bgr: Image) -> None:
        self.jpeg = np.asarray(cv2.imencode(".jpg", bgr)[1]).tobytes()

    def close(self) -> None:
        self.is_on = False
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def camera() -> Iterator[Camera]:
    made = Camera()
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
    served: Serve, visit: Visit, camera: Camera, table: tuple[Image, Image], until: Until
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
    expect(page.locator(".gauge")).to_have_count(7)
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
    page.evaluate(PICTURES_COME_SLOWLY)  # what is clicked meanwhile is done afterwards
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


@pytest.mark.slow
def test_the_lens_is_measured_without_click_while_the_sheet_moves(served: Serve, visit: Visit, camera: Camera) -> None:
    rng = np.random.default_rng(17)
    lens = LENSES["strong"]
    views = [picture(lens, shot, noise=3, rng=rng) for shot in shots(lens, 16, rng)]
    camera.show(views[0])
    at = served()
    page = visit(at, path="setup")
    page.fill("#address", camera.address)
    page.click("#other button")
    expect(page.locator("#camera-lines")).to_contain_text("1280 x 720")
    page.click("#next")
    page.wait_for_timeout(300)
    page.click("#next")
    expect(page.locator("#wish")).not_to_be_empty()
    for _ in range(4):
        for view in views:
            camera.show(view)
            page.wait_for_timeout(900)
            if page.locator("#lens-lines li").count():
                break
    expect(page.locator("#lens-lines")).to_contain_text("Lens measured from")
    page.click("#next")
    at.wizard.save("lens only")
    kept = at.wizard.tables.load("lens only").lens
    assert kept is not None
    print(f"focal length off {100 * abs(kept.lens.matrix[0, 0] / lens.matrix[0, 0] - 1):.3f} %")
    assert kept.lens.matrix[0, 0] == pytest.approx(lens.matrix[0, 0], rel=0.005)


@pytest.mark.slow
def test_a_point_is_dragged_under_a_loupe_and_stays_there(
    served: Serve, visit: Visit, camera: Camera, table: tuple[Image, Image]
) -> None:
    camera.show(table[0])
    at = served()
    page = visit(at, path="setup")
    page.fill("#address", camera.address)
    page.click("#other button")
    for step in ("placement", "lens", "field"):
        expect(page.locator("#next")).to_be_enabled()
        page.click("#next")
        expect(page.locator(f"[data-page={step}]")).to_be_visible()
    expect(page.locator(".grip")).to_have_count(24)
    before = at.wizard.camera.state(-1, 0)
    assert before["open"]
    point = page.locator(".grip .dot").first
    point.hover()
    page.mouse.down()
    box = point.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 12, box["y"] + 6, steps=3)
    expect(page.locator("#loupe")).to_be_visible()
    page.mouse.up()
    expect(page.locator("#loupe")).to_be_hidden()
    first = page.locator(".grip").first
    first.focus()
    page.keyboard.press("ArrowLeft")
    expect(first).to_have_attribute("aria-label", re.compile(r"Point a7: \d+, \d+"))
    wait_until(page, "!document.querySelector('#next').disabled")
    page.click("#set-corners")
    expect(page.locator(".grip")).to_have_count(4)
    page.click("#fit")
    expect(page.locator(".grip")).to_have_count(24)


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
    monkeypatch.setattr(setup_pages, "list_cameras", lambda: (KnownCamera(0, "Desk camera"),))
    page.clock.fast_forward(4000)
    expect(page.locator("#camera-title")).to_have_text("Which camera looks at the table?")  # plugged in meanwhile
    expect(page.locator(".camera")).to_have_text("Desk camera")
    expect(page.locator("#wrong")).to_be_visible()
    page.click("text=Play without a camera")
    expect(page.locator("#chooser")).to_be_visible()
    expect(page.locator("#chooser [name=source][value=hand]")).to_be_checked()


def test_a_film_is_picked_from_the_disk_and_its_last_picture_stays_until_it_is_wanted_again(
    served: Serve, visit: Visit, table: tuple[Image, Image], tmp_path: Path
) -> None:
    film = cv2.VideoWriter(str(tmp_path / "slow.mp4"), cv2.VideoWriter_fourcc(*"mp4v"), 4.0, (960, 540))
    for _ in range(8):
        film.write(table[0])
    film.release()
    page = visit(served(), path="setup")
    page.set_input_files("#film-file", tmp_path / "slow.mp4")
    expect(page.locator("#camera-lines")).to_have_text("Pictures of 960 x 540")
    expect(page.locator("#camera-lines [data-grade=good]")).to_have_count(1)  # nobody can make a film faster
    expect(page.locator("#film-over")).to_contain_text("The film is over")
    for _ in range(3):
        page.click("#next")
    expect(page.locator("#field-lines")).to_contain_text("24 of 24 points seen")
    page.evaluate(GOES_AWAY)
    page.click("#film-again")
    assert page.evaluate("window.goesAway")
    expect(page.locator("#film-over")).to_be_visible()
    expect(page.locator("#wrong")).to_be_hidden()
