"""The only file of the golden replay that knows what the project calls its modules, classes and attributes.

A restructuring changes the imports and attributes here, and nothing of what is answered: plain values that JSON keeps.
"""

import hashlib
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.commands.read import no_field_sentence, search_board_groups
from calibration.field_step import max_stone_groups
from referee.announce import sentence
from referee.boards import BOARDS, board_family, boards_for, few_holes_first
from referee.events import TurnAmended, to_json
from referee.game import Game
from referee.layouts import moulin_rouge
from referee.presets import find_variant
from tests.golden.films import Film, Photograph
from tests.simulation.play import shots_of
from tests.synthetic import Scene, Script, Shot, random_spec
from tests.synthetic.boardless import boardless
from vision import pipeline
from vision.capture.sources import open_source
from vision.decoding.posterior import Posterior
from vision.imaging.field import NotRegistered
from vision.imaging.frame import Frame
from vision.imaging.lens import Lens
from vision.pipeline import step, step_photograph
from vision.stones import photograph_reader
from vision.watching.phases import Trigger, next_phase
from vision.watching.player_actions import change_game, correct_game, place_field
from vision.watching.state import State, StepResult, TableSetup, Watched, start

ROOT = Path(__file__).parents[2]
Image = NDArray[np.uint8]
Seen = dict[str, Any]

NINE_CORNERS = ("a7", "g7", "g1", "a1")
LENS_BENDS = (-0.08, 0.02, 0.0005, -0.0004, 0.0)


# ---------------------------------------------------------------- what is shown
def _shots(recipe: Film) -> Iterator[Shot]:
    """The film that a recipe asks for, all of it."""
    game = Game.start(find_variant(recipe.game, **recipe.options))
    script = Script(recipe.n_turns, recipe.fouls, recipe.accidents, **recipe.script)
    return shots_of(game, script, recipe.seed, hardness=recipe.hardness, size_px=recipe.size_px, discs=recipe.discs)


def _last_of_rests(shots: Iterator[Shot]) -> Iterator[Shot]:
    last = None
    for shot in shots:
        if shot.hand and last is not None:
            yield last
        last = None if shot.hand else shot
    if last is not None:
        yield last


def _darkened(frame: Frame, dark: tuple[int, int]) -> Frame:
    hidden = dark[0] <= frame.sequence < dark[1]
    return Frame(np.zeros_like(frame.bgr), frame.time_s, frame.sequence) if hidden else frame


def watch_film(recipe: Film) -> Iterator[Seen]:
    """What is known after every frame of a film of ``films.FILMS``; see ``_seen``."""
    if recipe.video:
        yield from watch_video(ROOT / recipe.video, recipe.game)
        return
    shots = _shots(recipe)
    shots = _last_of_rests(shots) if recipe.pictures else shots
    first = next(shot for shot in shots if len(shot.game.turns) >= recipe.begin_after and not shot.hand)
    variant = first.game.variant
    lens = None
    if recipe.lens:
        width, height = recipe.size_px
        matrix = np.array([[0.8 * width, 0, width / 2], [0, 0.8 * width, height / 2], [0, 0, 1]])
        lens = Lens(recipe.size_px, matrix, np.array(LENS_BENDS))
    corners = None
    if recipe.corners:
        corners = first.truth.points_px[[variant.board.index[name] for name in NINE_CORNERS]]
    table = TableSetup(variant, boards_for(variant), lens=lens)
    frames = (_darkened(shot.frame, recipe.dark) for shot in chain([first], shots))
    state = start(table, first.game if recipe.begin_after else None)
    yield from _watch(frames, table, state, corners, recipe.said, step_photograph if recipe.pictures else step)


def watch_video(path: Path, game: str) -> Iterator[Seen]:
    """What is known after every frame of a video file."""
    variant = find_variant(game)
    table = TableSetup(variant, boards_for(variant))
    with open_source(str(path)) as source:
        yield from _watch(iter(source), table, start(table))


def _draw_photograph(recipe: Photograph) -> tuple[Image, Image | None]:
    """The photograph that a recipe asks for, and the same table without stones where it asks for that."""
    rng = np.random.default_rng(recipe.seed)
    if not recipe.is_board:
        return boardless(rng, recipe.board, size_px=recipe.size_px), None
    board = moulin_rouge(recipe.fields) if recipe.board == "moulin_rouge" else BOARDS[recipe.board]
    n_players, most = (3, 3) if recipe.board == "trialectic" else (2, 1)
    scene = Scene(random_spec(rng, board, n_players=n_players, hardness=recipe.hardness, size_px=recipe.size_px))
    laid = rng.random(len(board.points)) < recipe.stones
    stacks = [rng.integers(n_players, size=int(rng.integers(1, most + 1))).tolist() if on else [] for on in laid]
    bgr, _ = scene.render(stacks, rng=rng)
    return bgr, scene.render([[] for _ in stacks], rng=rng)[0] if recipe.empty else None


# ---------------------------------------------------------------- what is kept
def _watch(
    frames: Iterator[Frame],
    table: TableSetup,
    state: State,
    corners_px: NDArray[np.float64] | None = None,
    said: Mapping[int, str] | None = None,
    take: Callable[[State, Frame, TableSetup], StepResult[State]] = step,
) -> Iterator[Seen]:
    verdicts: list[Posterior] = []
    decode = pipeline.decode
    pipeline.decode = lambda belief: verdicts.append(decode(belief)) or verdicts[-1]
    try:
        for frame in frames:
            events: list[Any] = []
            if corners_px is not None:
                state, told = place_field(state, frame, table, corners_px)
                events += told
                corners_px = None
            word = (said or {}).get(frame.sequence)
            if word is not None:
                state, told = _say(word, state, frame)
                events += told
            state, told = take(state, frame, table)
            events += told
            said_now = [to_json(event, sentence(event, "en", board=table.variant.board)) for event in events]
            yield _seen(frame, state, verdicts[-1] if verdicts else None, said_now)
    finally:
        pipeline.decode = decode


def _say(word: str, state: State, frame: Frame) -> Any:
    game = state.game
    if word == "take_back":
        event = TurnAmended(game.ply, None, frame.time_s, frame.sequence)
        return change_game(state, game.take_back(), recheck=True), (event,)
    if word == "play_on":
        disputed = None if state.belief.dispute is None else state.belief.dispute.tops
        return (state if disputed is None else change_game(state, game.play_on(disputed), recheck=True)), ()
    tops = list(game.position.tops)
    stones = [i for i, top in enumerate(tops) if top]
    if word != "correct" or not stones:
        raise ValueError(f"nobody can say {word!r} before frame {frame.sequence}")
    tops[stones[0]] = 0
    right = correct_game(state, game.play_on(tops, to_move=game.position.to_move, kinds=("corrected",)))
    if isinstance(state, Watched):
        right = replace(right, phase=next_phase(state.phase, Trigger.RECHECK))
    return right, ()


def _seen(frame: Frame, state: State, verdict: Posterior | None, events: list[dict[str, Any]]) -> Seen:
    """All that is kept of one frame.

    ``picture`` is the checksum of its pixels; ``board`` its name and points in pixels, or why there is none; ``hidden``
    indices of points; ``evidence`` a digest of the array's float64 bytes and its sum, nats; ``tops`` and ``posterior``
    of the ranked hypotheses, best first.
    """
    registration = state.registration
    if isinstance(registration, NotRegistered):
        board: dict[str, Any] = {"reason": registration.reason}
    else:
        board = {"name": registration.field.board.name, "points_px": registration.field.points_px.tolist()}
    evidence = np.ascontiguousarray(state.belief.rest.log_likelihood, np.float64) + 0.0  # -0.0 is 0.0
    ranked = verdict.ranked if verdict is not None else ()
    return {
        "frame": int(frame.sequence),
        "picture": zlib.crc32(np.ascontiguousarray(frame.bgr).tobytes()),
        "sight": str(state.sight),
        "board": board,
        "hidden": [i for i, hidden in enumerate(state.hidden) if hidden],
        "evidence": {
            "sum": float(evidence.sum()),
            "shape": list(evidence.shape),
            "bytes": hashlib.sha256(evidence.tobytes()).hexdigest()[:16],
        },
        "tops": ["".join(map(str, story.tops)) for story, _ in ranked],
        "posterior": [float(p) for _, p in ranked],
        "events": events,
    }


def read_photograph(recipe: Photograph) -> dict[str, Any]:
    """What ``millchen read --json`` answers to a photograph of ``films.PHOTOGRAPHS``, and checksums of its pixels."""
    bgr, empty_bgr = _draw_photograph(recipe)
    board = recipe.board if recipe.told else None
    pictures = [bgr] if empty_bgr is None else [bgr, empty_bgr]
    checksums = [zlib.crc32(np.ascontiguousarray(p).tobytes()) for p in pictures]
    groups = (None,) if board is None else few_holes_first(board_family(board))
    registration, _, _ = search_board_groups(bgr, groups, empty_bgr, None)
    if isinstance(registration, NotRegistered):
        return {"picture": checksums, "board": None, "reason": no_field_sentence(registration)}
    field = registration.field
    bare = empty_bgr if empty_bgr is not None and empty_bgr.shape == bgr.shape else None
    reading = photograph_reader.read_photograph(bgr, registration, bare, max_stone_groups(field.board))
    points = {
        name: {
            "x": float(x), "y": float(y), "stone": reading.stones[i], "height": int(reading.heights[i]),
            "p": float(reading.p[i]),
        }
        for i, (name, (x, y)) in enumerate(zip(field.board.points, field.points_px, strict=True))
    }  # fmt: skip
    return {
        "picture": checksums, "board": field.board.name, "confidence": float(registration.confidence), "points": points,
        "groups": dict(reading.groups),
    }  # fmt: skip
