"""One page for what can be set: the voice of the browser, photographs, what is kept, a copy of it, and phones."""

import sqlite3
from pathlib import Path

import pytest
from flask import Flask

from languages import LANGUAGES, catalogue
from tests.web.browsing import Serve, Visit, expect, wait_until
from tests.web.conftest import LOCAL
from tests.web.test_access import network as network
from web.hosted_tables import AppContext
from web.journal.copies import copies_of, keep_copy


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_says_what_is_kept_and_never_where(app: Flask, shell: AppContext, language: str) -> None:
    page = app.test_client().get("/settings", base_url=LOCAL, headers={"Accept-Language": language})
    text, words = page.get_data(as_text=True), catalogue(language, "page")
    assert words["settings.games"].format(n=1) in text
    assert str(shell.table.journal.path.parent) not in text
    assert text.count('href="/settings') >= 1 + len(LANGUAGES)


def test_the_copy_of_all_games_is_a_whole_journal_and_leaves_nothing_behind(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms = tmp_path / "rooms"
    rooms.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(rooms))
    answer = app.test_client().get("/settings/games.sqlite", base_url=LOCAL)
    (tmp_path / "copy.sqlite").write_bytes(answer.data)
    answer.close()
    copy = sqlite3.connect(tmp_path / "copy.sqlite")
    assert copy.execute("SELECT count(DISTINCT game) FROM event").fetchone() == (1,)
    copy.close()
    assert "attachment" in answer.headers["Content-Disposition"]
    assert list(rooms.iterdir()) == []


def test_a_copy_that_was_made_by_itself_is_listed_and_taken_back(app: Flask, shell: AppContext) -> None:
    keep_copy(shell.table.journal.path)
    page = app.test_client()
    (copy,) = copies_of(shell.table.journal.path)
    assert f'data-copy="{copy.name}"' in page.get("/settings", base_url=LOCAL).get_data(as_text=True)
    taken = page.post("/api/settings/restore", base_url=LOCAL, json={"copy": copy.name})
    assert taken.get_json() == {"ok": True, "games": 0, "records": 0, "left": []}
    for name in ("none.sqlite", "../journal.sqlite", str(copy)):
        assert page.post("/api/settings/restore", base_url=LOCAL, json={"copy": name}).status_code == 404
    copy.unlink()


def test_voice_volume_and_photographs_are_set_and_heard(served: Serve, visit: Visit) -> None:
    at = served("d6")
    page = visit(at, "settings", width=390, voices=("en-GB",))
    page.locator("#volume").fill("40")
    page.click("#try-voice")
    wait_until(page, "window.spoken.length === 1")
    assert page.evaluate("window.spoken[0]") == catalogue("en", "page")["settings.voice.sentence"]
    expect(page.locator("#voice-missing")).to_be_hidden()
    page.locator("#voice-on").uncheck()
    page.locator("#keep-photographs").check()
    page.goto(at.address)
    expect(page.locator("#voice")).to_have_attribute("aria-pressed", "false")
    assert at.table.publisher.snapshot.game.photographs
    page.click("#more")
    page.click("#more-menu a[href='/settings']")
    expect(page.locator("#volume")).to_have_value("40")
    expect(page.locator("#voice-on")).not_to_be_checked()
    page.locator("a.button", has_text="Lëtzebuergesch").click()  # a language of which this browser has no voice
    page.locator("#voice-settings").evaluate("one => { one.dataset.voices = ''; }")
    expect(page.locator("h1")).to_have_text("Astellungen")
