"""A player who is out, and stones that change hands: in the journal, in the announcements, and on the pages."""

import random

from referee.game import Game
from referee.moves import Capture
from referee.presets import find_variant
from referee.turns import Turn, legal_turns
from tests.web.browsing import Stage, expect
from web.game.page_state import game_view
from web.game.records import announce_record
from web.game.replay import replay
from web.history.finished_games import game_history
from web.history.journal_reader import JournalReader
from web.journal.journal import Journal
from web.journal.journal_record import UnwrittenRecord
from web.table.current_game import CurrentGame

COLOURS = ("yellow", "red", "blue")


def turns_until_somebody_is_out() -> list[Turn]:
    """Turns of a game of Trialectic in which everybody takes what can be taken, until one of the three is out."""
    rng = random.Random(1)
    game, turns = Game.start(find_variant("trialectic")), []
    while not any(game.position.out):
        lawful = legal_turns(game.position)
        taking = [turn for turn in lawful if any(isinstance(move, Capture) for move in turn.moves)]
        turns.append(rng.choice(taking or list(lawful)))
        game = game.play_turn(turns[-1])
    return turns


def written(journal: Journal, turns: list[Turn]) -> CurrentGame:
    """The game as the table writes it while the camera sees these turns."""
    current = CurrentGame(journal)
    current.begin("trialectic", {}, "camera")
    for ply, turn in enumerate(turns, start=1):
        body = {"t": float(ply), "frame": ply, "player": turn.player + 1, "moves": [str(move) for move in turn.moves],
                "mills": [list(mill) for mill in turn.mills], "confidence": 0.99, "skipped": []}  # fmt: skip
        current.write(UnwrittenRecord("turn", ply, body))
    return current


def test_who_is_out_and_whose_the_stones_are_is_written_said_and_shown(journal: Journal) -> None:
    turns = turns_until_somebody_is_out()
    current = written(journal, turns)
    kinds = [record.kind for record in current.records]
    assert kinds == ["start", *["turn"] * len(turns), "out", "owner"]
    gone = current.state.game.position.out.index(True)
    said = [announce_record(record, current.state, COLOURS) for record in current.records]
    texts = [one.texts["en"] for one in said[-2:] if one is not None]
    assert texts[0] == f"{COLOURS[gone].capitalize()} has fewer than three stones left and is out."
    captor = COLOURS[turns[-1].player].capitalize()
    assert texts[1].startswith("The stone") and texts[1].endswith(f"to {captor} now.")
    view = game_view(1, current.state, current.state.game, COLOURS)
    assert view.out == (gone + 1,)
    changed = {(paint, owner) for stack in view.stacks.values() for paint, owner in stack if paint != owner}
    assert changed == {(gone + 1, turns[-1].player + 1)}
    assert replay(journal.records(1)).game == current.state.game
    with JournalReader(journal.path) as reader:
        last = game_history(reader.replay(1), "en").plies[-1]
    assert [record.kind for record, _ in last.interim_events] == ["out", "owner"]


def test_the_page_rings_stones_in_their_owners_colour_and_strikes_out_who_is_out(stage: Stage) -> None:
    turns = turns_until_somebody_is_out()
    page = stage.show(*map(str, turns), game="trialectic")
    gone = turns[-1].after.out.index(True) + 1
    expect(page.locator(f".player.out[data-player='{gone}'] .what")).to_have_text("Out of the game")
    expect(page.locator(".player.out")).to_have_count(1)
    expect(page.locator(f".owner-ring[data-owner='{turns[-1].player + 1}']").first).to_be_visible()
    expect(page.locator("#story")).to_contain_text("is out.")


def test_the_page_counts_down_to_a_draw(stage: Stage) -> None:
    steps = ["a7-d7", "a1-d1", "d7-a7", "d1-a1"] * 5
    laid = ["a7", "a1", "b6", "b2", "c5", "c3", "f4", "g4", "g7", "g1", "d6", "d2", "f2", "f6", "e5", "e3", "d3", "b4"]
    page = stage.show(*laid, *steps[:5], game="millchen")
    expect(page.locator(".player.active .near")).to_have_text("This position has occurred 2 times.")
