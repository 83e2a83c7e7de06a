"""Games that have been played, in a real Chromium."""

from pathlib import Path

import pytest

from languages import LANGUAGES
from tests.referee.test_record_files import SANMILL
from tests.web.browsing import Browser, Serve, Served, Visit, expect, settles_within, wait_until
from tests.web.scripted_eyes import JPEG
from web.journal.journal_record import UnwrittenRecord
from web.page_words import words

MILL = ("d6", "d7", "b6", "g7", "mill:f6xd7")


@pytest.fixture
def at(served: Serve) -> Served:
    """A table with a game of five turns, named players and one photograph."""
    table = served(*MILL)
    wait_for(table, 5)
    table.table.add_record(1, UnwrittenRecord("named", None, {"names": ["Anna", "Ben"]}))
    third = [record.seq for record in table.journal.records(1) if record.kind == "turn"][2]
    table.table.photographs.save(third, JPEG)
    return table


def wait_for(at: Served, ply: int) -> None:
    desk = at.table.publisher
    while desk.snapshot.game.ply < ply:
        desk.wait(desk.snapshot.version, 10.0)


def test_a_game_is_found_by_a_name_and_opened(at: Served, visit: Visit) -> None:
    page = visit(at)
    page.click("a[href='/games']")
    expect(page.locator(".game-row")).to_have_count(1)
    expect(page.locator(".game-row strong")).to_have_text("Anna – Ben")
    page.fill("#search", "carla")
    expect(page.locator(".nothing")).to_contain_text("Nobody has played that yet.")
    page.fill("#search", "ben")
    expect(page.locator(".game-row")).to_have_count(1)
    wait_until(page, "document.querySelector('.game-row img').naturalWidth > 0")
    expect(page.locator(".game-row time")).not_to_contain_text("-")
    page.click(".game-row")
    expect(page.locator("#who")).to_have_text("Anna – Ben")
    page.go_back()
    expect(page.locator("#search")).to_have_value("ben")
    expect(page.locator(".game-row")).to_have_count(1)


def test_a_game_is_replayed_and_remarked_and_photographs_go_after_a_question(at: Served, visit: Visit) -> None:
    page = visit(at, "games/1")
    expect(page.locator("#text")).to_have_text("Anna places on f6, closes a mill and takes the stone on d7.")
    expect(page.locator(".stones .pebble:not(.going)")).to_have_count(4)
    expect(page.locator(".mill.lit")).to_have_count(1)
    expect(page.locator("#photograph")).to_be_hidden()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#count")).to_have_text("Turn 3 of 5")
    expect(page.locator("#photograph")).to_be_visible()
    wait_until(page, "document.querySelector('#photo').naturalWidth > 0")
    page.locator("#slider").focus()
    page.keyboard.press("Home")
    expect(page.locator("#count")).to_have_text("At the beginning")
    expect(page.locator(".stones .pebble:not(.going)")).to_have_count(0)
    page.locator("#turns .turn").nth(3).click()
    expect(page.locator("#turns .turn[aria-current]")).to_contain_text("g7")
    expect(page.locator(".touch")).to_have_count(0)
    page.click("#play")
    expect(page.locator("#count")).to_have_text("Turn 5 of 5")
    page.goto(at.address + "games?demo=1")  # where no form opens files
    page.goto(at.address + "games/1#4")
    page.fill("#remark", "here it was decided")
    page.locator("#remark").blur()
    expect(page.locator("#turns .turn").nth(3).locator(".has-remark")).to_have_count(1)
    page.click("#rename")
    page.locator("#names input").nth(1).fill("\u202eBe\u200dnoît")  # what nobody sees is dropped
    page.click("#names button[value='yes']")
    expect(page.locator("#who")).to_have_text("Anna – Benoît")
    expect(page.locator("#remark")).to_have_value("here it was decided")
    page.click("#rename")
    page.click("#names button[value='no']")
    expect(page.locator("#names")).to_be_hidden()
    page.goto(at.address + "games/1#3")
    page.click("#forget")
    page.click("#sure-forget button[value='no']")
    expect(page.locator("#photograph")).to_be_visible()
    page.click("#forget")
    page.click("#sure-forget button[value='yes']")
    expect(page.locator("#forget")).to_have_count(0)
    assert not list(at.table.photographs.folder.iterdir())


@pytest.mark.parametrize("language", ["lb", pytest.param("fr", marks=pytest.mark.slow)])
def test_the_replay_in_one_file_needs_neither_server_nor_network(
    at: Served, visit: Visit, browser: Browser, tmp_path: Path, language: str
) -> None:
    page = visit(at, f"games/1?lang={language}")
    with page.expect_download() as download:
        page.click(".exports a[href*='.html']")
    file = tmp_path / "replay.html"
    download.value.save_as(file)
    assert download.value.suggested_filename.endswith("-1.html")
    context = browser.new_context(offline=True)
    asked: list[str] = []
    complaints: list[str] = []
    alone = context.new_page()
    alone.on("request", lambda request: asked.append(request.url) if not request.url.startswith("data:") else None)
    alone.on("pageerror", lambda why: complaints.append(str(why)))
    alone.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    alone.goto(file.as_uri())
    expect(alone.locator("#count")).to_have_text(words(language)["turn_n"].format(n=5, of=5))
    alone.keyboard.press("ArrowLeft")
    alone.keyboard.press("ArrowLeft")
    expect(alone.locator(".stones .pebble:not(.going)")).to_have_count(3)
    expect(alone.locator("#photograph")).to_be_visible()
    wait_until(alone, "document.querySelector('#photo').naturalWidth > 0")
    wait_until(alone, "document.fonts.check('16px Fraunces')")
    assert complaints == []
    assert asked == [file.as_uri()]
    context.close()


@pytest.mark.parametrize(
    "language", [pytest.param(one, marks=() if one == "lb" else pytest.mark.slow) for one in LANGUAGES]
)
def test_a_score_sheet_is_printed_in_every_language(at: Served, visit: Visit, language: str) -> None:
    page = visit(at, "print", language=language)
    expect(page.locator(".score tbody tr")).to_have_count(3)
    expect(page.locator(".score tbody td").nth(4)).to_contain_text("f6xd7")
    expect(page.locator("#print")).to_have_text(words(language)["print"])
    assert len(page.pdf()) > 5000


def test_a_file_is_opened_and_a_bad_one_is_refused_on_the_spot(at: Served, visit: Visit, tmp_path: Path) -> None:
    page = visit(at, "games", language="de-DE", width=390)
    (tmp_path / "bad.pgn").write_text("1. d6 f4\n2. d6 *", encoding="utf-8")
    page.set_input_files("#open-file", tmp_path / "bad.pgn")
    expect(page.locator("#open-error")).to_contain_text("Zug 3 (Zeile 2, Spalte 4), 'd6': der Punkt ist nicht frei")
    settles_within(page, 390)
    (tmp_path / "old.pgn").write_bytes(SANMILL.replace("Human", "Jürgen").encode("latin-1"))
    page.set_input_files("#open-file", tmp_path / "old.pgn")
    expect(page.locator("#who")).to_contain_text("Jürgen")
    expect(page.locator(".origin summary")).to_contain_text("Geöffnet aus old.pgn")
    page.click(".origin summary")
    expect(page.locator(".origin li").first).to_be_visible()
    expect(page.locator("#count")).to_have_text("Zug 40 von 40")
    expect(page.locator(".opened")).to_have_count(0)
    page.goto(at.address + "games")
    page.set_input_files("#open-file", tmp_path / "old.pgn")
    expect(page.locator(".opened")).to_have_text("Diese Partie hast du schon: Hier ist sie.")
    assert page.url.startswith(at.address + "games/2?")
