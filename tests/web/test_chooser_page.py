"""A game begins: which, who, by what clock, from where; in a real Chromium."""

from pathlib import Path

from tests.web.browsing import Stage, expect
from tests.web.scripted_eyes import write_film


def test_house_rules_change_the_paragraph_and_the_game(stage: Stage, tmp_path: Path) -> None:
    other = write_film(tmp_path / "other.json", "d6", "d7")
    page = stage.begin("nine_mens_morris")
    page.click("#choose")
    page.locator("input[name='game'][value='millchen']").check(force=True)
    expect(page.locator("#rules")).to_contain_text("may jump to any free point")
    page.click("#house summary")
    page.select_option("[name='option-fly']", "off")
    expect(page.locator("#rules")).to_contain_text("Nobody may jump")
    page.click("#chooser-next")
    page.click("#chooser-next")
    page.locator("input[name='other']").fill("/no/such/film.mp4")
    page.click("#chooser-new")
    expect(page.locator("#chooser-error")).to_contain_text("There is no file")
    page.locator("input[name='other']").fill(str(other))
    page.click("#chooser-new")
    expect(page.locator("#chooser")).to_be_hidden()
    assert dict(stage.table.state.game.variant.chosen) == {"fly": "off"}


def test_as_many_sit_down_as_the_game_has_players_and_chance_says_who_begins(stage: Stage) -> None:
    page = stage.begin("nine_mens_morris")
    page.click("#choose")
    page.locator("input[name='game'][value='trialectic']").check(force=True)
    expect(page.locator("#rules[data-game='trialectic']")).not_to_be_empty()
    page.click("#chooser-next")
    expect(page.locator("#party input")).to_have_count(3)
    expect(page.locator("#begin-coin")).to_be_hidden()
    page.click("#chooser-back")
    page.locator("input[name='game'][value='nine_mens_morris']").check(force=True)
    page.click("#chooser-next")
    for k, name in enumerate(("Anna", "Ben")):
        page.locator("#party input").nth(k).fill(name)
    for how in ("lot", "coin"):
        seen = set()
        for _ in range(20):
            page.locator("#drawn").evaluate("one => { one.textContent = ''; }")
            page.click(f"#begin-{how}")
            expect(page.locator("#drawn")).to_contain_text("begins and lays the first stone")
            first = page.locator("#party input").first.input_value()
            assert page.locator("#drawn").inner_text().startswith(first)
            seen.add(first)
            if len(seen) == 2:
                break
        assert seen == {"Anna", "Ben"}  # by chance alone once in half a million runs


def test_the_youngest_begins_with_a_clock_and_photographs(stage: Stage, tmp_path: Path) -> None:
    other = write_film(tmp_path / "other.json", "d6", pause_s=1.0)
    page = stage.begin("nine_mens_morris")
    page.click("#choose")
    page.click("#chooser-next")
    for k, name in enumerate(("Anna", "Ben")):
        page.locator("#party input").nth(k).fill(name)
    page.click("#begin-youngest")
    page.click("#youngest button:has-text('Ben')")
    expect(page.locator("#drawn")).to_have_text("Ben begins and lays the first stone.")
    page.locator("[name='clock'][value='down']").check(force=True)
    page.fill("[name='minutes']", "10")
    page.fill("[name='increment']", "3")
    page.locator("[name='photographs']").check(force=True)
    page.click("#chooser-next")
    page.locator("input[name='other']").fill(str(other))
    page.click("#chooser-new")
    expect(page.locator("#chooser")).to_be_hidden()
    expect(page.locator(".player[data-player='1'] .who")).to_contain_text("Ben")
    view = stage.table.publisher.snapshot.game
    assert view.names == ("Ben", "Anna") and view.photographs
    assert (view.clock.kind, view.clock.minutes, view.clock.increment) == ("down", 10.0, 3.0)
