"""The rules in words and the boards as pictures."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from languages import LANGUAGES, catalogue
from referee.boards import BOARDS
from referee.drawing import board_svg, board_text
from referee.explain import options_text, rules_text
from referee.position import Position
from referee.presets import PRESETS, find_variant


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_languages_have_all_sentences(language: str) -> None:
    assert set(catalogue(language, "rules")["rules"]) == set(catalogue("en", "rules")["rules"])
    without_own_names = {name for name, preset in PRESETS.items() if not preset.names}
    assert set(catalogue(language, "rules")["titles"]) == without_own_names


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", PRESETS)
def test_every_game_is_explained_in_every_language(game: str, language: str) -> None:
    text = rules_text(find_variant(game), language)
    assert "{" not in text
    assert all(line.endswith(".") for line in text.splitlines()[2:])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", PRESETS)
def test_choosing_an_option_changes_what_is_said(game: str, language: str) -> None:
    preset = PRESETS[game]
    plain = rules_text(preset.variant, language)
    for name in preset.options:
        values = preset.values_of(name)
        if isinstance(values, tuple) and isinstance(values[0], str):
            for value in values:
                variant = find_variant(game, **{name: value})
                assert (rules_text(variant, language) == plain) is (variant == preset.variant)


@pytest.mark.parametrize("game", PRESETS)
def test_the_options_are_listed_with_default_and_source(game: str) -> None:
    text = options_text(PRESETS[game])
    for name in PRESETS[game].options:
        assert f"{name} = " in text


@pytest.mark.parametrize("board", BOARDS.values(), ids=list(BOARDS))
def test_every_board_is_drawn(board) -> None:  # type: ignore[no-untyped-def]
    root = ElementTree.fromstring(board_svg(board))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == list(board.points)
    text = board_text(board)
    assert all(name in text for name in board.points)


def test_stones_are_drawn_with_their_towers() -> None:
    variant = find_variant("trialectic")
    position = Position.set_up(variant, {"a1": [0, 1, 2], "b4": [1]})
    root = ElementTree.fromstring(board_svg(variant.board, position, ("#111", "#222", "#333"), names=False))
    fills = [element.get("fill") for element in root.iter("{http://www.w3.org/2000/svg}circle")]
    assert [fill for fill in fills if fill in ("#111", "#222", "#333")] == ["#111", "#222", "#333", "#222"]
    assert "OX#" in board_text(variant.board, position)


def test_an_unknown_language_is_named() -> None:
    with pytest.raises(ValueError, match="'tlh'"):
        rules_text(find_variant("millchen"), "tlh")
