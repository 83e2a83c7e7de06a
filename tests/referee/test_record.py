"""Records: what is written is read back; what others wrote is understood; what is damaged is refused."""

from __future__ import annotations

import json
import re
from contextlib import suppress

import pytest

from referee.endings import Outcome, Termination
from referee.fen import parse_fen, to_fen
from referee.game import Game
from referee.moves import parse_move
from referee.presets import find_variant
from referee.record import Record, to_json, to_pgn
from referee.record_reader import RecordError, whole_json
from referee.rulings import rule_on
from tests.referee.whole_games import from_pgn

NINE = find_variant("nine_mens_morris", fly="own")


def test_what_newer_sanmill_adds_to_its_line_is_ignored() -> None:
    text = "********/@***O***/******** w p p 1 8 1 8 0 0 -1 -1 -1 -1 0 0 2 ids:nodes"
    position = parse_fen(text, NINE)
    assert position.hands == (8, 8)
    assert position.owners[NINE.board.index["d2"]] == 1


def test_a_capture_that_is_due_is_in_the_line() -> None:
    game = Game.start(NINE)
    for text in ("a7", "g7", "a4", "g4", "a1"):
        game = game.play(parse_move(text, NINE.board))
    fen = to_fen(game.position, quiet=0, ply=4)
    assert fen == "********/********/*@@**OOO w p r 3 6 2 7 1 0 0 0 0 0 0 0 3"
    assert parse_fen(fen, NINE).prey == game.position.prey


def test_sanmills_record_with_a_set_up_position_is_read() -> None:
    text = """[Event "Sanmill-Game"]
[White "Human"]
[Black "AI"]
[Result "0-1"]
[SetUp "1"]
[FEN "********/********/*@@**OO* w p p 2 7 2 7 0 0 0 0 0 0 0 0 3"]

1. a7xg7 {good} ( 1. d7 f6 ) d6 $1 2. d5 0-1
"""
    record = from_pgn(text)
    assert [str(turn) for turn in record.game.turns] == ["a7xg7", "d6", "d5"]


@pytest.mark.parametrize(
    ("text", "game", "turns"),
    [
        ("1. a7 g7 2. a4 g4 3. a1 xg7 d6 *", None, "a7 g7 a4 g4 a1xg7 d6"),  # Sanmill's captures may stand apart
        ("1. 1 3 2. 10 15 3. 22x3 2 4. 4 *", None, "a7 g7 a4 g4 a1xg7 d7 b6"),  # PlayOK's numbers
        ("1. E1 E3 2. E8 E4 3. E7xE3 A1 *", "morabaraba", "a7 g7 a4 g4 a1xg7 b6"),  # names of rings
    ],
)
def test_what_others_write_is_read(text: str, game: str | None, turns: str) -> None:
    read = from_pgn(text, None if game is None else find_variant(game)).game
    assert " ".join(map(str, read.turns)) == turns


def test_a_record_that_is_cut_off_is_refused_or_the_beginning_of_the_game() -> None:
    game = from_pgn("1. a7 g7 2. a4 g4 3. a1xg7 d6 *").game
    text = to_pgn(Record(game, (("White", "A"),)))
    for end in (word.end() for word in re.finditer(r"\S+", text)):
        with suppress(RecordError):
            turns = from_pgn(text[:end]).game.turns
            assert turns == game.turns[: len(turns)], end


def test_a_bare_result_means_resignation_or_agreement() -> None:
    resigned, agreed, open_game = (from_pgn(f"1. d6 f4 {result}").game for result in ("1-0", "1/2-1/2", "*"))
    assert resigned.outcome == Outcome(0, Termination.RESIGNATION)
    assert agreed.outcome == Outcome(None, Termination.AGREEMENT)
    assert open_game.outcome is None


def test_three_players_have_their_own_result_tag() -> None:
    game = Game.start(find_variant("trialectic")).ended(Outcome(2, Termination.ARBITER))
    text = to_pgn(Record(game, (("Third", "Claire"),)))
    assert '[Result "*"]' in text
    assert '[Winner "3"]' in text
    assert from_pgn(text) == Record(game, (("Third", "Claire"),))


def test_a_foul_that_stood_and_a_resignation_among_three_are_kept() -> None:
    game = Game.start(find_variant("moulin_rouge", players=3))
    for text in ("o1", "m1", "i2", "o+"):
        game = game.play(parse_move(text, game.variant.board))
    tops = list(game.position.tops)
    tops[5] = tops[7] = 2
    game = game.play_on(tops, kinds=rule_on(game.position, tops).kinds).withdrawn(2, Termination.RESIGNATION)
    record = Record(game, (), ((2, "a remark {in braces}".replace("{", "(").replace("}", ")")),))
    assert from_pgn(to_pgn(record)) == record
    assert whole_json(json.loads(json.dumps(to_json(record)))) == record


def test_one_tag_for_each_option_that_differs() -> None:
    text = to_pgn(Record(Game.start(find_variant("millchen", fly="both", draw_plies=40))))
    assert '[Fly "both"]' in text
    assert '[DrawPlies "40"]' in text
    assert "Repetition" not in text
