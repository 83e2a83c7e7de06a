"""Lessons on the page and at the table: their list, taps, the real board, and the journal that keeps them apart."""

import re
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from languages import LANGUAGES, catalogue
from referee.presets import PRESETS
from referee.search.lessons import Lesson
from tests.web.browsing import Serve, Visit, expect, wait_until
from tests.web.conftest import LOCAL, Open, Until, play, texts
from tests.web.scripted_eyes import seen_path, write_film
from tests.web.seen import seen_by
from tools.make_lessons import N_LESSONS
from web.app import create_app
from web.game.first_record import lesson_book
from web.game.page_state import LessonView
from web.game.player_commands import take_back_turn
from web.history.game_index import GameIndex
from web.history.journal_reader import JournalReader
from web.hosted_tables import AppContext
from web.journal.journal import Journal
from web.table.live_table import LiveTable

TIC = "tic_tac_toe"


def lesson(game: str, n: int) -> Lesson:
    return lesson_book()[game][n - 1]


def wrong_place(n: int) -> str:
    """A point of Tic Tac Toe on which a stone may be laid, but not as the answer."""
    position = lesson(TIC, n).position(PRESETS[TIC].variant)
    bare = (name for name, top in zip(position.board.points, position.tops, strict=True) if not top)
    return next(name for name in bare if name != lesson(TIC, n).solution)


def asked(app: Flask, path: str, language: str = "en") -> Any:
    return app.test_client().get(path, base_url=LOCAL, headers={"Accept-Language": language})


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_game_has_its_lessons_on_the_page_in_every_language(app: Flask, language: str) -> None:
    told = catalogue(language, "lessons")
    text = asked(app, "/lessons", language).get_data(as_text=True)
    assert told["title"] in text and text.count('data-game="') == len(PRESETS)
    assert text.count("data-lesson=") == len(PRESETS) * N_LESSONS
    page = asked(app, "/lessons/millchen/1", language).get_data(as_text=True)
    assert told["kind.mill_in_one"] in page and told["show"] in page
    sheet = asked(app, "/lessons/roman_mill/sheet", language).get_data(as_text=True)
    assert sheet.count('width="200"') == N_LESSONS
    assert all(lesson.solution in sheet for lesson in lesson_book()["roman_mill"])


@pytest.mark.parametrize("lesson", ["chess/1", "millchen/0", "millchen/11", "chess/sheet"])
def test_there_is_no_other_lesson(app: Flask, lesson: str) -> None:
    assert asked(app, f"/lessons/{lesson}").status_code == asked(app, f"/api/lessons/{lesson}").status_code == 404


@pytest.mark.parametrize("game", PRESETS)
def test_a_solution_is_right_and_another_turn_is_not(app: Flask, game: str) -> None:
    for n, one in enumerate(lesson_book()[game], start=1):
        answer = asked(app, f"/api/lessons/{game}/{n}?show=1").get_json()
        assert (answer["verdict"], answer["turn"]) == ("right", one.solution)
        assert (
            all(name in answer["text"] for name in re.findall(r"[a-w]\d", one.solution))
            and answer["view"]["acts"] is None
        )
        assert b"<svg" in asked(app, f"/lessons/{game}/{n}.svg").data


@pytest.mark.parametrize(
    ("game", "n", "turn", "why"),
    [
        (TIC, 4, "{own}", "the point is not free"),
        ("millchen", 6, "{other}-{own}", "an opponent’s stone was moved"),
        ("millchen", 6, "{bare}", "a stone was placed although none is left to place"),
        ("millchen", 6, "x{other}", "a stone was taken without a mill"),
    ],
)
def test_an_unlawful_turn_gets_the_referees_reason(app: Flask, game: str, n: int, turn: str, why: str) -> None:
    position = lesson(game, n).position(PRESETS[game].variant)
    me, points = position.to_move + 1, dict(zip(position.tops, position.board.points, strict=True))
    asks = turn.format(own=points[me], other=points[3 - me], bare=points[0])
    answer = asked(app, f"/api/lessons/{game}/{n}?turn={asks}").get_json()
    assert (answer["verdict"], answer["turn"]) == ("unlawful", "")
    assert answer["text"] == answer["spoken"] == f"That is against the rules: {why}."
    assert answer["view"]["stacks"] == asked(app, f"/api/lessons/{game}/{n}").get_json()["view"]["stacks"]


def test_a_lesson_is_solved_by_taps_and_the_browser_keeps_that(served: Serve, visit: Visit) -> None:
    at = served("d6")
    page = visit(at, f"lessons/{TIC}/7")
    expect(page.locator("#task")).to_contain_text("is to move")
    wrong = page.locator(f".touch[aria-label^='{wrong_place(7)}:']")
    n_stones = lesson(TIC, 7).n_stones(PRESETS[TIC].variant)
    wrong.click(force=True)
    expect(page.locator("#verdict")).to_contain_text("Try again.")
    expect(page.locator(".stones .pebble:not(.going)")).to_have_count(n_stones)  # it has gone back by itself
    expect(page.locator("#verdict")).to_contain_text("Try again.")
    wrong.click(force=True)
    # At once: the wrong one still lies there.
    page.locator(f".touch[aria-label^='{lesson(TIC, 7).solution}:']").click(force=True)
    expect(page.locator("#verdict")).to_contain_text("Right!")
    expect(page.locator("#solved-mark")).to_be_visible()
    page.goto(at.address + "lessons")
    expect(page.locator(f"#{TIC} [data-count]")).to_have_text("1 of 10 solved")
    expect(page.locator(f"#{TIC} .solved")).to_have_count(1)
    expect(page.locator("#millchen [data-count]")).to_have_text("0 of 10 solved")


def lay(table: LiveTable, game: str, n: int) -> int:
    return create_app(AppContext(table)).test_client().post(f"/api/lessons/{game}/{n}/lay", json={}).status_code


def listed(journal: Journal) -> list[int]:
    with JournalReader(journal.path) as reader:
        return [line.number for line in GameIndex().find(reader)]


def test_lessons_are_no_games_of_the_house_and_old_ones_open(start: Open, journal: Journal) -> None:
    table = start()
    play(table, "d6")
    house = table.publisher.snapshot.game.id
    lay(table, "millchen", 1)
    assert listed(journal) == [house]
    assert table.publisher.snapshot.last.game == "nine_mens_morris"
    lay(table, "millchen", 2)
    table.new_game("nine_mens_morris", {})
    assert table.publisher.snapshot.game.lesson is None
    assert listed(journal) == [house + 3, house]
    with JournalReader(journal.path) as reader:
        assert [played.state.lesson_number for _, played in reader.replays() if played.state] == [0, 1, 2, 0]
    table.go_on(house)
    assert table.publisher.snapshot.game.ply == 1


def test_a_restart_goes_on_with_a_lesson_that_is_not_solved(start: Open) -> None:
    lay(start(), TIC, 1)
    table = start()
    assert table.publisher.snapshot.game.lesson == LessonView(1)
    play(table, lesson(TIC, 1).solution)
    assert table.publisher.snapshot.game.lesson.verdict == "right"
    assert start().publisher.snapshot.game.lesson is None


def test_people_may_say_that_the_stones_lie_though_the_eyes_do_not_see_it(start: Open) -> None:
    table = start()
    client = create_app(AppContext(table)).test_client()
    assert client.post(f"/api/lessons/{TIC}/4/lies", json={}).status_code == 422  # a game is on
    lay(table, TIC, 4)
    assert client.post(f"/api/lessons/{TIC}/4/lies", json={}).status_code == 200
    assert table.publisher.snapshot.game.lesson.verdict == ""
    play(table, wrong_place(4))
    assert table.publisher.snapshot.game.lesson.verdict == "wrong"
    table.apply_command(take_back_turn)
    play(table, lesson(TIC, 4).solution)
    assert table.publisher.snapshot.game.lesson.verdict == "right"


@pytest.mark.parametrize("by_hand", ["resume", "correct", "play-on"])
def test_a_lesson_stands_as_laid_whatever_is_taken_over(
    start: Open, tmp_path: Path, until: Until, by_hand: str
) -> None:
    one = lesson(TIC, 4)
    wrong, right = wrong_place(4), one.solution
    seen = f"{wrong}=1,{right}=1"  # two stones at once: no turn
    film = write_film(tmp_path / "film.json", f"foul:{seen}" if by_hand == "play-on" else f"seen:{seen}", "page", right)
    table = start(str(film), TIC)
    lay(table, TIC, 4)
    client = create_app(AppContext(table)).test_client()

    def sight() -> Any:
        return client.get("/api/state").get_json()["sight"]["seen"]

    until(lambda: sight() is not None or table.publisher.snapshot.game.foul is not None)
    before = table.publisher.snapshot.game.stacks
    body = {
        "resume": lambda: {"tops": sight()["tops"], "to_move": 1},
        "correct": lambda: {"point": next(name for name, stack in before.items() if stack), "top": 0},
        "play-on": dict,
    }[by_hand]()
    answer = client.post(f"/api/{by_hand}", json={**body, "seen": seen_by(client)}, headers={"Accept-Language": "en"})
    assert answer.status_code == 422 and "stones lie as it has them" in answer.get_json()["error"]["text"]
    assert table.publisher.snapshot.game.stacks == before
    seen_path(film).touch()
    until(lambda: table.publisher.snapshot.game.lesson.verdict == "right")


def test_a_lesson_at_the_table_is_announced_judged_and_over_with_the_next_game(start: Open) -> None:
    table = start()
    visitor = create_app(AppContext(table))
    assert asked(visitor, f"/api/lessons/{TIC}/4/table").get_json()["phase"] == "none"
    assert lay(table, "chess", 1) == lay(table, TIC, 11) == 404
    assert lay(table, TIC, 4) == 200
    said = table.publisher.snapshot.said[-1]
    assert said.kind == "lesson" and said.texts["en"].startswith("Three in a row threaten: only one turn of")
    play(table, wrong_place(4))
    assert "places on" in (text := texts(table)[-1]) and "try again" in text
    assert asked(visitor, f"/api/lessons/{TIC}/4/table").get_json()["phase"] == "wrong"
    table.apply_command(take_back_turn)
    play(table, lesson(TIC, 4).solution)
    spoken = table.publisher.snapshot.said[-1].spoken["en"]
    assert "Right!" in spoken and not re.search(r"\b[a-c][1-3]\b", spoken)
    told = asked(visitor, f"/api/lessons/{TIC}/4/table").get_json()
    assert told["phase"] == "right" and told["text"].startswith("Right!")
    table.new_game("nine_mens_morris", {})
    play(table, "d6")
    assert texts(table)[-1].endswith("places on d6.")


def test_at_the_table_a_wrong_turn_is_taken_back_and_it_is_kept_that_it_is_solved(
    served: Serve, visit: Visit, until: Until
) -> None:
    at = served(wrong_place(4), "page", lesson(TIC, 4).solution, game=TIC)
    until(lambda: len(list(filter(None, at.table.publisher.snapshot.sight.names))) == 2)  # as the task names them
    page = visit(at, f"lessons/{TIC}/4", voices=("en-GB",))
    at.seen.unlink()
    page.click("#lay")
    expect(page.locator("#table-verdict")).to_contain_text("try again")
    at.seen.touch()
    expect(page.locator("#table-verdict")).to_contain_text("Right!")
    expect(page.locator("#solved-mark")).to_be_visible()
    assert at.table.publisher.snapshot.game.ply == 1  # the wrong turn was taken back
    wait_until(page, "window.spoken.some((said) => said.startsWith('Right!'))")
    task, *_, wrong, right = (said for said in page.evaluate("window.spoken") if "Your move" not in said)
    assert task == page.locator("#task").text_content() and "try again" in wrong and right.startswith("Right!")
    page.goto(at.address + f"lessons/{TIC}/5")
    expect(page.locator("#lay")).to_be_visible()
