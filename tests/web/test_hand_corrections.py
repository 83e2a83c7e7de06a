from collections.abc import Sequence

import pytest

from languages import LANGUAGES
from referee.game import Game
from referee.presets import find_variant
from tests.languages.shipped import SHIPPED_LANGUAGES
from tests.referee.positions import played
from tests.web.conftest import Open, Until
from tests.web.seen import correct_point
from web.errors import MillchenError
from web.game.game_state import GameState, with_turn_begun_by_hand
from web.game.page_state import Announcement
from web.game.player_commands import correct_stone, take_back_turn
from web.game.records import apply_record
from web.journal.journal import Journal

NINE = find_variant("nine_mens_morris")


def by_hand(game: Game, *points: tuple[str, int]) -> Game:
    """The game after people have touched these points on the page, one after the other."""
    course = GameState(game)
    for point, stone in points:
        word = correct_stone(course, point, stone, course.page_game.position.tops)
        course = apply_record(course, word.in_game(1, "hand"))
    return course.game


def test_what_people_set_is_the_next_turn_where_a_turn_would_leave_just_that() -> None:
    game = by_hand(Game.start(NINE), ("d6", 1), ("d7", 2), ("b6", 1), ("g7", 2), ("f6", 1))
    begun = with_turn_begun_by_hand(game)
    assert (begun.phase, begun.position.owed, begun.pending and str(begun.pending[0])) == ("capture", 1, "f6")
    game = by_hand(game, ("d7", 0))
    assert [str(turn) for turn in game.turns] == ["d6", "d7", "b6", "g7", "f6xd7"]
    assert game == played("nine_mens_morris", "d6 d7 b6 g7 f6xd7")


MILL = ("d6", "d7", "b6", "g7", "f6xd7")
LAID = ("a3", "c3", "b3", "b2", "a1", "a2")
NERENCHI = ("a1", "g1", "a4", "g4", "a7")
BY_HAND = {
    "a stone that is moved": ("three_mens_morris", LAID, (("a1", 0), ("b1", 1)), (*LAID, "a1-b1")),
    "a board that is full": ("tant_fant", (), (("b1", 0), ("b2", 1), ("a3", 0), ("a2", 2)), ("b1-b2", "a3-a2")),
    "another turn after a mill while placing": ("nerenchi", NERENCHI, (("d7", 1),), (*NERENCHI, "d7")),
    "a turn that was misread": ("nine_mens_morris", MILL[:3], (("d7", 0), ("g7", 2)), ("d6", "g7", "b6")),
    "another capture": ("nine_mens_morris", MILL, (("g7", 0), ("d7", 2)), (*MILL[:4], "f6xg7")),
    "what no turn explains": ("nine_mens_morris", MILL[:2], (("a1", 2),), (*MILL[:2], "")),
    "what is undone": ("nine_mens_morris", MILL[:2], (("a1", 2), ("a1", 0)), MILL[:2]),
    "a win that was misread": ("tic_tac_toe", ("a1", "b2", "a2", "b1", "a3"), (("a3", 0), ("c3", 1)),
                               ("a1", "b2", "a2", "b1", "c3")),
}  # fmt: skip


@pytest.mark.parametrize("what", BY_HAND)
def test_what_people_set_takes_the_place_of_a_turn_and_those_before_and_after_it_stay(what: str) -> None:
    name, turns, points, wanted = BY_HAND[what]
    game = by_hand(played(name, " ".join(turns)), *points)
    assert tuple(map(str, game.turns)) == wanted
    assert game == played(name, " ".join(wanted)) if all(wanted) else game.turns[-1].remarks == ("corrected",)


def test_a_correction_is_in_the_journal_said_in_every_language_and_survives_a_new_start(
    open_table: Open, journal: Journal, until: Until
) -> None:
    table = open_table("d6", "d7")
    until(lambda: table.publisher.snapshot.game.ply == 2)
    correct_point(table, "d6", 0)
    until(lambda: "d6" not in table.publisher.snapshot.game.stacks)
    said = table.publisher.snapshot.said[-1]
    newest = journal.records(1)[-1]
    assert (newest.kind, newest.by, said.seq) == ("corrected", "hand", newest.seq)
    assert said.texts["en"] == "Set right by hand: d6 is empty."
    assert said.spoken["en"] == "Set right by hand: Delta 6 is empty."
    assert set(said.texts) == set(LANGUAGES)
    assert len({said.texts[language] for language in SHIPPED_LANGUAGES}) == len(SHIPPED_LANGUAGES)
    correct_point(table, "b6", 1)
    until(lambda: "b6" in table.publisher.snapshot.game.stacks)
    assert table.publisher.snapshot.said[-1].texts["de"].startswith("Berichtigung von Zug 1: ")
    table.close()
    again = open_table("d6", "d7")
    assert again.publisher.snapshot.game.stacks == {"b6": ((1, 1),), "d7": ((2, 2),)}
    assert again.publisher.snapshot.game.hands == (8, 8)


def heard(said: Sequence[Announcement]) -> list[tuple[int | None, str]]:
    """Number and text of what was announced of records, without the player's name: colours are not known at once."""
    texts = [(one.seq, one.texts["en"]) for one in said if one.seq is not None]
    return [(seq, text.rpartition(" places on ")[2]) for seq, text in texts]


def test_after_a_new_start_what_was_said_is_said_of_the_game_as_it_was_then(open_table: Open, until: Until) -> None:
    table = open_table()
    until(lambda: table.publisher.snapshot.source.state == "live")
    for point, top in (("d6", 1), ("d7", 2)):
        correct_point(table, point, top)
        until(lambda p=point: p in table.publisher.snapshot.game.stacks)
    for ply in (1, 0):
        table.apply_command(take_back_turn)
        until(lambda n=ply: table.publisher.snapshot.game.ply == n)
    told = heard(table.publisher.snapshot.said[-12:])
    table.close()
    assert [text for _, text in told[:2]] == ["d6.", "d7."]
    again = open_table()
    assert heard(again.publisher.snapshot.said[-12:]) == told
    assert heard(again.announcements_after(told[0][0] or 0)) == told[1:]


@pytest.mark.parametrize(
    ("point", "stone", "says"),
    [("h9", 1, "no point h9"), ("a1", 3, "no player 3"), ("a1", -1, "no player"), ("d6", 1, "already")],
)
def test_what_is_no_correction_is_refused(open_table: Open, until: Until, point: str, stone: int, says: str) -> None:
    table = open_table("d6")
    until(lambda: table.publisher.snapshot.game.ply == 1)
    with pytest.raises(MillchenError, match=says):
        correct_point(table, point, stone)


def test_a_table_goes_on_with_the_discs_that_were_found(open_table: Open, journal: Journal, until: Until) -> None:
    table = open_table("holes:10", "o10", "m10", "o+", game="moulin_rouge")
    until(lambda: table.publisher.snapshot.game.ply == 3)
    assert [(r.kind, dict(r.body)) for r in journal.records(1)][1] == ("board", {"options": {"fields": 10}})
    assert len(table.publisher.snapshot.game.points) == 30
    assert table.publisher.snapshot.game.stacks == {"o1": ((1, 1),), "m10": ((2, 2),)}
    table.close()
    again = open_table("holes:10", "o10", "m10", "o+", game="moulin_rouge")
    assert again.publisher.snapshot.game.ply == 3
    assert journal.last_game() == 1


def test_where_stones_are_removed_before_moving_that_is_done_by_hand_too() -> None:
    names = find_variant("shax").board.points
    full = by_hand(Game.start(find_variant("shax")), *((name, 1 + k % 2) for k, name in enumerate(names)))
    assert full.ply == 24 and full.position.removing
    first = full.position.to_move
    taken = by_hand(full, (names[1 - first], 0), (names[first], 0))
    assert [str(turn) for turn in taken.turns[24:]] == [f"x{names[1 - first]}", f"x{names[first]}"]
    assert taken.phase == "moving" and taken.position.to_move == first
