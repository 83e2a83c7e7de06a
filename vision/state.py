"""What is known of a table: what is played on it, and everything that was seen so far, as values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.board import Board
from referee.game import Game
from referee.layouts import moulin_rouge
from referee.presets import find_variant
from referee.variant import Variant
from vision.change.tower_change import Piled
from vision.decoding.belief import Belief, believe
from vision.decoding.posterior import Verdict
from vision.imaging.field import Field, NotRegistered, Registration
from vision.imaging.frame import Frame
from vision.imaging.lens import Lens
from vision.imaging.patches import Patches
from vision.rotation.angle_at_rest import OFF_STEP, Strips
from vision.rotation.angle_in_motion import Underway
from vision.stones.appearance import Appearance, unknown
from vision.tracking.follow import Anchor
from vision.tracking.motion import Scene
from vision.tracking.occlusion import Look

HOLES = range(6, 17)
"""Numbers of holes on a disc that are looked for where they leave room for the stones."""

MANY_HOLES = range(17, 25)
"""The same where there are more players: four holes a player are usual."""


@dataclass(frozen=True)
class Table:
    """What is played, on which board.

    Attributes
    ----------
    variant : Variant
    boards : tuple of Board
        The boards to look for; several where only the eyes can tell (Moulin Rouge with any number of holes).
    pictures : bool
        Every frame is a settled look of its own, taken from anywhere (a folder of photographs).
    lens : Lens or None
        The camera's, where it was measured: the board is looked for without its distortion.
    """

    variant: Variant
    boards: tuple[Board, ...]
    pictures: bool = False
    lens: Lens | None = None


@dataclass(frozen=True, eq=False)
class Ridden:
    """What is known of the holes after rings have turned.

    Attributes
    ----------
    field : Field
    appearance : Appearance
    strips : Strips
        The discs as they are now.
    came_from : int array of shape (n_points,)
        Where what is now at each point was before.
    """

    field: Field
    appearance: Appearance
    strips: Strips
    came_from: NDArray[np.intp]

    @property
    def moved(self) -> NDArray[np.bool_]:
        """Points that lie on a ring that has turned."""
        return np.asarray(self.came_from != np.arange(len(self.came_from)))

    @property
    def half_turned(self) -> bool:
        """Whether a ring is on its way from one step to the next."""
        return bool(np.abs(self.strips.off).max() > OFF_STEP)


@dataclass(frozen=True, eq=False)
class State:
    """All that is known about a table after a frame.

    Attributes
    ----------
    belief : Belief
    registration : Registration or NotRegistered
    scene : Scene
    appearance : Appearance
    anchor : Anchor or None
        The last settled look; None before the field was found.
    underway : Underway or None
        How the rings have turned since ``strips``, frame by frame; None where that cannot be followed.
    patches : Patches or None
        The points of the last settled look.
    ridden : Ridden or None
        What is known of the holes, carried on by rings that have turned since.
    pile : Piled or None
        What has come to lie on towers in the present rest, or gone from them; None on boards without.
    look : Look or None
        What stands in the way in the present rest; None while something moves.
    verdict : Verdict or None
        Of the newest look.
    looked_s, searched_s : float
        When the last look was taken, and when the field was last searched for; seconds of the source.
    settled : bool
        The present rest is understood; nothing more is asked of it.
    asked : bool
        The players were asked about the present rest.
    displaced : bool
        The board or the shadows have moved since the table was last understood: its looks are not what they were.
    puzzles : int
        So many rests in a row were not understood.
    told_lost : bool
        The loss of the field has been announced.
    waiting : tuple of Frame
        Frames kept while the field is searched for; ``several`` makes one picture of them.
    searches : int
        How often it was searched for.
    """

    belief: Belief
    registration: Registration | NotRegistered
    scene: Scene
    appearance: Appearance
    anchor: Anchor | None = None
    strips: Strips | None = None
    underway: Underway | None = None
    patches: Patches | None = None
    ridden: Ridden | None = None
    pile: Piled | None = None
    look: Look | None = None
    verdict: Verdict | None = None
    looked_s: float = float("-inf")
    searched_s: float = float("-inf")
    settled: bool = False
    asked: bool = False
    displaced: bool = False
    puzzles: int = 0
    told_lost: bool = False
    waiting: tuple[Frame, ...] = ()
    searches: int = 0

    @property
    def game(self) -> Game:
        """What is accepted."""
        return self.belief.game

    @property
    def hidden(self) -> tuple[bool, ...]:
        """For each point, whether something is in the way."""
        if self.look is None:
            return (False,) * len(self.belief.expected)
        return tuple(bool(h) for h in self.look.hidden)

    @property
    def sight(self) -> str:
        """One word for the page: searching, lost, hand, disputed, over or watching."""
        if isinstance(self.registration, NotRegistered):
            return "lost" if self.anchor is not None else "searching"
        moving = self.scene.moving is not None and self.belief.visited
        if self.look.blocked if self.look is not None else moving:
            return "hand"
        if self.belief.disputed is not None:
            return "disputed"
        return "over" if self.game.outcome is not None else "watching"


def boards_for(variant: Variant) -> tuple[Board, ...]:
    """The boards that a game may be played on, for the eyes to choose from.

    Discs may have any number of holes that leaves room for the stones, unless the table has chosen one.
    """
    if not variant.board.rings or "fields" in dict(variant.chosen):
        return (variant.board,)
    roomy = [n for n in HOLES if 3 * n > sum(variant.stones)] or [n for n in MANY_HOLES if 3 * n > sum(variant.stones)]
    return tuple(moulin_rouge(n) for n in roomy)


def on_board(game: Game, board: Board) -> Game:
    """Bring a game to the board that was found, while nothing has been played."""
    if game.turns or game.position.board == board or not board.rings:
        return game
    options = dict(game.variant.chosen) | {"fields": len(board.rings[0])}
    return Game.start(find_variant(game.variant.name, **options))


def start(table: Table, game: Game | None = None) -> State:
    """Sit down at a table; with ``game`` to go on where it was."""
    game = game if game is not None else Game.start(table.variant)
    position = game.position
    nothing = unknown(len(position.tops), len(position.hands))
    return State(believe(game), NotRegistered("the board has not been looked for yet"), Scene(), nothing)
