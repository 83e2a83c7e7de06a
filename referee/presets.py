"""The named games, as differences from one another.

Source numbers are those of the rule sheets: 000 the cloth board (Tic Tac Toe, Millchen), 001 the Roman mill,
002 nine men's morris, 003 Moulin Rouge, 004 Trialectic. GAR are the Generally Accepted Rules of Morabaraba,
WMD the World Mill Federation. Where a rule text can be read in two ways, the option says so and both are playable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from referee import layouts
from referee.board import Board
from referee.variant import EVERY_GAME, OPTIONS, Shape, Value, Variant, with_option


@dataclass(frozen=True)
class Preset:
    """A named game.

    Attributes
    ----------
    variant : Variant
        The rules when the table chooses nothing.
    title : str
        What people call it.
    offers : mapping from option to source
        What else the table may choose, besides what every game offers, and which source asks for it.
    values : mapping from option to values
        Where only some of an option's values make sense here.
    shapes : mapping from option to function
        Options that change the board or the number of stones.
    """

    variant: Variant
    title: str
    offers: Mapping[str, str]
    values: Mapping[str, tuple[str, ...] | tuple[int, int]] = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, str]:
        """Every option of the game with its source."""
        return {**dict.fromkeys(EVERY_GAME, "common"), **self.offers}

    def default(self, option: str) -> Value:
        """What a table gets that does not choose."""
        if option == "players":
            return self.variant.players
        if option == "men":
            return self.variant.stones[0]
        if option == "fields":
            return len(self.variant.board.rings[0])
        if option == "diagonals":
            return True
        value = getattr(self.variant, OPTIONS[option].fields[0])
        assert isinstance(value, str | int)
        return value


# ---------------------------------------------------------------- options that change board or stones


def _players(variant: Variant, players: int) -> Variant:
    # 003 names no number of holes; four a player gives two players the 24 fields of the usual three-ring cloth
    return replace(variant, board=layouts.moulin_rouge(4 * players), stones=(variant.stones[0],) * players)


def _fields(variant: Variant, fields: int) -> Variant:
    stones = sum(variant.stones)
    # more than one ring could ever need: the number of all fields together was meant
    holes = fields // 3 if fields > stones and fields % 3 == 0 else fields
    if 3 * holes <= stones:
        raise ValueError(f"option 'fields' leaves no free field for {stones} stones, got {fields!r}")
    if holes > stones:
        raise ValueError(f"option 'fields' must be at most {stones} a ring, got {fields!r}")
    return replace(variant, board=layouts.moulin_rouge(holes))


def _diagonals(variant: Variant, wanted: int) -> Variant:
    return replace(variant, board=layouts.THREE_MENS_MORRIS if wanted else layouts.THREE_MENS_MORRIS_PLAIN)


# ---------------------------------------------------------------- the games

_TIC_TAC_TOE = Variant(
    "tic_tac_toe",
    layouts.TIC_TAC_TOE,
    stones=(5, 4),  # 000: nine stones, laid in turns
    slides=False,
    line_wins=True,
    min_stones=0,
)

_NINE = Variant("nine_mens_morris", layouts.NINE_MENS_MORRIS, stones=(9, 9))  # 002: flying is only "a usual variant"

_MILLCHEN = replace(
    _NINE,
    name="millchen",
    fly="own",  # 000: "sofern dieser Spieler nur noch 3 Spielsteine auf dem Spielbrett hat"
    multi_moving="each",  # 000: one stone for every mill, but only one while placing
    repetition=3,  # 000: "3-Mal ... die gleiche Stellung"
    draw_plies=20,  # 000: "nach insgesamt 20 Spielzuegen von keinem der beiden Spieler eine Muehle"
)

_SIX = replace(_NINE, name="six_mens_morris", board=layouts.SIX_MENS_MORRIS, stones=(6, 6))  # 002, Murray

_TWELVE = replace(
    _NINE, name="twelve_mens_morris", board=layouts.TWELVE_MENS_MORRIS, stones=(12, 12), fly="own"
)  # 002; diagonals are mills: Sanmill, Gevay and Danner

_MORABARABA = replace(
    _TWELVE,
    name="morabaraba",
    no_remake=True,  # GAR: not "back to the original junction in his/her next move"
    draw_plies=20,  # GAR: "within ten moves", read as ten moves of each
    draw_when="one_has_three",  # GAR: "if either player has only three cows"
)

_LASKER = replace(_NINE, name="lasker_morris", stones=(10, 10), slide_while_placing=True, fly="own")

_THREE = Variant(
    "three_mens_morris",
    layouts.THREE_MENS_MORRIS,
    stones=(3, 3),
    line_wins=True,
    min_stones=0,
    repetition=3,  # 002 is silent; without it the game need not end
)

_ROMAN = Variant(
    "roman_mill",
    layouts.ROMAN_MILL,
    stones=(3, 3),
    line_wins=True,
    min_stones=0,
    stalemate="pass",  # 001: the other moves on until the first can move again
)

_MOULIN = Variant(
    "moulin_rouge",
    layouts.MOULIN_ROUGE,
    stones=(10, 10),
    fly="own",  # 003: "Wer nur noch 3 Steine besitzt"
    rotates=True,
    protect="always",  # 003: "nicht aus einer Muehle!", without exception
    multi_placing="each",  # 003: two or three mills take two or three stones from everybody
    multi_moving="each",
    each_opponent=True,  # 003: "von jedem seiner Mitspieler"
    leftover="must",  # 003: the last two stones only go one by one, by mills
    last_reason="last_with_three",
    stalemate="pass",
)

_TRIALECTIC = Variant(
    "trialectic",
    layouts.TRIALECTIC,
    stones=(9, 9, 9),
    max_height=3,  # 004: "bis zu 3 Steine ... aufeinander"
    towers=True,
    fly="own",
    protect="always",  # 004: "Steine aus einer Muehle darf er nicht nehmen"
    leftover="convert",  # 004: they belong to who took the third last one
    last_reason="last_with_three",
    stalemate="pass",
)

_MORRIS = {
    "fly": "000, 002",
    "capture": "000",
    "protect": "000, 002, WMD",
    "multi_placing": "000",
    "multi_moving": "000",
    "men": "002",
    "no_remake": "GAR",
    "board_full": "Sanmill",
}

_PRESETS = (
    Preset(_TIC_TAC_TOE, "Tic Tac Toe", {}),
    Preset(_MILLCHEN, "Millchen", _MORRIS),
    Preset(_NINE, "Nine men's morris", _MORRIS),
    Preset(
        _THREE,
        "Three men's morris",
        {"diagonals": "002", "fly": "002", "no_centre_first": "002", "win_in_placing": "002"},
        shapes={"diagonals": _diagonals},
    ),
    Preset(_SIX, "Six men's morris", _MORRIS, {"men": (3, 7)}),
    Preset(_TWELVE, "Twelve men's morris", _MORRIS),
    Preset(_MORABARABA, "Morabaraba", _MORRIS),
    Preset(_LASKER, "Lasker morris", _MORRIS),
    Preset(_ROMAN, "Roman mill", {"win_in_placing": "001", "no_centre_first": "001"}),
    Preset(
        _MOULIN,
        "Moulin Rouge",
        {
            "players": "003",
            "fields": "003",
            "fly": "003",
            "lock": "003",
            "rotate_needs": "003",
            "rotate_same_line": "003",
            "multi": "003",
            "protect": "003",
            "leftover": "003",
        },
        {"leftover": ("must", "may", "never"), "fly": ("off", "own")},
        {"players": _players, "fields": _fields},
    ),
    Preset(
        _TRIALECTIC,
        "Trialectic",
        {
            "fly": "004",
            "capture": "004",
            "multi": "004",
            "protect": "004",
            "take_from": "004",
            "leftover": "004",
        },
        {"leftover": ("convert", "remove"), "fly": ("off", "own")},
    ),
)

PRESETS: dict[str, Preset] = {preset.variant.name: preset for preset in _PRESETS}
"""The games by their names on the command line."""


def find_variant(name: str, /, **options: object) -> Variant:
    """The rules of the game ``name`` with the options that the table chose.

    Raises
    ------
    ValueError
        When the game, an option or a value is unknown; one sentence that names the word.

    Examples
    --------
    >>> find_variant("millchen").fly
    'own'
    >>> find_variant("millchen", fly="both").chosen
    (('fly', 'both'),)
    >>> find_variant("chess")
    Traceback (most recent call last):
    ...
    ValueError: unknown game 'chess'; known are tic_tac_toe, millchen, nine_mens_morris, three_mens_morris, \
six_mens_morris, twelve_mens_morris, morabaraba, lasker_morris, roman_mill, moulin_rouge, trialectic
    """
    if name not in PRESETS:
        raise ValueError(f"unknown game {name!r}; known are {', '.join(PRESETS)}")
    return choose(PRESETS[name], options)


def choose(preset: Preset, options: Mapping[str, object]) -> Variant:
    """The rules of ``preset`` with ``options``, in the order that the options build on one another.

    Raises
    ------
    ValueError
        When an option or a value is unknown.
    """
    known = preset.options
    for word in options:
        if word not in known:
            raise ValueError(f"{preset.variant.name} has no option {word!r}; it has {', '.join(known)}")
    variant = preset.variant
    chosen: list[tuple[str, Value]] = []
    for word, option in OPTIONS.items():  # players before fields before first
        if word not in options:
            continue
        narrowed = replace(option, values=preset.values[word]) if word in preset.values else option
        value = narrowed.read(options[word])
        before = variant
        variant = with_option(variant, word, value, preset.shapes)
        if variant != before:
            chosen.append((word, value))
    return replace(variant, chosen=tuple(chosen)) if chosen else preset.variant


def variants_on(board: Board) -> tuple[str, ...]:
    """Names of the games that are played on ``board``."""
    return tuple(name for name, preset in PRESETS.items() if preset.variant.board.name == board.name)
