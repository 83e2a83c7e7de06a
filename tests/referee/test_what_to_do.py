"""What players are told to do: every rule that offers more than one thing, or asks for more, says so."""

from __future__ import annotations

import pytest

from languages import LANGUAGES, catalogue
from referee.announce import Speaker
from referee.game import Game
from referee.legal import legal_moves
from referee.moves import Capture, Decline, Place, Rotate, Slide, parse_move
from referee.position import Position
from referee.presets import PRESETS, find_variant
from tests.languages.shipped import SHIPPED_LANGUAGES

COLOURS = ("yellow", "red", "blue", "green")


def told(position: Position, colours: tuple[str, ...] = COLOURS) -> list[str]:
    said = [Speaker(language, colours).to_do(position) for language in SHIPPED_LANGUAGES]
    return [text.replace("\N{NO-BREAK SPACE}", " ") for text in said]


def moulin(players: int, points: dict[str, list[int]], **options: object) -> Position:
    return Position.set_up(find_variant("moulin_rouge", players=players, **options), points, (0,) * players, 0)


def after(position: Position, *texts: str) -> Position:
    game = Game(position)
    for text in texts:
        game = game.play(parse_move(text, game.position.board))
    return game.position


OTHERS = {"o3": [1], "o5": [1], "m7": [1], "m8": [1], "i5": [2], "i6": [2], "i7": [2], "i9": [2]}
NEARLY = {"o1": [0], "m1": [0], "i2": [0], "i10": [0], **OTHERS}


def test_in_moulin_rouge_a_mill_takes_a_stone_from_each_of_the_others() -> None:
    mill = after(moulin(3, NEARLY), "i2-i1")
    assert told(mill) == [
        "Millen! Huel vu jidderengem ee Steen (Rout a Blo)",
        "Mühle! Nimm je einen Stein von Rot und Blau",
        "Moulin ! Prenez un pion à chacun (Rouge et Bleu)",
        "A mill! Take a stone from each of the others (Red and Blue)",
    ]
    one_left = after(mill, "xo3")
    assert told(one_left)[3] == "A mill! Take a blue stone", "what is taken already is not asked for again"
    assert told(mill, ("Ann", "Bob", "Cy"))[3] == "A mill! Take a stone from each of the others (Bob and Cy)"


def test_the_stones_of_who_is_out_may_be_left_where_the_table_said_so() -> None:
    out = (False, False, True)
    points = {**NEARLY, "i5": [2], "i6": [2]}
    for name in ("i7", "i9"):
        points.pop(name)
    variant = find_variant("moulin_rouge", players=3, leftover="may")
    mill = after(Position.set_up(variant, points, (0, 0, 0), 0, out), "i2-i1")
    assert told(mill)[3] == "A mill! Take a red stone, and you may also take a blue stone"
    assert told(mill)[1] == "Mühle! Nimm einen roten Stein, und du darfst auch einen blauen Stein nehmen"


def test_a_ring_may_be_turned_instead_once_a_stone_lies_on_the_board() -> None:
    start = Position.start(find_variant("moulin_rouge"))
    assert told(start)[3] == "Place a stone", "nobody has a stone yet that would let him turn"
    second_round = after(start, "o1", "o2")
    assert told(second_round) == [
        "Setz e Steen, oder dréi e Rank",
        "Setz einen Stein, oder dreh einen Ring",
        "Posez un pion, ou tournez un anneau",
        "Place a stone, or turn a ring",
    ]
    assert told(moulin(2, {"o1": [0], "o3": [0], "m5": [0], "i6": [0]}))[3] == (
        "Move a stone to a free field beside it, or turn a ring"
    )
    assert (
        told(moulin(2, {"o1": [0], "o3": [0], "m5": [0]}))[3] == "Jump with a stone to any free point, or turn a ring"
    )


def test_in_lasker_morris_a_stone_may_be_placed_or_moved() -> None:
    lasker = Position.set_up(find_variant("lasker_morris"), {"d6": [0]}, (9, 9), 0)
    assert told(lasker) == [
        "Setz e Steen, oder réck e Steen laanscht eng Linn",
        "Setz einen Stein, oder zieh einen Stein eine Linie weiter",
        "Posez un pion, ou déplacez un pion le long d’une ligne",
        "Place a stone, or move a stone along a line",
    ]


def test_a_capture_that_may_be_left_is_offered_not_asked_for() -> None:
    nine = Position.set_up(
        find_variant("nine_mens_morris", capture="may"), {"a7": [0], "d7": [0], "b4": [1]}, (7, 8), 0
    )
    assert told(after(nine, "g7"), ("red", "grey")) == [
        "Millen! Du däerfs e groe Steen huelen",
        "Mühle! Du darfst einen grauen Stein nehmen",
        "Moulin ! Vous pouvez prendre un pion gris",
        "A mill! You may take a grey stone",
    ]


def test_in_trialectic_one_of_the_others_is_chosen_and_towers_are_named() -> None:
    variant = find_variant("trialectic")
    assert told(Position.start(variant))[3] == "Place a stone, on top of others too"
    placing = Position.set_up(variant, {"a1": [0], "a2": [0], "b5": [1], "c5": [2]}, (7, 8, 8), 0)
    assert told(after(placing, "a3"))[3] == "A mill! Take a red stone or a blue stone"
    few = Position.set_up(variant, {"a1": [0], "b2": [0], "c5": [0], "b5": [1] * 3, "c4": [2]}, (0, 0, 0), 0)
    assert told(few)[3] == "Jump with a top stone to any point with fewer than three stones"
    many = Position.set_up(variant, {"a1": [0], "b2": [0], "c5": [0, 0], "b5": [1] * 3, "c4": [2]}, (0, 0, 0), 0)
    assert told(many)[3] == "Move a top stone to a neighbouring point"


def test_the_middle_is_named_where_the_first_stone_must_not_lie_there() -> None:
    start = Position.start(find_variant("roman_mill", no_centre_first=True))
    assert told(start)[3] == "Place a stone, but not in the middle"
    assert told(after(start, "n"))[3] == "Place a stone"


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
        assert said[0].isupper()
        assert "{" not in said
        assert "(n)" not in said
        kinds = {type(move) for move in moves}
        assert (phrases["do_turn"].lower() in said.lower()) is (Rotate in kinds)
        assert (phrases["do_place"].lower() in said.lower()) is (Place in kinds)
        n_offers = len(kinds & {Place, Slide, Rotate}) or len(kinds & {Capture, Decline}) > 0
        assert n_offers
        course = course.play(moves[(7 * k) % len(moves)])
    assert Speaker(language).to_do(course.position) or course.outcome is not None
