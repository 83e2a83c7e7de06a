"""Records: what is written is read back; what others wrote is opened; what is damaged is refused, with its place."""

import json
import random
import re
from contextlib import suppress

import pytest

from languages import Message, message_of
from referee.endings import WITHDRAWN, Outcome, Termination
from referee.fen import parse_fen, to_fen
from referee.game import Game
from referee.moves import parse_move
from referee.presets import find_variant, variant_called
from referee.record import GameRecord, to_json, to_pgn
from referee.record_files import MAX_RECORD_BYTES, MAX_RECORD_GAMES, MAX_RECORD_TURNS, decode_record, read_records
from referee.record_reader import RecordError, whole_json
from referee.rulings import rule_on
from tests.referee.whole_games import from_pgn

SANMILL = """[Event "Sanmill-Game"]
[Site "Sanmill"]
[Date "2026.7.20"]
[Round "1"]
[White "Human"]
[Black "AI"]
[Result "0-1"]
[Variant "Nine Men's Morris"]
[PlyCount "47"]

1. d2 d6 2. f4 f2 3. b4 d3 4. f6 e4 5. g4 a4 6. c4 c5
7. d7 e5 8. d5 e3xd5 9. d5 c3xd2 10. b4-b2 d3-d2
11. g4-g1 e3-d3 12. f4-g4 d3-e3xg4 13. f6-f4 e3-d3
14. d7-g7 e4-e3xf4 15. g7-g4 e3-e4 16. g4-g7 e4-e3xd5
17. g7-g4 e3-e4 18. g4-f4 d3-e3xc4 19. f4-f6 c5-c4
20. f6-f4 d2-d3xg1 0-1
"""
PLAYOK = """[Site "PlayOK"]
[Date "2026.03.11"]
[Result "1-0"]
[GameType "70,0"]

1. 5 13 2. 20 19 3. 14 21 4. 7 8 5.
23 17 6. 12 16 7. 18 11 8. 4 6 9.
10 22 10.
23-24 22-23 11. 24-15 23-22 12.
15-3 13-9 13. 18-13 22-23 14. 5-2
17-18 15.
10-1x23 8-5 16. 7-8 16-17 17.
12-16 11-10 18. 4-11 5-4 19. 2-5
10-22 20.
3-15x22 1-0"""
FEN = "********/********/******** w p p 0 9 0 9 0 0 0 0 0 0 0 0 1"


def refusal(text: str) -> str:
    with pytest.raises(ValueError) as refused:
        read_records(text)
    said = message_of(refused.value)
    assert isinstance(said, Message)
    assert "\n" not in said
    return said.translated("en")


@pytest.mark.parametrize(
    ("text", "plies", "end"),
    [(SANMILL, 40, Outcome(1, Termination.FEWER_THAN_THREE)), (PLAYOK, 39, Outcome(0, Termination.NO_MOVES))],
)
def test_what_other_programs_wrote_is_played_through_to_its_end(text: str, plies: int, end: Outcome) -> None:
    (record,) = read_records(text)
    assert (record.game.variant.name, record.game.variant.fly) == ("nine_mens_morris", "own")
    assert (record.game.ply, record.game.outcome) == (plies, end)
    assert text == PLAYOK or ("White", "Human") in record.tags


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("Nine Men's Morris", "nine_mens_morris"), ("Nine Men’s Morris", "nine_mens_morris"),
        ("9 men's morris", "nine_mens_morris"), ("NINE MENS MORRIS", "nine_mens_morris"), ("Mill", "nine_mens_morris"),
        ("Mühle", "nine_mens_morris"), ("Jeu du moulin", "nine_mens_morris"), ("Merels", "nine_mens_morris"),
        ("Twelve Men's Morris", "twelve_mens_morris"), ("Morabaraba", "morabaraba"), ("Lasker Morris", "lasker_morris"),
        ("Six Men's Morris", "six_mens_morris"), ("Three men's morris", "three_mens_morris"), ("Millchen", "millchen"),
        ("Römische Mühle", "roman_mill"), ("Moulin Rouge", "moulin_rouge"), ("Trialectic Mühle", "trialectic"),
        ("tic-tac-toe", "tic_tac_toe"), ("Achi", "achi"),
    ],
)  # fmt: skip
def test_games_are_known_by_the_names_that_people_write(name: str, game: str) -> None:
    assert variant_called(name).name == game


def test_every_game_of_a_file_is_read() -> None:
    records = read_records(f"{SANMILL}\n{PLAYOK}\n\n1. d6 f4 1-0 {{he left}}\n1. a1 *")
    assert [record.game.ply for record in records] == [40, 39, 2, 1]
    assert records[2].comments == ((2, "he left"),)


def test_positions_stand_on_lines_of_their_own() -> None:
    records = read_records(f"{FEN}\n\n{FEN.replace(' w ', ' b ')}\n")
    assert [record.game.position.to_move for record in records] == [0, 1]


@pytest.mark.parametrize("end", ["agreement", "arbiter", "abandoned", "resignation", "time"])
def test_what_we_write_comes_back_the_same_in_both_forms(end: str) -> None:
    game = Game.start(find_variant("millchen", fly="both"))
    for text in ("d6", "f4", "d7"):
        game = game.play(parse_move(text, game.variant.board))
    if end in WITHDRAWN.values():
        over = game.withdrawn(0, Termination(end))
    else:
        over = game.ended(Outcome(1 if end == "arbiter" else None, Termination(end)))
    record = GameRecord(over, (("White", "Anna"), ("Arbiter", "Marie")), ((1, "well played"),))
    assert read_records(to_pgn(record)) == (record,)
    assert read_records(json.dumps(to_json(record))) == (record,)
    assert read_records(json.dumps([{"record": to_json(record)}, to_json(record)], indent=2)) == (record, record)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1, column 1: there is no game in it"),
        ("hello", "turn 1 (line 1, column 1), 'hello': this is no move on this board"),
        ("1. d6 f4\n2. d6 *", "turn 3 (line 2, column 4), 'd6': the point is not free"),
        ("1. d6 {abc", "line 1, column 7: a comment begins here and never ends"),
        ("1. d6 (d7", "line 1, column 7: a bracket opens here and is never closed"),
        ('[Variant "Go"]\n\n1. d6 *', "line 1, column 11: no game of the name 'Go' is known here: choose the game"),
        ('[Variant "millchen"]\n[Fly "high"]\n\n*',
         "line 2, column 7: this game has no rule Fly with the value “high”"),
        (SANMILL.replace("xg1 0-1", "xg1 1-0"), "line 16, column 20: the record says 1-0, but the moves end in 0-1"),
        (SANMILL.replace("0-1\n", "d6 0-1\n"), None),
        (f'[FEN "{FEN.replace(" w ", " x ")}"]', "line 1, column 7: no player 'x' is in this game"),
        (FEN.replace("********/", "O*******/", 1), None),
        ('{"game": "nine_mens_morris",}', "line 1, column 29: this is not JSON"),
        ('{"game": "millchen", "turns": ["d6",\n "zz"]}',
         "turn 2 (line 2, column 2), 'zz': this is no move on this board"),
        ('{"game": "millchen", "tags": 7}', "line 1, column 1: the part “tags” of the record is not as it should be"),
        ('{"game": "millchen", "outcome": {"winner": 1, "reason": "no_moves"}}', None),
        ('{"game": "millchen", "outcome": {"winner": 9, "reason": "time"}}', None),
        ('{"game": "millchen", "comments": [[5, "late"]]}', None),
        ("\x00\x01", "this is no text: a record is PGN, JSON or FEN"),
        ("-- {[%stood passed] [%by 9] [%fen x]}", None),
    ],
)  # fmt: skip
def test_what_is_damaged_is_refused_with_its_place(text: str, said: str | None) -> None:
    assert said in (None, refusal(text))


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text", ["(" * 60_000, "[" * 60_000, "{" * 60_000, '[a "' * 20_000, '{"' * 30_000, '[{"a":' * 8_000, "[[" * 30_000,
             "9" * 60_000, '[FEN "' + "O" * 60_000 + '"]', "1. d6 " * 30_000, "$1 " * 60_000, "x" * 60_000,
             '[A "' + "\\" * 60_000],
)  # fmt: skip
def test_a_hostile_file_gets_one_short_sentence_at_once(text: str) -> None:
    assert len(refusal(text)) < 200


def test_files_have_an_end() -> None:
    assert refusal("d6 " * MAX_RECORD_BYTES) == "it is too large: at most 256 kB"
    assert "at most" in refusal("1. d6 *\n" * (MAX_RECORD_GAMES + 1))
    assert "a game may have at most" in refusal("d6 " * (MAX_RECORD_TURNS + 1))
    with pytest.raises(ValueError, match="too large"):
        decode_record(b" " * (MAX_RECORD_BYTES + 1))


def test_whatever_is_done_to_a_record_it_is_read_or_refused() -> None:
    rng = random.Random(2101)
    whole = json.dumps(to_json(read_records(PLAYOK)[0]))
    n_read = 0
    for n in range(300):
        text = (SANMILL, whole, FEN, SANMILL + PLAYOK)[n % 4]
        for _ in range(rng.randint(1, 3)):
            at, length = rng.randrange(len(text)), rng.randint(0, 6)
            put_in = "".join(rng.choices('()[]{}"x-.*019abdO@ \n:,', k=rng.randint(0, 4)))
            text = text[:at] + put_in + text[at + length :]
        try:
            for record in read_records(text):
                assert read_records(to_pgn(record))[0].game == record.game
                n_read += 1
        except ValueError as why:
            assert isinstance(message_of(why), Message), text
    assert n_read > 20


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
    text = to_pgn(GameRecord(game, (("White", "A"),)))
    for end in (word.end() for word in re.finditer(r"\S+", text)):
        with suppress(RecordError):
            turns = from_pgn(text[:end]).game.turns
            assert turns == game.turns[: len(turns)], end


def test_a_bare_result_means_resignation_or_agreement() -> None:
    resigned, agreed, open_game = (from_pgn(f"1. d6 f4 {result}").game for result in ("1-0", "1/2-1/2", "*"))
    assert resigned.outcome == Outcome(0, Termination.RESIGNATION)
    assert agreed.outcome == Outcome(None, Termination.AGREEMENT)
    assert open_game.outcome is None


def test_a_foul_that_stood_and_a_resignation_among_three_are_kept() -> None:
    game = Game.start(find_variant("moulin_rouge", players=3))
    for text in ("o1", "m1", "i2", "o+"):
        game = game.play(parse_move(text, game.variant.board))
    tops = list(game.position.tops)
    tops[5] = tops[7] = 2
    game = game.play_on(tops, kinds=rule_on(game.position, tops).kinds).withdrawn(2, Termination.RESIGNATION)
    record = GameRecord(game, (), ((2, "a remark {in braces}".replace("{", "(").replace("}", ")")),))
    assert from_pgn(to_pgn(record)) == record
    assert whole_json(json.loads(json.dumps(to_json(record)))) == record
