"""Every event in every language, read as a player would read it, and what players are told to do."""

import re

import pytest

from languages import LANGUAGES, catalogue
from referee.announce import Speaker, sentence, spoken_point
from referee.board import Board
from referee.boards import BOARDS
from referee.events import (
    BoardFound,
    BoardLost,
    Event,
    FoulSeen,
    FoulStood,
    GameEnded,
    MillClosed,
    OtherGameSeen,
    QuestionAsked,
    Restored,
    Resumed,
    TurnAmended,
    TurnPlayed,
    to_json,
)
from referee.game import Game
from referee.layouts import NINE_MENS_MORRIS, TRIALECTIC, moulin_rouge
from referee.legal import legal_moves
from referee.moves import Capture, Place, Rotate, Slide
from referee.position import Due
from referee.presets import PRESETS, find_variant
from tests.languages.shipped import SHIPPED_LANGUAGES
from tests.referee import positions

AT = (1.5, 45)
MILL = (("c5", "d5", "e5"),)
RED_GREY = ("red", "grey")


def turn(*moves, mills=(), player=0, skipped=()) -> TurnPlayed:  # type: ignore[no-untyped-def]
    return TurnPlayed(1, player, moves, mills, 0.987654, *AT, skipped=skipped)


@pytest.mark.parametrize(
    ("event", "lb", "de", "fr", "en"),
    [
        (
            turn(Slide("d6", "d5"), Capture("c3"), mills=MILL),
            "Rout zitt vun d6 op d5, mécht eng Millen an hëlt de Steen op c3.",
            "Rot zieht von d6 nach d5, schließt eine Mühle und nimmt den Stein auf c3.",
            "Rouge va de d6 à d5, ferme un moulin et prend le pion en c3.",
            "Red moves from d6 to d5, closes a mill and takes the stone on c3.",
        ),
        (
            turn(Rotate(0, 1), Capture("o3"), Capture("m5"), mills=MILL * 2),
            "Rout dréint de baussenzege Rank am Auerzäresënn, mécht zwou Millen an hëlt d’Steng op o3 an m5.",
            "Rot dreht den äußeren Ring im Uhrzeigersinn, schließt zwei Mühlen und nimmt die Steine auf o3 und m5.",
            "Rouge tourne l’anneau extérieur dans le sens horaire, ferme deux moulins et prend les pions en o3 et m5.",
            "Red turns the outer ring clockwise, closes two mills and takes the stones on o3 and m5.",
        ),
        (
            turn(Slide("s", "c"), skipped=(1,)),
            "Rout zitt vu s op m. Gro kann net zéien a setzt aus.",
            "Rot zieht von s nach m. Grau kann nicht ziehen und setzt aus.",
            "Rouge va de s à c. Gris ne peut pas jouer et passe son tour.",
            "Red moves from s to c. Grey cannot move and is skipped.",
        ),
        (
            MillClosed(0, ("a7", "d7", "g7"), *AT, due=(Due(0b10, 1, False),)),
            "Mille fir Rout! Huel e groe Steen.",
            "Mühle für Rot! Nimm einen grauen Stein.",
            "Moulin pour Rouge ! Prenez un pion gris.",
            "Mill for Red! Take a grey stone.",
        ),
        (
            MillClosed(0, ("a7", "d7", "g7"), *AT, due=(Due(0b10, 2, True),)),
            "Mille fir Rout! Du däerfs zwee Steng vu Gro huelen.",
            "Mühle für Rot! Du darfst zwei Steine von Grau nehmen.",
            "Moulin pour Rouge ! Vous pouvez prendre deux pions de Gris.",
            "Mill for Red! You may take two stones of Grey.",
        ),
        (
            TurnAmended(3, (Slide("d6", "d5"), Capture("c3")), *AT, player=0),
            "Korrektur vum Zuch 3: Rout huet vun d6 op d5 gezunn an de Steen op c3 geholl.",
            "Berichtigung von Zug 3: Rot hat von d6 nach d5 gezogen und den Stein auf c3 genommen.",
            "Correction du coup 3 : Rouge a joué de d6 à d5 et pris le pion en c3.",
            "Correction of turn 3: Red moved from d6 to d5 and took the stone on c3.",
        ),
        (
            TurnAmended(3, None, *AT),
            "Korrektur: Den Zuch 3 gouf net gespillt.",
            "Berichtigung: Zug 3 wurde nicht gespielt.",
            "Correction : le coup 3 n’a pas été joué.",
            "Correction: turn 3 was not played.",
        ),
        (
            GameEnded(0, "fewer_than_three", *AT, loser=1, n=2),
            "Rout gewënnt: Gro huet nëmmen nach zwee Steng.",
            "Rot gewinnt: Grau hat nur noch zwei Steine.",
            "Rouge gagne : Gris n’a plus que deux pions.",
            "Red wins: Grey has only two stones left.",
        ),
        (
            GameEnded(None, "no_mill", *AT, n=20),
            "Onentscheet: zwanzeg Zich ouni Millen.",
            "Unentschieden: zwanzig Züge ohne Mühle.",
            "Partie nulle : vingt coups sans moulin.",
            "Draw: twenty turns without a mill.",
        ),
        (
            QuestionAsked(("d6", "d7"), *AT),
            "Wat gouf gespillt: d6 oder d7?",
            "Was wurde gespielt: d6 oder d7?",
            "Qu’est-ce qui a été joué : d6 ou d7 ?",
            "What was played: d6 or d7?",
        ),
        (
            FoulStood(3, None, "wrong_player", (0, 1), 1, *AT),  # nobody was accused
            "Wat gespillt gouf, weess ech net; d’Spill geet weider mat deem, wat um Dësch läit.",
            "Was gespielt wurde, weiß ich nicht; das Spiel geht weiter mit dem, was auf dem Tisch liegt.",
            "Je ne sais pas ce qui a été joué ; la partie continue avec ce qui est sur la table.",
            "I do not know what was played; the game goes on from what lies on the table.",
        ),
    ],
)
def test_events_are_announced(event: Event, lb: str, de: str, fr: str, en: str) -> None:
    said = [sentence(event, language, RED_GREY).replace("\N{NO-BREAK SPACE}", " ") for language in SHIPPED_LANGUAGES]
    assert said == [lb, de, fr, en]


BLUE_IN_DOUBT = QuestionAsked(("b3", "="), *AT, players=((2,), ()))


def asked(
    event: QuestionAsked, board: Board = TRIALECTIC, colours: tuple[str, ...] = ("yellow", "red", "blue")
) -> list[str]:
    said = [sentence(event, language, colours, board) for language in SHIPPED_LANGUAGES]
    return [text.replace("\N{NO-BREAK SPACE}", " ") for text in said]


def test_a_question_is_a_sentence_that_names_the_player_and_the_point() -> None:
    assert asked(BLUE_IN_DOUBT) == [
        "Huet Blo e Steen op b3 geluecht?",
        "Hat Blau einen Stein auf b3 gelegt?",
        "Est-ce que Bleu a posé un pion en b3 ?",
        "Did Blue lay a stone on b3?",
    ]
    answers = Speaker("de", ("", "", "blue")).answers(BLUE_IN_DOUBT, TRIALECTIC)
    assert answers == ["Blau setzt auf b3.", "Nichts wurde gespielt."]
    assert sentence(BLUE_IN_DOUBT, "en", None, TRIALECTIC) == "Did player 3 lay a stone on b3?"
    spoken = sentence(BLUE_IN_DOUBT, "lb", None, TRIALECTIC, spoken=True)
    assert spoken == "Huet de Spiller 3 e Steen op Berta 3 geluecht?"
    assert asked(BLUE_IN_DOUBT, colours=("", "", "orange"))[2] == "Est-ce qu’Orange a posé un pion en b3 ?"


def test_a_question_asks_only_what_its_readings_differ_in() -> None:
    two = QuestionAsked(("a1", "a1 b3"), *AT, players=((1,), (1, 2)))
    assert asked(two) == asked(BLUE_IN_DOUBT)
    way = QuestionAsked(("3. i+", "3. i-"), *AT, players=((0,), (0,)))
    assert asked(way, moulin_rouge(8))[3] == (
        "Did Yellow turn the inner ring clockwise or turn the inner ring anticlockwise (turn 3)?"
    )
    mill = QuestionAsked(("b3", "c1-c2xa1xa2"), *AT, players=((2,), (2,)))
    assert asked(mill)[3] == "Did Blue lay a stone on b3 or move from c1 to c2 and take the stones on a1 and a2?"


def test_a_question_may_be_about_what_no_turn_explains() -> None:
    odd = QuestionAsked(("b3", "..."), *AT, players=((2,), ()))
    assert asked(odd)[3] == "Did Blue lay a stone on b3, or did something happen that I do not understand?"
    assert Speaker("fr").answers(odd, TRIALECTIC) == ["Le joueur 3 pose un pion en b3.", "Autre chose."]
    back = QuestionAsked(("-2", "-1"), *AT, players=((), ()))
    assert asked(back)[1] == "Wurden die letzten 2 Züge zurückgenommen, oder wurde der letzte Zug zurückgenommen?"
    assert Speaker().answers(back, TRIALECTIC)[0] == "The last 2 turns were taken back."


def test_without_colours_players_have_numbers() -> None:
    event = turn(Place("d6"), player=1)
    assert sentence(event, "fr") == "Le joueur 2 pose un pion en d6."
    assert sentence(event, "de") == "Spieler 2 setzt auf d6."
    assert sentence(event, "lb", ("red", "")) == "De Spiller 2 setzt op d6."
    assert sentence(event, "en", ("Anna", "Ben")) == "Ben places on d6."


def test_a_foul_says_how_to_put_it_right() -> None:
    before, seen = [0] * 24, [0] * 24
    index = NINE_MENS_MORRIS.index
    before[index["a7"]], seen[index["d3"]], seen[index["g1"]] = 1, 1, 2
    foul = FoulSeen(0, "two_moves", ("a7", "d3", "g1"), tuple(before), tuple(seen), *AT)
    expected = {
        "lb": "Feeler vu Rout: zwee Zich op eemol. Wann ech gelift, de roude Steen vun d3 zréck op a7 setzen. "
        "Wann ech gelift, de groe Steen vu g1 ewechhuelen.",
        "de": "Regelverstoß von Rot: zwei Züge auf einmal. Stell bitte den roten Stein von d3 nach a7 zurück. "
        "Nimm bitte den grauen Stein von g1 weg.",
        "fr": "Faute de Rouge : deux coups à la fois. Veuillez remettre le pion rouge de d3 en a7. "
        "Veuillez retirer le pion gris de g1.",
        "en": "Foul by Red: two moves at once. Please move the red stone from d3 back to a7. "
        "Please take the grey stone off g1.",
    }
    for language, text in expected.items():
        for board in (None, NINE_MENS_MORRIS):
            assert sentence(foul, language, RED_GREY, board).replace("\N{NO-BREAK SPACE}", " ") == text


def test_a_foul_calls_players_by_their_names_and_stones_by_their_colours() -> None:
    before, seen = [0] * 24, [0] * 24
    before[0], seen[1] = 1, 1
    foul = FoulSeen(0, "two_moves", ("a7", "d7"), tuple(before), tuple(seen), *AT)
    told = sentence(foul, "en", ("Anna", "Ben"), NINE_MENS_MORRIS, stones=RED_GREY)
    assert told == "Foul by Anna: two moves at once. Please move the red stone from d7 back to a7."
    told = sentence(foul, "fr", ("Anna", "Ben"), NINE_MENS_MORRIS, stones=("", "grey"))
    assert told.endswith("Veuillez remettre le pion d’Anna de d7 en a7.")


def test_a_stone_that_is_gone_comes_back() -> None:
    gone = ([1, 0], [0, 0], ["a7", "d7"])
    assert Speaker("de", ("blue", "red")).put_back(*gone) == "Leg bitte einen blauen Stein auf a7 zurück."
    assert Speaker("fr").put_back(*gone) == "Veuillez remettre un pion du joueur 1 en a7."
    assert Speaker().put_back([2, 0], [1, 0], ["a7", "d7"]) == (
        "Please take the stone of player 1 off a7. Please put a stone of player 2 back on a7."
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("board", BOARDS.values(), ids=list(BOARDS))
def test_spoken_names_of_points_begin_differently(language: str, board) -> None:  # type: ignore[no-untyped-def]
    spoken = [spoken_point(name, language) for name in board.points]
    assert len(set(spoken)) == len(spoken)
    first = {re.split(r"[ ]", name)[0] for name in spoken}
    if board.name == "nine_mens_morris":
        assert len(first) == 7
    event = turn(Slide(board.points[0], board.points[1]))
    assert spoken[0] in sentence(event, language, spoken=True)


def test_events_are_written_as_the_interface_says() -> None:
    assert to_json(turn(Slide("d6", "d5"), Capture("c3"), mills=MILL), "") == {
        "event": "turn", "t": 1.5, "frame": 45, "ply": 1, "player": 1, "text": "d6-d5xc3",
        "actions": [{"act": "move", "from": "d6", "to": "d5"}, {"act": "capture", "at": "c3"}],
        "mills": [["c5", "d5", "e5"]], "confidence": 0.9877,
    }  # fmt: skip
    assert to_json(FoulSeen(None, "stone_vanished", ("a7",), (1,), (0,), *AT), "words") == {
        "event": "foul", "t": 1.5, "frame": 45, "player": None, "kind": "stone_vanished", "points": ["a7"],
        "text": "words",
    }  # fmt: skip
    assert to_json(TurnAmended(2, None, *AT), "")["actions"] is None
    assert to_json(GameEnded(None, "repetition", *AT), "")["winner"] is None
    assert to_json(GameEnded(1, "no_moves", *AT), "")["winner"] == 2
    assert to_json(MillClosed(1, ("a7", "d7", "g7"), *AT), "")["line"] == ["a7", "d7", "g7"]
    assert to_json(QuestionAsked(("d6", "d7"), *AT), "which?")["options"] == ["d6", "d7"]
    assert to_json(BoardFound("b", (("a7", 1.234, 5.0),), *AT), "")["points"] == {"a7": [1.23, 5.0]}
    assert to_json(BoardLost("why", *AT), "")["event"] == "lost"
    assert to_json(Restored(*AT), "") == {"event": "restored", "t": 1.5, "frame": 45}
    assert to_json(FoulStood(3, None, "two_moves", (0, 1), 1, *AT), "") == {
        "event": "stood", "t": 1.5, "frame": 45, "player": None, "kind": "two_moves",
    }  # fmt: skip
    assert to_json(Resumed((("a7", None), ("d7", 1)), 0, *AT), "") == {
        "event": "resumed", "t": 1.5, "frame": 45, "points": {"a7": None, "d7": 2}, "to_move": 1,
    }  # fmt: skip
    assert to_json(Resumed((("a7", None),), None, *AT), "")["to_move"] is None
    assert to_json(OtherGameSeen("millchen", ("trialectic",), *AT), "words") == {
        "event": "question", "t": 1.5, "frame": 45, "text": "words", "options": ["trialectic"],
    }  # fmt: skip
    rotation = to_json(turn(Rotate(2, -1)), "")
    assert rotation["actions"] == [{"act": "rotate", "ring": 2, "steps": -1}]
    assert rotation["text"] == "i-"


COLOURS = ("yellow", "red", "blue", "green")
NEARLY = "o1 m1 i2 i10 | o3 o5 m7 m8 | i5 i6 i7 i9"
FEW = "o1 o3 m5"
ALL_OF = {
    "Millen! Huel vu jidderengem ee Steen (Rout a Blo)", "Mühle! Nimm je einen Stein von Rot und Blau",
    "Moulin ! Prenez un pion à chacun (Rouge et Bleu)", "A mill! Take a stone from each of the others (Red and Blue)",
}  # fmt: skip


@pytest.mark.parametrize(
    ("game", "stones", "played", "told"),
    [
        ("moulin_rouge players=3", NEARLY, "i2-i1", ALL_OF),
        ("moulin_rouge players=3", NEARLY, "i2-i1xo3", {"A mill! Take a blue stone"}),  # one is taken already
        ("moulin_rouge players=3 leftover=may", "o1 m1 i2 i10 | o3 o5 m7 m8 | i5 i6 !", "i2-i1",
         {"A mill! Take a red stone, and you may also take a blue stone",
          "Mühle! Nimm einen roten Stein, und du darfst auch einen blauen Stein nehmen"}),
        ("moulin_rouge", "", "", {"Place a stone"}),  # nobody has a stone yet that would let him turn
        ("moulin_rouge", "", "o1 o2",
         {"Setz e Steen, oder dréi e Rank", "Setz einen Stein, oder dreh einen Ring",
          "Posez un pion, ou tournez un anneau", "Place a stone, or turn a ring"}),
        ("moulin_rouge", f"{FEW} i6 | m1 m3 i2", "", {"Move a stone to a free field beside it, or turn a ring"}),
        ("moulin_rouge", f"{FEW} | m1 m3 i2", "", {"Jump with a stone to any free point, or turn a ring"}),
        ("lasker_morris", "d6 +9 | +9", "",
         {"Setz e Steen, oder réck e Steen laanscht eng Linn",
          "Setz einen Stein, oder zieh einen Stein eine Linie weiter",
          "Posez un pion, ou déplacez un pion le long d’une ligne",
          "Place a stone, or move a stone along a line"}),
        ("nine_mens_morris capture=may", "a7 d7 +7 | b4 +8", "g7",
         {"Millen! Du däerfs e roude Steen huelen", "Mühle! Du darfst einen roten Stein nehmen",
          "Moulin ! Vous pouvez prendre un pion rouge", "A mill! You may take a red stone"}),
        ("trialectic", "", "", {"Place a stone, on top of others too"}),
        ("trialectic", "a1 a2 +7 | b5 +8 | c5 +8", "a3", {"A mill! Take a red stone or a blue stone"}),
        ("trialectic", "a1 b2 c5 | b5/222 | c3 c4/33", "",
         {"Jump with a top stone to any point with fewer than three stones"}),
        ("trialectic", "a1 b2 c5/11 | b5/222 | c3 c4/33", "", {"Move a top stone to a neighbouring point"}),
        ("roman_mill no_centre_first=yes", "", "", {"Place a stone, but not in the middle"}),
        ("roman_mill no_centre_first=yes", "", "n", {"Place a stone"}),
    ],
)  # fmt: skip
def test_players_are_told_what_to_do(game: str, stones: str, played: str, told: set[str]) -> None:
    position = positions.after(positions.setup(game, stones), played)
    said = {Speaker(language, COLOURS).to_do(position).replace("\N{NO-BREAK SPACE}", " ") for language in LANGUAGES}
    assert told <= said, said


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", PRESETS)
def test_what_is_said_is_what_is_lawful_all_through_a_game(game: str, language: str) -> None:
    phrases = catalogue(language, "referee")["phrases"]
    course = Game.start(find_variant(game))
    for k in range(120):
        if course.outcome is not None:
            break
        moves = legal_moves(course.position)
        said = Speaker(language, COLOURS).to_do(course.position)
        assert said[0].isupper() and not re.search(r"[{}_]|\(\w\)|\bNone\b", said)
        kinds = {type(move) for move in moves}
        for kind, word in ((Rotate, "do_turn"), (Place, "do_place")):
            assert (phrases[word].lower() in said.lower()) is (kind in kinds)
        course = course.play(moves[(7 * k) % len(moves)])
