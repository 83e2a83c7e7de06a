"""A game and a language that nobody knows: one file, one folder, and everything plays the one and speaks the other.

The worked example of CONTRIBUTING.md is put into a copy of the package, which stands before the real one on the path.
The language "xx" is English with "xx " before every text. No other file of Millchen changes.
"""

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from languages import LANGUAGES
from referee.announce import sentence
from referee.board import Board
from referee.boards import boards_by_name
from referee.drawing import board_text
from referee.endings import Termination
from referee.events import TurnPlayed
from referee.explain import options_text, rules_text
from referee.fen import parse_fen, to_fen
from referee.game import Game
from referee.layouts import STANDARD_BOARDS, THREE_MENS_MORRIS, THREE_MENS_MORRIS_PLAIN, moulin_rouge
from referee.position import Position
from referee.presets import find_variant, presets_by_name
from referee.record import GameRecord, to_pgn
from referee.rulings import rule_on
from referee.standard_games import STANDARD_GAMES
from referee.turns import legal_turns
from referee.variant import Preset
from tests.languages.test_catalogues import PARTS
from tests.process import ROOT, copy_of, printed
from tests.referee.whole_games import from_pgn
from tests.synthetic import Scene, Truth, random_spec, stacks_of
from vision.imaging.cv import encoded
from web.drawing.position_svg import empty_board_svg

pytestmark = pytest.mark.film

BEES = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL)[0]
SPACE: dict[str, Any] = {"__name__": "bee_morris"}
exec(BEES, SPACE)
BEE: Preset = SPACE["GAME"]
DISCS = """
from dataclasses import replace

from referee.layouts import moulin_rouge
from referee.standard_games import MOULIN_ROUGE_RULES
from referee.variant import Preset


def discs(n_holes):
    return replace(moulin_rouge(n_holes), name="short_discs")


GAME = Preset(
    replace(MOULIN_ROUGE_RULES, name="short_discs", board=discs(6), stones=(6, 6)),
    {"fields": "made up"},
    names={"en": "Short discs"},
    board_with_holes=discs,
)
"""
MOVES = ["a2", "b3", "c2", "d1", "d3", "e2", "a2-b1"]
TOPS = [1, 2, 0, 2, 0, 1, 1]


def test_a_new_game_is_played_recorded_ruled_and_told() -> None:
    variant, rng, ends = BEE.variant, random.Random(2), set()
    for _ in range(20):
        game = Game.start(variant)
        while game.outcome is None and game.ply < 300:
            game = game.play_turn(rng.choice(legal_turns(game.position)))
            assert parse_fen(to_fen(game.position), variant) == game.position
        ends.add(game.outcome.termination if game.outcome else None)
        assert from_pgn(to_pgn(GameRecord(game)), variant) == GameRecord(game)
    assert Termination.THREE_IN_A_ROW in ends
    ruling = rule_on(Position.start(variant), [1, 1] + [0] * (len(variant.board.points) - 2))
    assert ruling.kinds == ("two_moves",)
    last = game.turns[-1]
    assert sentence(TurnPlayed(game.ply, last.player, last.moves, last.mills, 1.0, 0.0, 0), "lb")
    assert rules_text(variant, "fr") and "win_in_placing" in options_text(BEE)
    assert empty_board_svg(variant.board).endswith("</svg>\n") and board_text(variant.board)


@pytest.fixture(scope="module")
def photograph(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Truth]:
    """A table with the new board, drawn by a program, and what lies where."""
    rng = np.random.default_rng(2)
    scene = Scene(random_spec(rng, BEE.variant.board, hardness=0.3, size_px=(640, 480)))
    bgr, truth = scene.render(stacks_of(TOPS), rng=rng)
    path = tmp_path_factory.mktemp("pictures") / "table.png"
    path.write_bytes(encoded(bgr, ".png"))
    return path, truth


@pytest.fixture(scope="module")
def known(photograph: tuple[Path, Truth], tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What a Millchen with two more games and a language says, one after the other; see ``telling``."""
    folder = tmp_path_factory.mktemp("path")
    games = copy_of("referee", folder) / "games"
    (games / "bee_morris.py").write_text(BEES, encoding="utf-8")
    (games / "short_discs.py").write_text(DISCS, encoding="utf-8")
    played = json.dumps({"game": "bee_morris", "moves": MOVES}) + "\n"
    new = copy_of("languages", folder) / "xx"
    new.mkdir()
    for part in PARTS:
        english = json.loads((new.parent / "en" / f"{part}.json").read_text(encoding="utf-8"))
        (new / f"{part}.json").write_text(json.dumps(marked(english)), encoding="utf-8")
    about = {"name": "Exxish", "order": 3, "voice": "xx", "locales": ["xx", "en"], "grammar": [[" on ", " on-"]]}
    (new / "language.json").write_text(json.dumps(about), encoding="utf-8")
    told = printed(folder, "tests.referee.telling", "bee_morris", str(photograph[0]), "xx", given=played).splitlines()
    return [*map(json.loads, told[:5]), {"rules": told[5:]}]


def marked(data: Any) -> Any:
    """The same data with "xx " before every text."""
    if isinstance(data, str):
        return f"xx {data}"
    if isinstance(data, list):
        return [marked(value) for value in data]
    return {key: marked(value) for key, value in data.items()}


def test_a_game_file_is_judged(known: list[dict[str, Any]]) -> None:
    states = known[0]["states"]
    assert sorted(states[0]["legal"]) == ["a2", "b1", "b3", "d1", "d3", "e2"]  # not the middle
    assert (states[-1]["after"], states[-1]["winner"], states[-1]["reason"]) == ("a2-b1", 1, "three_in_a_row")


def test_a_game_file_is_listed_behind_the_others(known: list[dict[str, Any]]) -> None:
    standard = {"games": [game.variant.name for game in STANDARD_GAMES], "boards": [b.name for b in STANDARD_BOARDS]}
    for listed, before in standard.items():
        names = known[1][listed]
        assert names[: len(before)] == before
        assert {"bee_morris", "short_discs"} <= set(names[len(before) :])


def test_a_game_file_is_offered_in_every_language(known: list[dict[str, Any]]) -> None:
    told = known[1]
    for language, name in BEE.names.items():
        assert told["names"][language] == told["rules"][language][0] == name
        page = told["pages"][language]
        assert 'value="bee_morris"' in page and f"<span>{name}</span>" in page and "<span>Short discs</span>" in page


def test_a_game_file_brings_a_sentence_of_its_own(known: list[dict[str, Any]]) -> None:
    rules = known[1]["rules"]
    assert [rules[language][2] for language in ("de", "en")] == [
        "Die Mitte gehört der Königin.", "The middle belongs to the queen.",
    ]  # fmt: skip
    assert rules["fr"][2] == rules["en"][2]
    assert known[1]["rules of the page"] == rules["de"][2:]


def test_the_board_of_a_game_file_is_drawn_and_played_on(known: list[dict[str, Any]]) -> None:
    assert known[1]["picture"].count("<path") > 9
    assert known[1]["placed"] == 200


def test_the_board_of_a_game_file_is_found_by_name(known: list[dict[str, Any]], photograph: tuple[Path, Truth]) -> None:
    seen, truth = known[3], photograph[1]
    assert seen["board"] == "bee_morris" and seen["confidence"] > 0.9
    found_px = np.array([(point["x"], point["y"]) for point in seen["points"].values()])
    apart_px = np.linalg.norm(found_px[:, None] - truth.points_px[None], axis=2)
    assert apart_px.min(axis=0).max() < 5  # two fifths of the radius of a stone; most errors of the fit lie below 2.5
    stones = [point["stone"] for point in seen["points"].values()]
    at_point = [stones[int(apart_px[:, i].argmin())] for i in range(len(TOPS))]
    groups = {1: {stone for stone, top in zip(at_point, TOPS, strict=True) if top == 1}}
    groups |= {2: {stone for stone, top in zip(at_point, TOPS, strict=True) if top == 2}}
    assert [stone is None for stone in at_point] == [top == 0 for top in TOPS]
    assert len(groups[1]) == len(groups[2]) == 1 and groups[1] != groups[2]


def test_the_discs_of_a_game_file_may_have_any_number_of_holes(known: list[dict[str, Any]]) -> None:
    told = known[2]
    assert told["family"] == list(range(6, 25))
    assert told["looked for"] == [["short_discs", n] for n in range(6, 17)]
    assert told["found"] == ["short_discs", "short_discs", 9]


def test_a_language_stands_in_the_menu_where_it_wants_to(known: list[dict[str, Any]]) -> None:
    menu = list(known[4]["languages"])
    assert set(menu) == {*LANGUAGES, "xx"}
    assert menu.index("fr") < menu.index("xx") < menu.index("en")  # its order is 3, as is that of French
    assert known[4]["languages"]["xx"] == "Exxish"


def test_everything_speaks_a_language_with_its_own_grammar(known: list[dict[str, Any]]) -> None:
    told = known[4]
    assert told["turn"] == "xx Red xx places on-d6."
    assert told["heard"] == "xx Player 1 xx places on-xx Delta 6."
    assert known[5]["rules"][0] == "xx Millchen" and known[5]["rules"][2].startswith("xx 2 players, ")
    for word in ('<html lang="xx"', 'title="Exxish"', ">xx Games played<"):
        assert word in told["page"]
    assert told["refused command"] == "xx nothing has been played that could be taken back"
    assert told["error"] == (
        "xx the board is cut off xx at the left: about xx a fifth of it is missing; "
        "move the camera back or xx to the left"
    )


def test_two_games_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two games of the name 'bee_morris'"):
        presets_by_name([BEE, replace(BEE)])


@pytest.mark.parametrize("board", [replace(BEE.variant.board, name="elsewhere"), THREE_MENS_MORRIS_PLAIN])
def test_a_board_that_is_not_named_after_its_game_is_refused(board: Board) -> None:
    game = replace(BEE, variant=replace(BEE.variant, board=board))
    with pytest.raises(ValueError, match="the board of 'bee_morris' needs a name of its own"):
        boards_by_name([THREE_MENS_MORRIS], [game])


def test_rings_need_a_way_to_count_their_holes() -> None:
    with pytest.raises(ValueError, match="needs board_with_holes and must offer 'fields'"):
        Preset(find_variant("moulin_rouge"), {"fields": "003"})
    with pytest.raises(ValueError, match="needs board_with_holes and must offer 'fields'"):
        Preset(find_variant("moulin_rouge"), board_with_holes=moulin_rouge)


def test_names_need_an_english_one() -> None:
    with pytest.raises(ValueError, match="names of 'bee_morris' must have a text for 'en'"):
        replace(BEE, names={"de": "Picaria"})
