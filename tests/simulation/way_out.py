"""Law 3: a table is made unexplainable on purpose, and the game goes on within one turn.

    python -m tests.simulation.way_out --games 10 --game nine_mens_morris --photographs

Some turns are played, then three stones are moved at once, then play goes on from what lies there. The same with a game
that is first seen in the middle (``--middle``).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from referee.boards import boards_for
from referee.events import BoardFound, Event, QuestionAsked, Resumed, TurnPlayed
from referee.game import Game, as_shown
from referee.presets import find_variant
from referee.turns import Turn, legal_turns
from tests.simulation.play import acts_of, wilson
from tests.synthetic import Hand, Scene, random_spec, stacks_of
from vision.imaging.frame import Frame
from vision.pipeline import step
from vision.watching.state import State, Table, start

FPS = 10
TURNS_AFTER = 3
MOVED_AT_ONCE = 3


@dataclass
class WayOut:
    """How one game went on.

    ``late`` is the number of turns after the disturbance (or the first sight) until the position was right, ``None``
    where it never was; ``after`` of the turns that were played from then on ``right`` were announced.
    """

    seed: int
    found: bool = False
    late: int | None = None
    resumed: int = 0
    questions: int = 0
    after: int = 0
    right: int = 0
    false_resumed: int = 0
    said: list[str] = field(default_factory=list)


class Camera:
    """A table under the eyes: every table shown rests for a while after a hand was there, or is photographed once."""

    def __init__(self, scene: Scene, table: Table, rng: np.random.Generator, rest_s: float) -> None:
        self.scene, self.table, self.rng, self.rest_s = scene, table, rng, rest_s
        self.state: State = start(table)
        self.n = 0
        self.name_of: dict[str, str] = {}

    def show(self, tops: Sequence[int]) -> list[Event]:
        """Show a table; return what is said of it."""
        said: list[Event] = []
        frames = 1 if self.table.photographs else round(self.rest_s * FPS) + 1
        for k in range(frames):
            hand = Hand((0.5, 0.5)) if k == 0 and self.n and not self.table.photographs else None
            bgr, truth = self.scene.render(stacks_of(list(tops)), rng=self.rng, hand=hand)
            self.state, events = step(self.state, Frame(bgr, self.n / FPS, self.n), self.table)
            for event in events:
                if isinstance(event, BoardFound):  # a board has no printed "up": names may differ by a turn
                    px = np.array([point[1:] for point in event.points])
                    nearest = np.linalg.norm(truth.points_px[None] - px[:, None], axis=2).argmin(axis=1)
                    names = self.table.variant.board.points
                    self.name_of = {point[0]: names[i] for point, i in zip(event.points, nearest, strict=True)}
            said += events
            self.n += 10 if self.table.photographs else 1
        return said

    def seen_tops(self) -> tuple[int, ...]:
        """Return what the record shows, by the names of the drawn table; nothing while a foul is in dispute."""
        if self.state.belief.dispute is not None or not self.name_of:
            return ()
        names = self.table.variant.board.points
        top_of = {self.name_of[name]: top for name, top in zip(names, self.state.belief.expected_tops, strict=True)}
        return tuple(top_of.get(name, 0) for name in names)


def disturbed(tops: Sequence[int], rng: np.random.Generator) -> tuple[int, ...]:
    """Return a table on which three stones have gone to other points at once."""
    after = list(tops)
    stones = [i for i, top in enumerate(tops) if top]
    free = [i for i, top in enumerate(tops) if not top]
    n = min(MOVED_AT_ONCE, len(stones), len(free))
    for start_at, to in zip(rng.choice(stones, n, False), rng.choice(free, n, False), strict=True):
        after[to], after[start_at] = after[start_at], 0
    return tuple(after)


def play_way_out(
    seed: int,
    game_name: str = "nine_mens_morris",
    *,
    turns_before: int = 8,
    middle: bool = False,
    photographs: bool = False,
    hardness: float = 0.3,
    rest_s: float = 1.5,
    size_px: tuple[int, int] = (960, 540),
) -> WayOut:
    """Play one game on a drawn table up to ``turns_before``, disturb it (or see it first there), and play on."""
    rng = np.random.default_rng(seed)
    variant = find_variant(game_name)
    spec = random_spec(rng, variant.board, n_players=variant.players, hardness=hardness, size_px=size_px)
    table = replace(Table(variant, boards_for(variant)), photographs=photographs, takes_over=True)
    camera, result = Camera(Scene(spec), table, rng, rest_s), WayOut(seed)
    game, shown = Game.start(variant), [Game.start(variant).position.tops]
    for _ in range(turns_before):
        turns = legal_turns(game.position)
        if game.outcome is not None or not turns:
            break
        game = game.play_turn(turns[rng.integers(len(turns))])
        shown.append(game.position.tops)
    said: list[Event] = []
    for tops in [] if middle else shown:
        said += camera.show(tops)
    result.found = any(isinstance(event, BoardFound) for event in said)
    result.false_resumed = sum(isinstance(event, Resumed) for event in said)
    position = game.position
    if not middle:
        position = as_shown(position, disturbed(position.tops, rng))
    for k in range(TURNS_AFTER + 1):
        turn: Turn | None = None
        if k:
            turns = [turn for turn in legal_turns(position) if turn.after.tops != position.tops]
            if not turns:
                break
            turn = turns[rng.integers(len(turns))]
            position = turn.after
        events = camera.show(position.tops)
        result.found |= any(isinstance(event, BoardFound) for event in events)
        said += events
        result.resumed += sum(isinstance(event, Resumed) for event in events)
        result.questions += sum(isinstance(event, QuestionAsked) for event in events)
        if result.late is not None and turn is not None:
            result.after += 1
            told = [acts_of(event.moves, camera.name_of) for event in events if isinstance(event, TurnPlayed)]
            result.right += acts_of(turn.moves, {name: name for name in variant.board.points}) in told
        if result.late is None and is_alike(camera.seen_tops(), position.tops, middle):
            result.late = k
    result.said = [f"{event.time_s:6.1f} {str(event)[:150]}" for event in said if not isinstance(event, BoardFound)]
    return result


def is_alike(seen: Sequence[int], tops: Sequence[int], swapped: bool) -> bool:
    """Return whether two tables are the same; with ``swapped`` whichever colour is whose."""
    if not swapped or len(seen) != len(tops):
        return tuple(seen) == tuple(tops)
    pairs = {(a, b) for a, b in zip(seen, tops, strict=True) if a or b}
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs}) and all(a and b for a, b in pairs)


def main() -> None:
    """Play the games asked for on the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0, help="seed of the first game")
    parser.add_argument("--game", default="nine_mens_morris")
    parser.add_argument("--turns", type=int, default=8, help="turns before")
    parser.add_argument("--hardness", type=float, default=0.3)
    parser.add_argument("--rest", type=float, default=1.5, help="seconds for which a table rests")
    parser.add_argument("--middle", action="store_true", help="first seen in the middle, and nothing disturbed")
    parser.add_argument("--photographs", action="store_true", help="one picture a turn")
    parser.add_argument("--words", action="store_true", help="print what was said where the game did not go on")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    results = []
    for seed in range(given.seed, given.seed + given.games):
        result = play_way_out(
            seed,
            given.game,
            turns_before=given.turns,
            middle=given.middle,
            photographs=given.photographs,
            hardness=given.hardness,
            rest_s=given.rest,
        )
        results.append(result)
        print(
            f"seed {seed:4} found {'yes' if result.found else 'NO '} late {result.late} resumed {result.resumed}"
            f" asked {result.questions} right after {result.right}/{result.after} before {result.false_resumed}",
            flush=True,
        )
        if given.words and (result.late not in (0, 1) or result.right < result.after):
            print("   ", "\n    ".join(result.said), flush=True)
    found = [result for result in results if result.found]
    within = sum(result.late is not None and result.late <= 1 for result in found)
    print(f"goes on within one turn  {wilson(within, len(found))}")
    print(f"turns right after it     {wilson(sum(r.right for r in found), sum(r.after for r in found))}")
    print(f"taken over before it     {sum(r.false_resumed for r in found)}")


if __name__ == "__main__":
    main()
