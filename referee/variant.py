"""A variant: all rules in which mill games differ, as data.

Each mechanic that only some games need (towers, rings, a third player, stones that change their owner) is a field
with a neutral default, so a new game is a layout and a preset, never a new class. ``OPTIONS`` says what a table may
choose, in words for players, and a ``Preset`` which of them one named game offers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

from languages import DEFAULT_LANGUAGE, catalogue
from referee.board import Board
from referee.moves import ANY_HEIGHT, BoardLookup, lookup_of
from referee.nearest_word import did_you_mean, quoted

Value = str | int | bool
Values = tuple[str, ...] | tuple[int, int] | type[bool]  # words, the least and greatest number, or yes and no


@dataclass(frozen=True)
class Variant:
    """The rules of one game at one table."""

    name: str  # the game's name on the command line
    board: Board  # where it is played
    stones: tuple[int, ...]  # stones of each player, the starter first; as many as there are players
    first: int = 0  # the player who starts
    max_height: int = 1  # stones that a point can hold
    towers: bool = False  # whether a full tower of one owner is a mill
    # slides, slide_while_placing: whether stones move at all, and whether they may before the hand is empty
    slides: bool = True
    slide_while_placing: bool = False
    # by player: points on which stones lie from the start, the others are in the hands; empty where the board is
    start: tuple[tuple[str, ...], ...] = ()
    fly: str = "off"  # fly, fly_at: who may jump (``off``, ``own``, ``both``, ``any``) and with how many stones left
    fly_at: int = 3
    # what a mill brings that a stone from the hand closes: a ``capture``, a stone out of the opponent's ``hand``, an
    # ``extra_turn``, or ``nothing``
    placing_mill: str = "capture"
    stop_placing: str = "all"  # when ``all`` are laid, or with ``two_empty`` points; the rest is set aside
    moves_first: str = "first"  # the ``first`` player moves first, as turns go round, or the ``second``
    # rotates, rotate_needs, rotate_same_line, lock: whether the rings turn; a stone of one's own must be on the
    # ``board`` or on the ``ring``; whether a mill that stood before and is filled anew counts; whether the last turn's
    # ring must not be turned back
    rotates: bool = False
    rotate_needs: str = "board"
    rotate_same_line: bool = True
    lock: str = "last_turn"
    # line_wins, win_in_placing: three in a row wins the game (instead of taking a stone), also by a stone from the hand
    line_wins: bool = False
    win_in_placing: bool = True
    home_wins: bool = True  # whether the line on which one's stones lay at the start is a line like the others
    one_time: bool = False  # whether a line brings each player one capture in the whole game
    mill_while_blocked: bool = True  # whether a mill brings anything while no other player can move
    min_stones: int = 3  # with fewer (board and hand) a player is out; 0 where nothing is captured
    # capture, protect, take_from: ``must`` or ``may``; ``unless_all``, ``always`` or ``never``; ``top`` or ``any``
    # stone of a tower
    capture: str = "must"
    protect: str = "unless_all"
    take_from: str = "top"
    multi_placing: str = "one"  # two mills with one stone take ``one`` stone or one ``each``
    multi_moving: str = "one"
    each_opponent: bool = False  # a mill takes from each opponent instead of from one
    # the last stones of a player who is out: every mill ``must`` or ``may`` take one, ``never``, or they ``convert`` to
    # the captor, or the captor must ``remove`` them at once
    leftover: str = "never"
    last_reason: str = "fewer_than_three"  # the termination when one player is left
    # stalemate, board_full: ``lose``, ``pass``, ``draw``, or ``remove_one``: who cannot move takes a stone that is next
    # to one of his own, and moves; ``draw``, ``first_loses``, ``stalemate``, or who takes a stone then, before the game
    # goes on: ``first_removes``, ``second_removes``, ``both_remove``, ``first_mill_removes`` (who closed the first
    # mill, else the second player; then the other; then the first of the two moves)
    stalemate: str = "lose"
    board_full: str = "draw"
    # no_centre_first, no_centre_placing, no_remake: the first stone must not go to the middle, or none from the hand
    # may; a mill may not be re-made by moving straight back
    no_centre_first: bool = False
    no_centre_placing: bool = False
    no_remake: bool = False
    repetition: int = 0  # the draws, see ``OPTIONS``
    repetition_mode: str = "total"
    repetition_origin: bool = True
    draw_plies: int = 0
    draw_count: str = "moving"
    draw_when: str = "always"
    endgame_plies: int = 0  # as ``draw_plies``, once a player is down to ``fly_at`` stones
    max_turns: int = 0
    chosen: tuple[tuple[str, Value], ...] = ()  # by the table, unlike the named game, in order of option

    def __post_init__(self) -> None:
        room = len(self.board.points) * self.max_height
        if len(self.stones) < 2:
            raise ValueError(f"stones of {self.name!r} must name two players or more, got {self.stones!r}")
        if sum(self.stones) > room:
            raise ValueError(f"{sum(self.stones)} stones are too many for the {room} places of {self.board.name!r}")
        if not 0 <= self.first < len(self.stones):
            raise ValueError(f"first must be below {len(self.stones)}, got {self.first!r}")
        if not 1 <= self.max_height <= ANY_HEIGHT:
            raise ValueError(f"max_height must lie between 1 and {ANY_HEIGHT}, got {self.max_height!r}")

    def __getstate__(self) -> dict[str, object]:
        # the look-up tables are made again where they are needed
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @cached_property
    def players(self) -> int:
        """Number of players."""
        return len(self.stones)

    @cached_property
    def hands(self) -> tuple[int, ...]:
        """Stones that each player starts with, by player."""
        n = self.players
        return tuple(self.stones[(player - self.first) % n] for player in range(n))

    @cached_property
    def rounds(self) -> tuple[tuple[int, ...], ...]:
        """For each player the order of turns that begins with him."""
        everyone = range(len(self.stones))
        return tuple((*everyone[player:], *everyone[:player]) for player in everyone)

    @cached_property
    def counts_every_mill(self) -> bool:
        """Whether each line that is closed counts (``referee.legal.counted``)."""
        return self.home_wins and not self.one_time and self.mill_while_blocked

    @cached_property
    def remembers(self) -> bool:
        """Whether placing, or a mill, changes what a position keeps in mind (``referee.position.Memory``)."""
        plain = self.placing_mill == "capture" and self.stop_placing == "all" and self.moves_first == "first"
        return not plain or self.one_time or self.board_full == "first_mill_removes"

    @cached_property
    def lookup(self) -> BoardLookup:
        """Look-up tables of the board."""
        return lookup_of(self.board)

    @cached_property
    def centre(self) -> int | None:
        """Index of the point in the middle of the board, where there is one."""
        middle = [i for i, (x, y) in enumerate(self.board.xy) if abs(x - 0.5) < 1e-6 and abs(y - 0.5) < 1e-6]
        return middle[0] if middle else None


@dataclass(frozen=True)
class Option:
    """Something that a table may choose."""

    name: str  # the word on the command line, on the page and in records
    values: Values  # what may be chosen

    def read(self, value: object) -> Value:
        """Turn what was typed, or came as JSON, into a value.

        Raises ValueError when it is not one of the values; the sentence names the word.
        """
        word = str(value).strip().lower()
        if self.values is bool:
            if word in _YES or word in _NO:
                return word in _YES
            raise ValueError(f"option {self.name!r} must be true or false, got {quoted(value)}")
        assert isinstance(self.values, tuple)
        if isinstance(self.values[0], str):
            if word in self.values:
                return word
            one_of = f"must be one of {', '.join(map(str, self.values))}, got {quoted(value)}"
            raise ValueError(f"option {self.name!r} {one_of}{did_you_mean(value, self.values)}")
        low, high = self.values
        short = len(word) <= 9  # more digits than any limit has, and than Python turns into a number
        number = int(word) if short and word.isascii() and word.isdigit() else 0 if word in ("off", "false") else None
        if number is None or not int(low) <= number <= int(high):
            raise ValueError(f"option {self.name!r} must be a number from {low} to {high}, got {quoted(value)}")
        return number


_YES = ("true", "yes", "on", "1")
_NO = ("false", "no", "off", "0")


_CHOICES: dict[str, Values] = {
    "players": (2, 6),
    "fields": (7, 180),
    "points": ("13", "9"),
    "men": (3, 12),
    "diagonals": bool,
    "first": (0, 5),
    "fly": ("off", "own", "both", "any"),
    "fly_at": (3, 4),
    "min_stones": (3, 5),
    "placing_mill": ("capture", "hand", "extra_turn", "nothing"),
    "one_time": bool,
    "stop_placing": ("all", "two_empty"),
    "moves_first": ("first", "second"),
    "capture": ("must", "may"),
    "protect": ("unless_all", "always", "never"),
    "multi_placing": ("one", "each"),
    "multi_moving": ("one", "each"),
    "multi": ("one", "each"),
    "take_from": ("top", "any"),
    "leftover": ("must", "may", "never", "convert", "remove"),
    "lock": ("last_turn", "off"),
    "rotate_needs": ("board", "ring"),
    "rotate_same_line": bool,
    "win_in_placing": bool,
    "no_centre_first": bool,
    "no_centre_placing": bool,
    "no_remake": bool,
    "stalemate": ("lose", "pass", "draw", "remove_one"),
    "board_full": (
        "draw", "first_loses", "stalemate", "first_removes", "second_removes", "both_remove", "first_mill_removes",
    ),
    "repetition": (0, 99),
    "repetition_mode": ("total", "consecutive"),
    "repetition_origin": bool,
    "draw_plies": (0, 999),
    "draw_count": ("moving", "all"),
    "draw_when": ("always", "one_has_three", "all_have_three"),
    "endgame_plies": (0, 999),
    "max_turns": (0, 9999),
}  # fmt: skip
OPTIONS: dict[str, Option] = {name: Option(name, values) for name, values in _CHOICES.items()}
"""Each sets the field of its name, unless ``FIELDS_OF`` or a shape of the game says otherwise."""

FIELDS_OF = {"multi": ("multi_placing", "multi_moving")}

EVERY_GAME = (
    "first",
    "repetition",
    "repetition_mode",
    "repetition_origin",
    "draw_plies",
    "draw_count",
    "draw_when",
    "max_turns",
    "stalemate",
)
"""Options that each game has."""

Shape = Callable[[Variant, int], Variant]  # how an option changes the board or the stones


@dataclass(frozen=True)
class Preset:
    """A named game.

    Raises ValueError when there are rings, but not both ``board_with_holes`` and the option "fields", or names but no
    English one.
    """

    variant: Variant  # the rules when the table chooses nothing
    # what else the table may choose, besides what every game offers, and which source asks for it
    offers: Mapping[str, str] = field(default_factory=dict)
    # where only some of an option's values make sense here
    values: Mapping[str, tuple[str, ...] | tuple[int, int]] = field(default_factory=dict)
    shapes: Mapping[str, Shape] = field(default_factory=dict)  # options that change the board or the number of stones
    # what people call it; empty where each ``page.json`` in ``languages/`` has its name
    names: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)  # what is said before its rules; may be empty
    begins: str = ""  # by the rules: the ``youngest``, or whom the ``lot`` names; empty where they are silent
    # the board with a number of holes a ring; of games on turning discs
    board_with_holes: Callable[[int], Board] | None = None

    def __post_init__(self) -> None:
        name = self.variant.name
        if self.variant.board.rings and (self.board_with_holes is None or "fields" not in self.offers):
            raise ValueError(f"{name!r} is played on rings: it needs board_with_holes and must offer 'fields'")
        for what, texts in (("names", self.names), ("about", self.about)):
            if texts and DEFAULT_LANGUAGE not in texts:
                raise ValueError(f"{what} of {name!r} must have a text for {DEFAULT_LANGUAGE!r}, got {list(texts)}")

    @property
    def options(self) -> dict[str, str]:
        """Every option of the game with its source."""
        return {**dict.fromkeys(EVERY_GAME, "common"), **self.offers}

    def values_of(self, option: str) -> Values:
        """What may be chosen for an option in this game."""
        values = self.values.get(option, OPTIONS[option].values)
        if option == "first" and "players" not in self.offers:
            return 0, self.variant.players - 1
        if option == "stalemate" and (self.variant.line_wins or self.variant.each_opponent or self.variant.players > 2):
            return "lose", "pass", "draw"
        return values

    def default(self, option: str) -> Value:
        """What a table gets that does not choose."""
        if option == "players":
            return self.variant.players
        if option == "men":
            return self.variant.stones[0]
        if option == "fields":
            return len(self.variant.board.rings[0])
        if option == "points":
            return str(len(self.variant.board.points))
        if option == "diagonals":
            places = [(self.variant.board.xy[a], self.variant.board.xy[b]) for a, b in self.variant.board.edges]
            return any(abs(x - u) > 1e-6 and abs(y - v) > 1e-6 for (x, y), (u, v) in places)
        value = getattr(self.variant, FIELDS_OF.get(option, (option,))[0])
        assert isinstance(value, str | int)
        return value

    def with_option(self, variant: Variant, name: str, value: Value) -> Variant:
        """``variant`` with one more option chosen; ``shapes`` does those that no single field holds."""
        if name in self.shapes:
            return self.shapes[name](variant, int(value))
        if name == "fields" and self.board_with_holes is not None:
            return _with_hole_count(variant, int(value), self.board_with_holes)
        if name == "men":
            return replace(variant, stones=(int(value),) * variant.players)
        changes: dict[str, Value] = dict.fromkeys(FIELDS_OF.get(name, (name,)), value)
        return replace(variant, **changes)  # type: ignore[arg-type]  # the option has checked the value

    def name_in(self, language: str) -> str:
        """What ``languages/`` calls it, else its own name in the language, else its own English one; else empty."""
        name: str = catalogue(language, "page").get(f"game.{self.variant.name}", "")
        return name or self.names.get(language) or self.names.get(DEFAULT_LANGUAGE, "")

    def about_in(self, language: str) -> str:
        """What is said before its rules, in a language or else in English; may be empty."""
        return self.about.get(language) or self.about.get(DEFAULT_LANGUAGE, "")


def _with_hole_count(variant: Variant, fields: int, board_with_holes: Callable[[int], Board]) -> Variant:
    stones = sum(variant.stones)
    # more than one ring could ever need: the number of all fields together was meant
    holes = fields // 3 if fields > stones and fields % 3 == 0 else fields
    if 3 * holes <= stones:
        raise ValueError(f"option 'fields' leaves no free field for {stones} stones, got {fields!r}")
    if holes > stones:
        raise ValueError(f"option 'fields' must be at most {stones} a ring, got {fields!r}")
    return replace(variant, board=board_with_holes(holes))
