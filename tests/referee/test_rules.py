"""Sentences of the rule texts as cases: what lies there, what is played, and what is so then.

What a game is without options is held by `test_oracle`; here is how it ends, and what a table may choose. Where a text
can be read in two ways there is a case for each reading: the default, and the other one as an option.
"""

from typing import Any, NamedTuple

import pytest

from referee.announce import sentence
from referee.endings import Outcome
from referee.events import TurnPlayed
from referee.fen import parse_fen, to_fen
from referee.fouls import Foul, violations
from referee.game import Game
from referee.legal import legal_moves
from referee.moves import parse_move
from referee.position import Memory, Position
from referee.presets import PRESETS, find_variant
from referee.record import GameRecord, to_json, to_pgn
from referee.record_reader import whole_json
from referee.rulings import rule_on
from referee.turns import legal_turns, partial_turns, turns_showing
from tests.referee.positions import after, legal, play_words, played, rules_of, setup
from tests.referee.whole_games import from_pgn


class Case(NamedTuple):
    """A sentence, and where it can be seen.

    Attributes:
        game, stones: As ``tests.referee.positions`` reads them.
        played: Turns or moves, one a word.
        then: What is so afterwards: attributes of the game or the position by name, or one of ``CHECKS``.
    """

    rule: str
    game: str
    stones: str
    played: str
    then: dict[str, Any]


def case(rule: str, game: str, stones: str = "", played: str = "", **then: Any) -> Case:
    return Case(rule, game, stones, played, then)


def towers(game: Game, wanted: str) -> bool:
    """Whether the stones on some points belong to these players, bottom first: ``b4/12 c1/``."""
    stacks = dict(zip(game.variant.board.points, game.position.stacks, strict=True))
    split = (word.split("/") for word in wanted.split())
    return all("".join(str(stone.owner + 1) for stone in stacks[name]) == owners for name, owners in split)


CHECKS = {
    "legal": lambda game, moves: legal(game.position) == set(moves.split()),
    "may": lambda game, moves: set(moves.split()) <= legal(game.position),
    "may_not": lambda game, moves: not set(moves.split()) & legal(game.position),
    "kinds": lambda game, kinds: {type(move).__name__ for move in legal_moves(game.position)} == set(kinds.split()),
    "fen": lambda game, words: words in to_fen(game.position),
    "ended": lambda game, said: said == ended(game.outcome),
    "lies": towers,
    "mills": lambda game, lines: {" ".join(line) for line in game.turns[-1].mills} == set(lines.split(", ")),
    "skipped": lambda game, players: game.turns[-1].skipped == players,
}


def ended(outcome: Outcome | None) -> str:
    """``1 no_moves``, ``draw repetition``, or nothing; players from 1."""
    if outcome is None:
        return ""
    return f"{'draw' if outcome.winner is None else outcome.winner + 1} {outcome.termination}"


def by(option: str, **values: Any) -> list[tuple[str, Any]]:
    """An option with each of its values, as a table says it, and what comes of it."""
    return [(f"{option}={value}", then) for value, then in values.items()]


THREE_FOUR, FOUR_THREE, THREE_THREE = "a7 d6 f4 | g1 d2 b2 c3", "g1 d2 b2 c3 | a7 d6 f4", "a7 d6 f4 | g1 d2 b2"
FLIES = {"own": (1, 0, 1), "both": (0, 0, 1), "any": (1, 1, 1), "off": (0, 0, 0)}
WALK, THERE_AND_BACK = "a7 d6 f4 c3 | g1 d2 b4 e5", "a7-a4 g1-g4 a4-a7 g4-g1 "
QUIET_PLACING = "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 d3 c3 e3"
FULL_BUT_ONE = "a7 d7 b6 d6 f4 g4 c3 e3 b2 d2 a1 e4 | * g7 f6 c5 d5 e5 a4 b4 c4 d3 f2 d1 +1"
BLOCKED = "a7 d7 a4 b4 | * g7 d6 a1 b6 c4 d2"
SHOT = "a7 d7 g7 f4 e4 c3 | b6 d6 c5 e3 d1 b2"
OUT = "o1 m1 i2 | o5 m6 i9 | o7 m8 !"
CONVERTED = "a1 a2 a4 b3 | b1 b4 c5 | c1 c3 b6 c6"

OF_ALL_GAMES = [
    *(case("First repetition is judged, then the turns without a mill, then the turn limit",
           f"millchen max_turns=8 {draws}", WALK, THERE_AND_BACK * 2, ended=f"draw {reason}")
      for draws, reason in (("draw_plies=8", "repetition"), ("draw_plies=8 repetition=0", "no_mill"),
                            ("draw_plies=0 repetition=0", "turn_limit"))),
    case("A win on the last quiet turn is a win", "millchen draw_plies=1", BLOCKED, "d2-b2", ended="2 no_moves"),
    case("The turn limit draws", "nine_mens_morris max_turns=3", "", "a7 d7 g7", ended="draw turn_limit"),
    *(case("Either player may start", f"millchen first={first}", to_move=first) for first in (0, 1)),
    *(case("What was set up is judged", game, stones, ended=said) for game, stones, said in (
        ("nine_mens_morris", "a7 d6 | b2 d2 f2", "2 fewer_than_three"),
        ("nine_mens_morris", "a7 g7 a1 | d7 a4 g4 d6 d1", "2 no_moves"),
        ("tic_tac_toe", "a1 b1 c1 +2 | * a3 b3 +2", "1 three_in_a_row"),
        ("roman_mill win_in_placing=no", "n c s | * ne e sw", ""))),  # a row that was laid is broken and made again
]  # fmt: skip

OF_MILLCHEN = [
    *(case("Who may fly", f"millchen fly={fly}", stones, **{"may" if flies else "may_not": f"{stones[:2]}-c5"})
      for fly, row in FLIES.items() for stones, flies in zip((THREE_FOUR, FOUR_THREE, THREE_THREE), row, strict=True)),
    case("A player's phase is the own one", "millchen", f"{THREE_FOUR} +1", phase="flying"),
    case("... and so is the next one's", "millchen", f"{THREE_FOUR} +1", "a7-c4", phase="placing"),
    *(case("Two mills with one placed stone", f"millchen {multi}", "d7 g7 a4 a1 +5 | b6 d6 f4 e3 +5", "a7", owed=owed)
      for multi, owed in by("multi_placing", one=1, each=2)),
    *(case("Two mills with one jump", f"millchen fly=any {multi}", "d7 g7 a4 a1 c3 | b6 d6 f4", "c3-a7", owed=owed)
      for multi, owed in by("multi_moving", one=1, each=2)),
    *(case("A mill must take, or may", f"millchen {capture}", "a7 d7 +7 | b6 d6 +7", "g7", **{then: "x-"})
      for capture, then in by("capture", must="may_not", may="may")),
    *(case("Stones in a mill are safe: unless all are, always, never", f"millchen {protect}",
           "a7 d7 +7 | b6 d6 f6 d2 +5", "g7", legal=prey)
      for protect, prey in by("protect", unless_all="xd2", always="xd2", never="xb6 xd6 xf6 xd2")),
    *(case("... and where all are in mills", f"millchen {protect}", "a7 d7 +7 | b6 d6 f6 +6", "g7", **then)
      for protect, then in by("protect", unless_all={"legal": "xb6 xd6 xf6"}, never={"legal": "xb6 xd6 xf6"},
                              always={"to_move": 1, "dues": ()})),
    *(case("Who cannot move loses, draws or is skipped", f"nine_mens_morris {stalemate}", BLOCKED, "d2-b2", **then)
      for stalemate, then in by("stalemate", lose={"ended": "2 no_moves"}, draw={"ended": "draw no_moves"},
                                **{"pass": {"ended": "", "to_move": 1}})),
    *(case("Twenty turns of both without a mill are a draw", f"millchen repetition=0 draw_plies={n}", WALK,
           THERE_AND_BACK * (n // 4), ended="draw no_mill") for n in (20, 40)),
    case("... and not one fewer", "millchen repetition=0", WALK, THERE_AND_BACK * 4 + "a7-a4 g1-g4 a4-a7", ended=""),
    case("... not in nine men's morris", "nine_mens_morris", WALK, THERE_AND_BACK * 15, ended=""),
    *(case("Placings do not count for it, unless all do", f"millchen {count}", "", QUIET_PLACING, quiet=quiet)
      for count, quiet in by("draw_count", moving=0, all=18)),
    *(case("The third time of a position is a draw", game, WALK, THERE_AND_BACK * 2, ended="draw repetition")
      for game in ("millchen", "nine_mens_morris repetition=3", "millchen repetition_mode=consecutive")),
    case("... not before", "millchen", WALK, THERE_AND_BACK + "a7-a4 g1-g4 a4-a7", ended=""),
    case("... not in nine men's morris", "nine_mens_morris", WALK, THERE_AND_BACK * 3, ended=""),
    case("The first position may not count", "millchen repetition_origin=no", WALK, THERE_AND_BACK * 2, ended=""),
    case("... then it is one ply later", "millchen repetition_origin=no", WALK, THERE_AND_BACK * 2 + "a7-a4",
         ended="draw repetition"),
    *(case("Repetition counts in all, or only in a row", f"millchen {mode}", WALK,
           THERE_AND_BACK + "a7-d7 g1-d1 d7-a7 d1-g1", ended=said)
      for mode, said in by("repetition_mode", total="draw repetition", consecutive="")),
    case("With the other player to move it is another position", "millchen", THREE_FOUR,
         "a7-c5 g1-g4 c5-e5 g4-g1 e5-a7", lies="a7/1 d6/1 f4/1 g1/2", occurrences=1),
]  # fmt: skip

OF_THE_RELATIVES = [
    *(case("Who starts tic tac toe has five stones", game, hands=hands)
      for game, hands in (("tic_tac_toe", (5, 4)), ("tic_tac_toe first=1", (4, 5)))),
    case("Three men may be kept from the diagonals", "three_mens_morris diagonals=no", "a1 b1 c2 | a2 b3 c1",
         may_not="a1-b2"),
    case("Three men may fly, as in nine holes", "three_mens_morris fly=own", "a1 b1 c2 | a2 b3 c1", may="a1-c3"),
    *(case("The first stone may be kept from the middle", f"{game} no_centre_first=yes", "", words, **{then: middle})
      for game, middle, first in (("three_mens_morris", "b2", "a1"), ("roman_mill", "c", "n"))
      for words, then in (("", "may_not"), (first, "may"))),
    *(case("A line made by the third placing wins, or not", f"{game} {option}", "", words, ended=said)
      for game, words in (("three_mens_morris", "a1 a2 b1 b3 c1"), ("roman_mill", "n ne c e s"))
      for option, said in by("win_in_placing", yes="1 three_in_a_row", no="")),
    case("A line that stands from placing must be broken and made again", "roman_mill win_in_placing=no", "",
         "n e c w s sw s-se e-ne se-s", ended="1 three_in_a_row"),
    *(case("Six men's mills protect, or not", f"six_mens_morris {protect}", "a1 c1 +4 | a5 c5 e5 b2 +2", "e1",
           legal=prey) for protect, prey in by("protect", unless_all="xb2", never="xb2 xa5 xc5 xe5")),
    *(case("Six men's morris with five or seven men", f"six_mens_morris men={men}", hands=(men, men)) for men in (5,
           7)),
    *(case("Two mills with one slide where there are diagonals", f"twelve_mens_morris {multi}",
           "b6 g7 d7 a4 a1 | e3 e4 f2 d1", "b6-a7", owed=owed) for multi, owed in by("multi_moving", one=1, each=2)),
    *(case("A full board after 24 placings", f"twelve_mens_morris protect=always {full}", FULL_BUT_ONE, "g1",
           ended=said)
      for full, said in by("board_full", draw="draw board_full", first_loses="2 board_full", stalemate="2 no_moves")),
    *(case("A broken mill is not made again at once", f"morabaraba {ban}", SHOT, "g7-g4xb2 d1-a1", **{then: "g4-g7"})
      for ban, then in by("no_remake", yes="may_not", no="may")),
    case("... but after the next turn", "morabaraba", SHOT, "g7-g4xb2 d1-a1 c3-d3 a1-d1", may="g4-g7"),
    case("... not though the new line was broken by a capture", "morabaraba", f"{SHOT} a1", "g7-g4xd6 a1-a4",
         may_not="g4-g7"),
    *(case("Ten moves without a shot count when one has three, all have, or always", f"morabaraba draw_when={when}",
           stones, "f4-e4", quiet=quiet)
      for when, stones, quiet in (
          ("one_has_three", "a7 d6 f4 | g1 d2 b2 c4", 1), ("one_has_three", "a7 d6 f4 c3 | g1 d2 b2 c4", 0),
          ("all_have_three", "a7 d6 f4 | g1 d2 b2 c4", 0), ("all_have_three", "a7 d6 f4 | g1 d2 b2", 1),
          ("always", "a7 d6 f4 c3 | g1 d2 b2 c4", 1))),
    case("In Lasker's morris a stone is placed or moved", "lasker_morris", "a7 d6 +8 | g1 d2 +8", kinds="Place Slide",
         may="a7-d7 a7-a4 g7"),
    *(case("... and flies with an empty hand", "lasker_morris", f"a7 d6 f4 {hand} | g1 d2 b2 c3", **{then: "a7-c4"})
      for hand, then in (("+1", "may_not"), ("", "may"))),
]  # fmt: skip

OF_THE_ROMAN_MILL = [
    case("Who is blocked may lose instead of waiting", "roman_mill win_in_placing=no stalemate=lose",
         "nw n ne | * w e +1", "c", ended="2 no_moves"),
]  # fmt: skip

OF_MOULIN_ROUGE = [
    *(case("The ring just turned is not turned back, or may be", f"moulin_rouge {lock}", "o1 m3 +8 | i2 o5 +8", "o+",
           **then)
      for lock, then in by("lock", last_turn={"may_not": "o-", "may": "o+ m+ m- i+ i-"}, off={"may": "o- o+"})),
    *(case("Turning needs a stone on the board, or on the ring", f"moulin_rouge {needs}", "o1 +9 | m3 +9", **then)
      for needs, then in by("rotate_needs", board={"may": "o+ i+"}, ring={"may": "o+", "may_not": "i+"})),
    *(case("Nobody turns a ring without a stone", f"moulin_rouge rotate_needs={needs}", "+10 | m3 +9",
           may_not="o+ m+ i+") for needs in ("board", "ring")),
    *(case("A mill that turning fills anew counts, or not", f"moulin_rouge {same}", "o1 m1 i1 o8 +6 | o4 m5 i6 m7 +6",
           "o+",
           owed=owed) for same, owed in by("rotate_same_line", yes=1, no=0)),
    *(case("Two mills by turning take two stones, or one", f"moulin_rouge {multi}",
           "o8 o1 m1 i1 m2 i2 +4 | o4 m5 i6 m7 +6",
           "o+", owed=owed) for multi, owed in by("multi", each=2, one=1)),
    *(case("Stones in mills are always safe", f"moulin_rouge {protect}", "o1 m1 +8 | o5 m5 i5 +7", "i1", **then)
      for protect, then in by("protect", always={"dues": ()}, unless_all={"legal": "xo5 xm5 xi5"})),
    case("Nobody jumps where nobody flies", "moulin_rouge fly=off", "o1 m3 i5 | o2 o4 o6 o8", may_not="o1-i7"),
    *(case("Stones of who is out must, may or do not have to be taken", f"moulin_rouge players=3 {leftover}", OUT,
           "i2-i1",
           owed=owed) for leftover, owed in by("leftover", must=2, may=2, never=1)),
    *(case("... of them one that must, may or cannot follow", f"moulin_rouge players=3 {leftover}",
           OUT.replace("i9", "i9 i12"), "i2-i1xo5", **then)
      for leftover, then in by("leftover", must={"may": "xo7 xm8", "may_not": "x-"}, may={"may": "xo7 xm8 x-"},
                               never={"may_not": "xo7 xm8 x-"})),
    *(case("The last with three wins at once, and what is due lapses", game, stones, words, ended="1 last_with_three")
      for game, stones, words in (
          *((f"moulin_rouge players=3 leftover={word}", OUT, "i2-i1xo5") for word in ("must", "may", "never")),
          ("moulin_rouge", "o8 o1 m1 i1 m2 i2 | o4 m5 i6", "o+xm5"))),
]  # fmt: skip

OF_TRIALECTIC = [
    *(case("Several mills take one stone, or one each", f"trialectic {multi}",
           "a2 a3 a5 a6 +5 | c1 c3 c5 +5 | c2 b5 b6 +5", "a1", owed=owed) for multi, owed in by("multi", one=1,
           each=2)),
    *(case("A capture must be made, or may be left", f"trialectic {capture}", "a1 a2 +5 | c1 c3 c5 +5 | c2 b5 b6 +5",
           "a3",
           **{then: "x-"}) for capture, then in by("capture", must="may_not", may="may")),
    *(case("Only the top stone is taken, or any", f"trialectic {take}", "a1 a2 +5 | c1 +5 | b1/23 c3 +5", "a3",
           legal=prey)
      for take, prey in by("take_from", top="xb1 xc1 xc3", any="xb1.1 xb1.2 xc1.1 xc3.1")),
    case("What lay on it drops", "trialectic take_from=any", "a1 a2 +5 | c1 +5 | b1/23 c3 +5", "a3xb1.1", lies="b1/3"),
    case("A mill that arises by dropping earns nothing", "trialectic take_from=any",
         "a1 a2 b1 b2 b3/21 +4 | c1 +5 | c3 c5 +5", "a3xb3.1", to_move=1, owed=0),
    *(case("Who is blocked among three is out, or skipped", f"trialectic {stalemate}",
           "* a1/111 c4/12 | a2/222 b2 c2 | a6/333 b4", to_move=1, out=out)
      for stalemate, out in by("stalemate", **{"lose": (True, False, False), "pass": (False,) * 3})),
    case("The last two stones may leave the board", "trialectic leftover=remove", CONVERTED, "a4-a3xb1",
         out=(False, True, False), lies="b4/ c5/",
         counts=(4, 0, 4), to_move=2),
]  # fmt: skip

OF_THE_SHELF = [
    *(case("Moved mills take out of mills", game, "a1 a4 d7 f2 | g7 g4 g1 e5", "d7-a7", **then)
      for game, then in (("one_time_mill", {"may": "xg4"}), ("dooz", {"may": "xg4"}),
                         ("dooz protect=unless_all", {"legal": "xe5"}))),
    case("Who lays the last stone with a mill takes first", "six_mens_morris moves_first=second",
         "a5 c5 +1 | b2 c2 d3", "e5", owed=1, removing=False, to_move=0),
    case("... and may win by it", "six_mens_morris moves_first=second", "a5 c5 +1 | b2 c2 d3", "e5xb2",
         ended="1 fewer_than_three"),
    case("Tant fant begins with its stones laid, whoever starts", "tant_fant first=1", to_move=1),
    case("Flying may begin with four stones", "millchen fly_at=4", "a1 a4 b2 c3 | g7 g4 f6 e5 d1", may="a1-d7"),
    case("Three may have lost", "millchen min_stones=4", "a1 a4 d7 f2 | g7 g4 f6 e5", "d7-a7xf6",
         ended="1 fewer_than_three"),
    *(case("Both counters run at once", "millchen draw_plies=30 endgame_plies=4 repetition=0", stones, words, **then)
      for stones, words, then in (
          ("a7 d6 f4 | g1 d2 b2 c4", "f4-e4 c4-c3 e4-f4", {"ended": ""}),
          ("a7 d6 f4 | g1 d2 b2 c4", "f4-e4 c4-c3 e4-f4 c3-c4", {"ended": "draw no_mill"}),
          ("a7 d6 f4 e5 | g1 d2 b2 c4", "f4-e4 c4-c3 e4-f4 c3-c4", {"ended": "", "quiet": 4}))),
]  # fmt: skip

CASES = [
    *OF_ALL_GAMES, *OF_MILLCHEN, *OF_THE_RELATIVES, *OF_THE_ROMAN_MILL, *OF_MOULIN_ROUGE, *OF_TRIALECTIC, *OF_THE_SHELF,
]  # fmt: skip


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case.rule} ({case.game})") for case in CASES])
def test_the_rules_say(case: Case) -> None:
    game = play_words(Game(setup(case.game, case.stones)), case.played)
    for name, wanted in case.then.items():
        if name in CHECKS:
            assert CHECKS[name](game, wanted), (name, wanted, game.outcome, sorted(legal(game.position)))
        else:
            assert getattr(game, name, getattr(game.position, name, None)) == wanted, name
    assert parse_fen(to_fen(game.position), game.variant) == game.position


# ---------------------------------------------------------------- what a game is by default


UNCOUNTED = {"draw_plies": 0, "repetition": 0, "max_turns": 0}
PRESET_TEXTS: dict[str, dict[str, Any]] = {
    "millchen": {"draw_plies": 20, "draw_count": "moving", "repetition": 3, "max_turns": 0, "stalemate": "lose"},
    "nine_mens_morris": {**UNCOUNTED, "stalemate": "lose"},
    "three_mens_morris": {"repetition": 3},
    "morabaraba": {"no_remake": True, "draw_plies": 20, "draw_when": "one_has_three", "board_full": "draw"},
    "lasker_morris": {"stones": (10, 10), "board": find_variant("millchen").board},
    "roman_mill": {"min_stones": 0, "repetition": 0},
    "moulin_rouge": UNCOUNTED,
    "trialectic": {**UNCOUNTED, "first": 0},
}
"""What no game of ``test_oracle`` and no case shows."""


@pytest.mark.parametrize("game", PRESET_TEXTS)
def test_a_preset_is_that_of_its_text(game: str) -> None:
    variant = rules_of(game)
    assert {name: getattr(variant, name) for name in PRESET_TEXTS[game]} == PRESET_TEXTS[game]


def test_who_begins_by_the_rules_and_which_boards_have_diagonals() -> None:
    assert (PRESETS["roman_mill"].begins, PRESETS["moulin_rouge"].begins) == ("youngest", "lot")
    drawn = ("millchen", "twelve_mens_morris", "six_mens_morris", "three_mens_morris")
    assert [PRESETS[game].default("diagonals") for game in drawn] == [False, True, False, True]


@pytest.mark.parametrize(("players", "fewest"), [(2, 7), (3, 11), (4, 14)])
def test_there_are_more_fields_than_stones(players: int, fewest: int) -> None:
    assert len(find_variant("moulin_rouge", players=players, fields=fewest).board.points) == 3 * fewest
    with pytest.raises(ValueError, match="fields"):
        find_variant("moulin_rouge", players=players, fields=fewest - 1)


# ---------------------------------------------------------------- full boards, and what is kept in mind

FULL = ("a7 d7 b6 f6 c5 a4 b4 f4 c3 d2 a1 d1", "g7 d6 d5 e5 c4 e4 g4 d3 e3 b2 f2")
"""Twelve and eleven stones; g1 is free, and the second player has one stone left for it, which closes a mill."""

BOTH = "millchen men=12 placing_mill=nothing board_full=both_remove moves_first=second"


def full(game: str, first_mill: int | None = None) -> Position:
    """The position after the 24th stone."""
    position = setup(game, f"{FULL[0]} | * {FULL[1]} +1")
    return after(position._replace(memory=Memory(first_mill=first_mill)), "g1")


@pytest.mark.parametrize(
    ("game", "first_mill", "order"),
    [
        ("shax first=0 board_full=first_removes", 1, "0x 0"), ("shax board_full=second_removes", 0, "1x 0"),
        ("shax board_full=both_remove", None, "0x1x 0"),
        ("shax board_full=both_remove first=1", 1, "1x0x 1"), (BOTH, None, "0x1x 1"),
    ],
)  # fmt: skip
def test_stones_are_taken_from_a_full_board_in_their_order(game: str, first_mill: int | None, order: str) -> None:
    position, said = full(game, first_mill), ""
    while position.removing:
        said += f"{position.to_move}x"
        assert not position.dues
        position = after(position, str(position.prey[0]))
    assert f"{said} {position.to_move}" == order


def test_a_stone_that_is_taken_from_a_full_board_is_a_turn_of_its_own() -> None:
    position = full("shax", 0)
    assert (position.phase, position.removing, position.owed) == ("capture", True, 0)
    turns = legal_turns(position)
    assert {str(turn) for turn in turns} == legal(position) == {f"x{p}" for p in f"{FULL[1]} g1".split()}
    assert not partial_turns(position)
    assert turns_showing(position, turns[0].after.tops) == (turns[0],)
    told = TurnPlayed(25, 0, turns[0].moves, (), 1.0, 0.0, 0)
    assert sentence(told, "en", ("red", "grey")) == "Red takes the stone on g7."
    assert sentence(told, "de", ("red", "grey")) == "Rot nimmt den Stein auf g7."


def test_fouls_while_a_stone_is_to_be_taken_have_their_names() -> None:
    position = full("shax", 0)
    board, seen = position.board, list(position.tops)
    assert violations(position, parse_move("a7-d7", board)) >= {Foul.CAPTURE_MISSING}
    assert violations(position, parse_move("xa7", board)) == {Foul.CAPTURED_OWN}
    assert rule_on(position, seen).kinds == ("capture_missing",)
    seen[board.index["a7"]] = 0
    assert rule_on(position, seen).kinds[0] == "captured_own"
    seen[board.index["a7"]] = 1
    seen[board.index["g7"]] = seen[board.index["d6"]] = 0
    assert rule_on(position, seen).kinds[0] == "too_many_captures"
    blocked = after(setup("nine_mens_morris stalemate=remove_one", "a1 d7 d6 | * a4 d1 a7 g7 b6 f6 d5 g1 e3"), "e3-e4")
    assert violations(blocked, parse_move("xg1", blocked.board)) == {Foul.NOT_ADJACENT}


def test_what_is_kept_in_mind_stays_when_a_foul_stands_and_in_records() -> None:
    game = Game(full("shax", 1))
    seen = list(game.position.tops)
    seen[0], seen[1] = seen[1], seen[0]
    assert game.play_on(seen).position.memory.first_mill == 1
    game = played("one_time_mill", "a1 g1 a4 g4 a7xg1 d6")
    assert game.position != game.position._replace(memory=Memory()) and "spent:" in to_fen(game.position)
    stood = game.play_on((*game.position.tops[:-1], 2))
    assert stood.position.memory == game.position.memory
    assert from_pgn(to_pgn(GameRecord(stood))) == whole_json(to_json(GameRecord(stood))) == GameRecord(stood)
