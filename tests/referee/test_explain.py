"""The rules in words and the boards as pictures."""

import re

import pytest

from languages import LANGUAGES, catalogue
from referee.boards import BOARDS
from referee.drawing import board_text
from referee.explain import options_text, rules_text
from referee.presets import PRESETS, find_variant
from referee.variant import EVERY_GAME


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", PRESETS)
def test_choosing_an_option_changes_what_is_said(game: str, language: str) -> None:
    preset = PRESETS[game]
    plain = rules_text(preset.variant, language)
    assert "{" not in plain and all(line.endswith(".") for line in plain.splitlines()[2:])
    for name in preset.options:
        values = preset.values_of(name)
        if isinstance(values, tuple) and isinstance(values[0], str):
            for value in values:
                variant = find_variant(game, **{name: value})
                text = rules_text(variant, language)
                assert (text == plain) is (variant == preset.variant)
                assert not re.search(rf"_|=|\b{name}: {value}", text), "the words of the page, not those of the command"


def keys_of(game: str, **options: object) -> list[str]:
    """The sentences of ``rules.json`` that are told of a game, one for each line."""
    variant = find_variant(game, **options)
    told = {
        language: [_key_of(line, language) for line in rules_text(variant, language).splitlines()[2:]]
        for language in LANGUAGES
    }
    assert len(set(map(tuple, told.values()))) == 1, "the same is told in every language"
    return told["en"]


def _key_of(line: str, language: str) -> str:
    """The sentence that a line is; one without slots where two would fit."""
    rules = catalogue(language, "rules")["rules"]
    fitting = [key for key, text in rules.items() if text == line]
    slot = r"\\\{\w+\\\}"
    fitting = fitting or [key for key, text in rules.items() if re.fullmatch(re.sub(slot, ".+", re.escape(text)), line)]
    assert len(fitting) == 1, (line, fitting)
    return str(fitting[0])


def test_the_roman_mill_names_the_middle_the_youngest_and_that_nobody_passes_or_jumps() -> None:
    told = keys_of("roman_mill")
    assert {"first_youngest", "through_centre", "must_move_centre", "fly_off", "wins", "stalemate_pass"} <= set(told)
    assert "first" in keys_of("roman_mill", first=1), "the table has named somebody else"


def test_trialectic_jumps_onto_stacks_and_counts_covered_stones() -> None:
    told = keys_of("trialectic")
    assert {"fly_own_towers", "mill_towers", "must_choose", "place_towers", "move_towers", "take_top"} <= set(told)
    assert "fewer than three stones" in catalogue("en", "rules")["rules"]["fly_own_towers"]
    assert "covered stones count" in catalogue("en", "rules")["rules"]["mill_towers"]
    assert {"stalemate_out", "may_choose"} <= set(keys_of("trialectic", stalemate="lose", capture="may"))


def test_moulin_rouge_tells_what_its_mills_are_who_pays_and_what_turning_does() -> None:
    told = keys_of("moulin_rouge", players=3)
    assert {"first_lot", "move_rings", "mill_rings", "turned_mills", "turned_mills_of_others", "must_each"} <= set(told)
    assert {"multi_each_of_each", "too_few_unprotected", "leftover_must", "rotate_board", "lock"} <= set(told)
    assert "multi_one" in keys_of("moulin_rouge", multi="one")


def test_which_lines_count_is_told_where_one_could_think_otherwise() -> None:
    assert "diagonals" in keys_of("tic_tac_toe")
    assert "diagonals" in keys_of("twelve_mens_morris")
    assert "diagonals_not" in keys_of("three_mens_morris", diagonals=False)
    for name in ("nine_mens_morris", "moulin_rouge", "trialectic", "roman_mill"):
        assert not {"diagonals", "diagonals_not"} & set(keys_of(name))


@pytest.mark.parametrize("game", PRESETS)
def test_every_sentence_is_told_in_every_language(game: str) -> None:
    assert keys_of(game)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", PRESETS)
def test_the_options_are_listed_with_default_and_source(game: str, language: str) -> None:
    text = options_text(PRESETS[game], language)
    idle = set() if PRESETS[game].variant.slides else set(EVERY_GAME) - {"first"}
    for name in PRESETS[game].options.keys() - idle:
        assert f"{name} = " in text
        values = PRESETS[game].values_of(name)
        has_words = isinstance(values, tuple) and isinstance(values[0], str)
        told = [f"{value} = " for value in values] if has_words else [catalogue(language, "rules")["options"][name]]  # type: ignore[union-attr]
        assert all(one in text for one in told), name


@pytest.mark.parametrize("board", BOARDS.values(), ids=list(BOARDS))
def test_every_board_is_drawn_in_characters(board) -> None:  # type: ignore[no-untyped-def]
    text = board_text(board)
    assert all(name in text for name in board.points)
