"""Filmed games against Millchen: the film's hands make its turns, some of them wrongly on purpose, then put them right.

The eyes are those of the pipeline and the table is the one of the page, with its journal; only the processes are left
out, so that every run is the same. Nothing here looks into either: it gives frames and counts what is said.
"""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from referee.game import Game
from referee.presets import find_variant
from referee.turns import Turn, legal_turns
from tests.simulation.play import ONE_A_BOARD, Eyes, table_of
from tests.synthetic import Scene, Script, Shot, random_spec
from tests.synthetic.film import Filming, chosen_turn
from tests.web.test_partner import HereAtOnce
from web.game.game_state import Proposal
from web.game.player_commands import NOT_THE_PROPOSED_TURN, set_partner
from web.journal.journal import Journal
from web.table.live_table import LiveTable
from web.table.vision_messages import ChangeGame, FrameResult, SourceNews
from web.table.vision_process import VisionReporter, apply_change, pending_moves

pytestmark = pytest.mark.film

MILLCHEN = 1
"""The player for whom Millchen plays, 0 first."""

PATIENCE_S = 8.0
"""So long the hands wait for the referee before they give up, seconds of the film."""

WRONG_S = 2.5
"""So long another turn lies on the table before it is put right, seconds."""


@dataclass
class Score:
    """What became of Millchen's turns in one film.

    Counted are the turns that hands ``made`` as Millchen had said, of these those ``taken`` and those ``blamed`` as
    other turns; and other turns made on purpose (``wrong``), of these those ``noticed`` as such and ``put right``.
    ``why`` says why the film ended early.
    """

    n: Counter[str] = field(default_factory=Counter)
    why: str = ""
    said: Sequence[str] = ()


class Pipe:
    """Stands in for the supervisor of the eyes: what the table sends them is kept for the next frame."""

    generation = n_starts = 0

    def __init__(self) -> None:
        self.sent: list[ChangeGame] = []

    def send(self, command: Any) -> bool:
        self.sent += [command] if isinstance(command, ChangeGame) else []
        return True

    def restart(self) -> None:
        raise RuntimeError("the table wants new eyes: what they reported cannot be")

    def start(self) -> None: ...
    def close(self) -> None: ...
    def request_pictures(self) -> None: ...


class Watched:
    """A table of the page whose eyes are the pipeline, frame by frame."""

    def __init__(self, journal: Journal, game: Game) -> None:
        variant = game.variant
        self.live = LiveTable(journal, thinker=HereAtOnce())
        self.pipe = Pipe()
        self.live.open("hand", variant.name, dict(variant.chosen))
        self.live.camera.supervisor.close()
        self.live.camera.supervisor = self.pipe  # type: ignore[assignment]
        self.live.camera.source = replace(self.live.camera.source, kind="camera", name="0")
        self.live.camera.take_message(SourceNews.OPENED)
        self.live.apply_command(
            partial(set_partner, player=MILLCHEN + 1, strength="easy", explain=False, laid_by_people=True)
        )
        self.eyes = Eyes(table_of(variant))
        self.reporter = VisionReporter()
        self.seen = journal.last_seq()
        self.pipe.sent.clear()

    def see(self, shot: Shot) -> None:
        """Take one frame, as the process of the eyes and the table do."""
        for command in self.pipe.sent:
            self.eyes.state, self.seen = apply_change(self.eyes.state, command), command.seq
        self.pipe.sent.clear()
        events = self.eyes.see(shot.frame, shot.truth.points_px)
        status = self.reporter.status(self.eyes.state, shot.frame)
        at = shot.frame.sequence, shot.frame.time_s
        self.live.camera.take_message(FrameResult(events, status, self.seen, pending_moves(self.eyes.state), *at, 0.0))
        self.live.camera.tick()

    @property
    def proposal(self) -> Proposal | None:
        """The turn that Millchen wants, in the referee's names."""
        return self.live.state.proposal

    @property
    def ply(self) -> int:
        return self.live.state.game.ply

    @property
    def is_told_wrong(self) -> bool:
        """Whether Millchen has said that this is not its turn."""
        foul = self.live.state.foul
        return foul is not None and foul.kind == NOT_THE_PROPOSED_TURN


def wait(hands: Filming, until: Callable[[], bool], seconds: float = PATIENCE_S) -> Iterator[Shot]:
    """Rest until something is so, at most for ``seconds``."""
    for _ in range(round(seconds * hands.script.fps)):
        if until():
            return
        yield hands.shoot()


def other_turn_than(turn: Turn, game: Game, rng: np.random.Generator) -> Turn | None:
    """A lawful turn that leaves another table, the shortest ones first; None where there is none."""
    others = [one for one in legal_turns(game.position) if one.after.tops not in (turn.after.tops, game.position.tops)]
    fewest = min((len(one.moves) for one in others), default=0)
    among = [one for one in others if len(one.moves) == fewest]
    return among[int(rng.integers(len(among)))] if among else None


def played_film(hands: Filming, watched: Watched, score: Score, wrong_at: int) -> Iterator[Shot]:
    """Film a game in which the hands do what Millchen says; its turn number ``wrong_at`` they first make wrongly."""
    hands.set_up()
    yield from hands.rest(1.5)
    for _ in range(hands.script.n_turns):
        before = watched.ply

        def is_seen(before: int = before) -> bool:
            return watched.ply > before

        if hands.game.position.to_move != MILLCHEN:
            yield from hands.play(chosen_turn(hands.game, hands.script, hands.rng))
            yield from wait(hands, is_seen)
        else:
            yield from wait(hands, lambda: watched.proposal is not None)
            meant = watched.proposal
            turn = watched.eyes.turn_of(hands.game.position, meant.moves) if meant is not None else None
            if turn is None:
                score.why = "Millchen proposed nothing that can be done"
                return
            if score.n["made"] == wrong_at and not score.n["wrong"]:
                yield from _wrongly(hands, watched, turn, score)
            yield from hands.play(turn)
            yield from wait(hands, lambda is_seen=is_seen: is_seen() or watched.is_told_wrong)  # type: ignore[misc]
            is_put_right = score.n["noticed"] > score.n["put right"] and is_seen()
            score.n.update(made=1, taken=is_seen(), blamed=watched.is_told_wrong, **{"put right": is_put_right})
        yield from hands.pause()
        score.why = "" if is_seen() else "a turn was not seen"
        if score.why or hands.game.outcome is not None:
            return


def _wrongly(hands: Filming, watched: Watched, turn: Turn, score: Score) -> Iterator[Shot]:
    """Make another turn than Millchen means, where there is one, and put it right."""
    other = other_turn_than(turn, hands.game, hands.rng)
    if other is None:
        return
    score.n["wrong"], stood = score.n["wrong"] + 1, hands.laid()
    yield from hands.make(turn.player, [(turn.player, move) for move in other.moves])
    hands.foul = NOT_THE_PROPOSED_TURN
    yield from hands.rest(WRONG_S)
    yield from wait(hands, lambda: watched.is_told_wrong, PATIENCE_S - WRONG_S)
    score.n["noticed"] += watched.is_told_wrong
    yield from hands.put_back(turn.player, stood)
    hands.foul = ""
    yield from hands.pause()


def simulate(name: str, seed: int, *, n_turns: int = 10, wrong_at: int = 1, **options: Any) -> Score:
    """One filmed game; the same seed gives the same film."""
    rng, score, game = np.random.default_rng(seed), Score(), Game.start(find_variant(name, **options))
    board, n_players = game.variant.board, game.variant.players
    spec = random_spec(rng, board, n_players=n_players, hardness=0.2, size_px=(960, 540))
    hands = Filming(Scene(spec), game, Script(n_turns, rest_s=1.0), rng)
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.sqlite") as journal:
        watched = Watched(journal, game)
        try:
            for shot in played_film(hands, watched, score, wrong_at):
                watched.see(shot)
        except RuntimeError as why:
            score.why = str(why)
        score.said = [one.texts["en"] for one in watched.live.publisher.snapshot.said[-100:]]
        watched.live.close()
    print(f"{name} seed {seed}: {dict(score.n)} {score.why}", flush=True)
    return score


def test_another_turn_is_noticed_and_put_right_on_a_small_board() -> None:
    score = simulate("tic_tac_toe", 1, n_turns=4, wrong_at=0)
    assert +score.n == {"made": 2, "taken": 2, "wrong": 1, "noticed": 1, "put right": 1}, score
    assert any(text.startswith("I meant:") for text in score.said)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_another_turn_is_noticed_and_put_right_on_every_board() -> None:
    """What the eyes do not see they do not see: one film in ten may end for that. Nobody may be blamed wrongly."""
    scores = [simulate(name, seed) for name in ONE_A_BOARD for seed in (1, 2)]
    scores.append(simulate("moulin_rouge", 1, players=3))
    n = sum((one.n for one in scores), Counter[str]())
    print(f"all {len(scores)} films: {dict(n)}")
    assert n["wrong"] >= 0.85 * len(scores)
    assert n["noticed"] >= 0.9 * n["wrong"] and n["put right"] >= 0.9 * n["noticed"]
    assert n["blamed"] == 0
