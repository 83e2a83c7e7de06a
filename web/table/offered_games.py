"""The games that the page offers, and the options that a table may choose for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from languages import DEFAULT_LANGUAGE, catalogue
from referee.presets import PRESETS, find_variant
from referee.variant import Preset, Variant
from web.errors import MillchenError
from web.table.source_names import demo_games

DETECTED_OPTIONS = ("fields",)  # options that nobody chooses: vision detects them on the board that it finds


@dataclass(frozen=True, slots=True)
class GameOption:
    """An option that a table may choose; catalogues have it as ``option.NAME``, its values as ``option.NAME.VALUE``."""

    name: str
    values: tuple[str, ...]  # of numbers the least and the greatest
    default: str
    kind: str  # "words", "numbers" or "yes_no"


@dataclass(frozen=True, slots=True)
class OfferedGame:
    """A game that the page offers."""

    name: str
    board: str
    players: int
    choices: tuple[GameOption, ...] = ()
    demo: bool = False  # whether there is a bundled clip
    story: bool = False  # whether it is told where it comes from

    def to_json(self, language: str) -> dict[str, Any]:
        """Return the game for the page in a language."""
        helps = catalogue(language, "rules")["options"]
        return asdict(self) | {"choices": [asdict(one) | {"help": helps[one.name]} for one in self.choices]}


def _game_option(preset: Preset, name: str) -> GameOption:
    values = preset.values_of(name)
    default = str(preset.default(name)).lower()
    if not isinstance(values, tuple):
        return GameOption(name, ("true", "false"), default, "yes_no")
    kind = "words" if isinstance(values[0], str) else "numbers"
    return GameOption(name, tuple(map(str, values)), default, kind)


def has_story(game: str) -> bool:
    """Return whether it is told where a game comes from."""
    return game in PRESETS and game in catalogue(DEFAULT_LANGUAGE, "story")["told"]


OFFERED_GAMES = tuple(
    OfferedGame(
        name,
        preset.variant.board.name,
        preset.variant.players,
        tuple(_game_option(preset, option) for option in preset.offers if option not in DETECTED_OPTIONS),
        name in demo_games(),
        has_story(name),
    )
    for name, preset in PRESETS.items()
)


def check_game(game: str, options: Mapping[str, Any]) -> Variant:
    """Return the rules that were chosen; refuse a game or an option that is not known."""
    try:
        return find_variant(game, **options)
    except (ValueError, TypeError) as why:
        raise MillchenError(str(why)) from why
