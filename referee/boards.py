"""All boards by name, standard ones and those of game files; and the order in which a camera looks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from referee.board import Board
from referee.layouts import STANDARD_BOARDS
from referee.presets import PRESETS
from referee.variant import Preset, Variant

HOLE_COUNTS = range(6, 25)  # holes a ring that turning discs may have: four a player are usual, up to six people play
FEW_HOLES = 16  # most holes a ring for up to four players; more are small and close, and looked for last


def boards_by_name(standard: Iterable[Board], presets: Iterable[Preset]) -> dict[str, Board]:
    """Standard boards, then those of games that bring their own, by their names.

    The page calls a board by the name of a game. Raises ValueError when a game brings another board of a known name, or
    one that is not named like a game.
    """
    presets = tuple(presets)
    boards = {board.name: board for board in standard}
    games = {preset.variant.name for preset in presets}
    for preset in presets:
        board = preset.variant.board
        if boards.setdefault(board.name, board) != board or board.name not in games:
            raise ValueError(
                f"the board of {preset.variant.name!r} needs a name of its own, as {preset.variant.name!r}"
            )
    return boards


# the boards by their names on the command line, in the order in which a picture is searched for them
BOARDS: dict[str, Board] = boards_by_name(STANDARD_BOARDS, PRESETS.values())

BOARDS_WITH_HOLES: dict[str, Callable[[int], Board]] = {
    preset.variant.board.name: preset.board_with_holes
    for preset in PRESETS.values()
    if preset.board_with_holes is not None
}
"""Functions that make a board of turning discs with a number of holes a ring, by the name of the board."""


def board_family(name: str) -> tuple[Board, ...]:
    """Every board of a name: turning discs with each of ``HOLE_COUNTS`` a ring; of every other name there is one.

    Raises KeyError when there is no board of that name.

    >>> [len(board.points) for board in board_family("nine_mens_morris")]
    [24]
    >>> [len(board.rings[0]) for board in board_family("moulin_rouge")][::6]
    [6, 12, 18, 24]
    """
    board = BOARDS[name]
    return tuple(with_holes(board, n) for n in HOLE_COUNTS) if board.rings else (board,)


def with_holes(board: Board, n_holes: int) -> Board:
    """The board of turning discs with ``n_holes`` a ring instead of its own number.

    Raises ValueError when the board has no rings, or ``n_holes`` is under 3.

    >>> [len(ring) for ring in with_holes(BOARDS["moulin_rouge"], 6).rings]
    [6, 6, 6]
    """
    if not board.rings:
        raise ValueError(f"{board.name!r} has no rings of holes")
    return BOARDS_WITH_HOLES[board.name](n_holes)


def few_holes_first(boards: Sequence[Board]) -> tuple[tuple[Board, ...], ...]:
    """Boards in groups, in the order in which to look for them: those with more than ``FEW_HOLES`` a ring come last.

    >>> [[len(board.rings[0]) for board in group] for group in few_holes_first(board_family("moulin_rouge")[9:13])]
    [[15, 16], [17, 18]]
    """
    has_many = [bool(board.rings) and len(board.rings[0]) > FEW_HOLES for board in boards]
    groups = (tuple(b for b, many in zip(boards, has_many, strict=True) if many == last) for last in (False, True))
    return tuple(group for group in groups if group)


def boards_for(variant: Variant) -> tuple[Board, ...]:
    """The boards that a game may be played on, for a camera to choose from.

    Discs may have any number of holes that leaves room for the stones, unless the table has chosen one.
    """
    if not variant.board.rings or "fields" in dict(variant.chosen):
        return (variant.board,)
    roomy = [board for board in board_family(variant.board.name) if len(board.points) > sum(variant.stones)]
    return few_holes_first(roomy)[0]
