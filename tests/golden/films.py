"""What is drawn for the golden replay: short films and photographs of every board, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.synthetic.spec import Discs

SMALL_PX, LARGE_PX = (640, 360), (960, 540)
"""Width and height of the pictures."""


@dataclass(frozen=True)
class Film:
    """A film of a game on a random table, or a video of this repository.

    Attributes:
        n_turns: So many turns are played at most.
        fouls, accidents: Before which turn (1 first) what happens.
        script: Further words of the script: ``off_step``, ``turning`` ...
        hardness: 0 a careful painter under a good camera, 1 a dim and crooked table.
        discs: What turning discs are made of.
        dark: Frames from the first to before the second show nothing but black.
        begin_after: So many turns have been played when watching begins; the referee is told of them.
        pictures: Only the last frame of every rest is shown, as a photograph of its own.
        corners: A person points at the four corners in the first frame instead of having the board searched for.
        lens: The camera's lens is known and bends a little.
        said: What the players say before a frame: "take_back", "play_on" or "correct" (the first stone is not there).
        video: A video of this repository instead of a drawn film, from its root.
    """

    name: str
    game: str
    seed: int = 0
    n_turns: int = 7
    fouls: Mapping[int, str] = field(default_factory=dict)
    accidents: Mapping[int, str] = field(default_factory=dict)
    script: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    hardness: float = 0.3
    discs: Discs = "grainy"
    size_px: tuple[int, int] = SMALL_PX
    dark: tuple[int, int] = (0, 0)
    begin_after: int = 0
    pictures: bool = False
    corners: bool = False
    lens: bool = False
    said: Mapping[int, str] = field(default_factory=dict)
    video: str = ""
    quick: bool = False


@dataclass(frozen=True)
class Photograph:
    """A photograph of a random table.

    Attributes:
        board: Name of the board, or of a kind of thing that is no board.
        stones: Share of the points that are occupied.
        empty: The same table without stones is given, too.
        told: The kind of board is told to the reader.
        fields: Holes of a ring of turning discs.
    """

    name: str
    board: str
    seed: int = 0
    stones: float = 0.4
    hardness: float = 0.3
    empty: bool = False
    told: bool = False
    fields: int = 8
    is_board: bool = True
    size_px: tuple[int, int] = LARGE_PX
    quick: bool = False


DISCS = {"off_step": 0.12, "turning": 0.6, "rest_s": 0.8}
TOWERS = {"rest_s": 0.8, "end_s": 1.0}

FILMS = (
    Film("tic_tac_toe_short", "tic_tac_toe", 1, 1, size_px=(480, 270), hardness=0.1, quick=True),
    Film("nine_push_and_knock", "millchen", 1, 8, accidents={3: "nudge", 6: "bump"}, quick=True),
    Film("nine_lamps", "millchen", 2, accidents={3: "light", 6: "light"}),
    Film("nine_fouls", "millchen", 3, fouls={4: "two_moves", 6: "any"}, hardness=0.4),
    Film("nine_played_on", "millchen", 4, fouls={4: "wrong_player"}, said={90: "play_on"}),
    Film("nine_corrected", "millchen", 5, said={60: "take_back", 100: "correct"}),
    Film("nine_covered", "millchen", 6, dark=(0, 20), lens=True, quick=True),
    Film("nine_lost", "millchen", 7, 10, dark=(60, 110)),
    Film("nine_resumed", "millchen", 8, 9, begin_after=4, hardness=0.5),
    Film("nine_photographs", "millchen", 9, 10, accidents=dict.fromkeys(range(2, 11), "bump"), pictures=True),
    Film("nine_corners", "millchen", 10, 6, corners=True),
    Film("six_fouls", "six_mens_morris", 11, 8, fouls={5: "any", 7: "any"}, accidents={4: "nudge"}, quick=True),
    Film("twelve_light", "twelve_mens_morris", 12, 8, fouls={5: "two_moves"}, accidents={7: "light"}, quick=True),
    Film("three_mens_morris", "three_mens_morris", 13, 10, fouls={8: "any"}, accidents={5: "bump"}, quick=True),
    Film("tic_tac_toe", "tic_tac_toe", 14, 9, fouls={4: "any"}, accidents={3: "nudge"}),
    Film("roman_mill", "roman_mill", 15, 10, fouls={4: "any"}, accidents={5: "light"}, quick=True),
    Film("moulin_eight_holes", "moulin_rouge", 16, 8, script=DISCS, discs="marked", quick=True),
    Film(
        "moulin_three_players",
        "moulin_rouge",
        18,
        9,
        {6: "any"},
        script={**DISCS, "step_s": (0.0, 0.0)},
        options={"players": 3, "fields": 12},
        size_px=LARGE_PX,
    ),
    Film("trialectic", "trialectic", 19, 8, script=TOWERS, accidents={5: "nudge"}, size_px=LARGE_PX, quick=True),
    Film("trialectic_fouls", "trialectic", 20, 9, {4: "any", 7: "two_moves"}, script=TOWERS),
    Film("demo_nine", "millchen", video="web/demo/millchen.mp4"),
    Film("demo_moulin", "moulin_rouge", video="web/demo/moulin_rouge.mp4"),
    Film("demo_trialectic", "trialectic", video="web/demo/trialectic.mp4"),
)

PHOTOGRAPHS = (
    Photograph("tic_tac_toe_told", "tic_tac_toe", 31, told=True, size_px=(480, 270), quick=True),
    Photograph("nine_cold", "nine_mens_morris", 32, quick=True),
    Photograph("nine_empty", "nine_mens_morris", 33, empty=True, quick=True),
    Photograph("nine_hard", "nine_mens_morris", 34, hardness=0.7),
    Photograph("nine_bare", "nine_mens_morris", 35, stones=0.0),
    Photograph("six_cold", "six_mens_morris", 36, quick=True),
    Photograph("six_empty", "six_mens_morris", 37, empty=True),
    Photograph("twelve_cold", "twelve_mens_morris", 38, quick=True),
    Photograph("three_cold", "three_mens_morris", 39),
    Photograph("three_told", "three_mens_morris", 40, told=True, quick=True),
    Photograph("tic_tac_toe_cold", "tic_tac_toe", 41),
    Photograph("roman_cold", "roman_mill", 42, quick=True),
    Photograph("roman_empty", "roman_mill", 43, empty=True),
    Photograph("moulin_cold", "moulin_rouge", 44, quick=True),
    Photograph("moulin_twelve_told", "moulin_rouge", 45, told=True, fields=12),
    Photograph("moulin_empty", "moulin_rouge", 46, empty=True),
    Photograph("trialectic_cold", "trialectic", 48, quick=True),
    Photograph("trialectic_empty", "trialectic", 48, empty=True, quick=True),
    Photograph("go_is_no_board", "go", 49, is_board=False, quick=True),
    Photograph("tiles_are_no_board", "tiles", 50, is_board=False),
    Photograph("keyboard_is_no_board", "keyboard", 51, is_board=False),
)

SHORT_FILM, SHORT_PHOTOGRAPH = FILMS[0].name, PHOTOGRAPHS[0].name
"""What the test compares."""
