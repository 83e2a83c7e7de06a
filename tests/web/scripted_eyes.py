"""Eyes that see what a file tells them to: they stand in for camera and vision in the tests of the shell."""

import json
import os
import time
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from referee.events import (
    BoardFound,
    BoardLost,
    Event,
    FoulSeen,
    FoulStood,
    GameEnded,
    MillClosed,
    OtherGameSeen,
    QuestionAsked,
    Resumed,
    TurnPlayed,
)
from referee.game import Game
from referee.layouts import moulin_rouge
from referee.moves import Move, parse_turn
from referee.resumption import play_as_read, resume
from vision.watching.state import TableSetup, start
from web.game.page_state import AlikeStones, SeenPosition, Sight
from web.game.replay import replay
from web.table import vision_messages, vision_process

JPEG = cv2.imencode(".jpg", np.full((1, 1), 128, np.uint8))[1].tobytes()
"""A picture that browsers show: one grey pixel."""


def write_film(path: Path, *scenes: str, pause_s: float = 0.0, end: str = "wait") -> Path:
    """A film for scripted eyes.

    A scene is a turn in notation, "mill:TURN" (its mill is announced first), "begun:MOVE" (the mill stands, its capture
    is not made), "foul:d6=2,a1=0" (what is seen instead), "ask:b3|=" (which of these it was), "lost:WHY",
    "seen:d6=0,a1=2>1" (what is seen while nothing explains it, and whose turn it is, if that is known), "resumed:..."
    (the same, taken over), "other:trialectic" (the board fits another game), "covered:b4,c4" (something lies there),
    "sight:WORD", "holes:N" (the board that is found has discs of N holes), "alike:SHARE" (the stones look alike),
    "page" (nothing until somebody has opened the page, see `seen_path`), "crash" (once, at that point of the film),
    "deadly" (every time) or "freeze" (say nothing more).
    ``end`` is "wait", "over" (the film ends) or a sentence that says why the source cannot be used.
    """
    path.write_text(json.dumps({"scenes": scenes, "pause_s": pause_s, "end": end}), encoding="utf-8")
    return path


def seen_path(film: str | Path) -> Path:
    """The file that says that somebody has opened the page: what is said before, nobody hears."""
    return Path(f"{film}.seen")


def look(pipe: Connection, job: vision_messages.VisionJob) -> None:
    """Be the eyes for a film made by `write_film`."""
    try:
        _look(pipe, job)
    except (BrokenPipeError, EOFError, ConnectionResetError):
        return


def _look(pipe: Connection, job: vision_messages.VisionJob) -> None:
    film: dict[str, Any] = json.loads(Path(job.source).read_text(encoding="utf-8"))
    course = replay(job.records)
    eyes, told_s = _Eyes(pipe, course.game, job.records[-1].seq), course.last_event_s or 0.0
    board = eyes.game.variant.board
    if film["end"] not in ("wait", "over"):
        pipe.send(vision_messages.SourceEnded(film["end"], is_over=False))
        return
    pipe.send(vision_messages.SourceNews.OPENED)
    spots = tuple((300.0 + 600 * x, 60.0 + 600 * y) for x, y in board.xy)
    sight = Sight("watching", "", spots, (False,) * len(spots), (1280, 720), ("#a83a2c", "#8b8880"))
    found = BoardFound(board.name, tuple((n, x, y) for n, (x, y) in zip(board.points, spots, strict=True)), 0.0, 0)
    eyes.report((found,), sight, (), 0, job.first_s, 1.0)

    def tell(*events: Event, begun: tuple[Move, ...] = ()) -> None:
        eyes.report(events, sight, begun, frame, frame / 10, 1.0)

    disputed: tuple[int, ...] | None = None
    for frame, scene in enumerate(film["scenes"], start=1):
        if frame / 10 < job.first_s or frame / 10 <= told_s:
            continue
        eyes.serve(film["pause_s"])
        stamp, position = (frame / 10, frame), eyes.game.position
        kind, _, words = scene.partition(":")
        match kind:
            case "page":
                while not seen_path(job.source).exists():
                    eyes.serve(0.02)
            case "crash":
                crashed = Path(job.source + ".crashed")
                if not crashed.exists():
                    crashed.touch()
                    os.kill(os.getpid(), 11)
            case "deadly":
                tell()
                os.kill(os.getpid(), 11)
            case "freeze":
                time.sleep(3600)
            case "lost":
                lost = BoardLost(words, *stamp)
                eyes.report((lost,), Sight("lost", words), (), frame, frame / 10, 1.0)
            case "alike":
                sight = replace(sight, alike=(AlikeStones(1, 2, float(words)),))
                tell()
            case "holes":
                board = moulin_rouge(int(words))
                eyes.game = eyes.game.on_board(board)
                tell(BoardFound(board.name, tuple((name, 0.0, 0.0) for name in board.points), *stamp))
            case "covered":
                sight = replace(sight, hidden=tuple(name in words.split(",") for name in board.points))
                tell()
            case "sight":
                sight = replace(sight, sight=words)
                tell()
            case "other":
                tell(OtherGameSeen(eyes.game.variant.name, tuple(words.split(",")), *stamp))
            case "seen":
                seen, to_move = _changed_tops(eyes.game, words)
                sight = replace(sight, seen=SeenPosition(seen, to_move))
                tell()
            case "resumed":
                seen, to_move = _changed_tops(eyes.game, words)
                stones = tuple((n, top - 1 if top else None) for n, top in zip(board.points, seen, strict=True))
                event = Resumed(stones, None if to_move is None else to_move - 1, *stamp)
                eyes.game = resume(eyes.game, seen, event.to_move)
                tell(event)
            case "foul":
                disputed, _ = _changed_tops(eyes.game, words)
                points = tuple(n for i, n in enumerate(board.points) if disputed[i] != position.tops[i])
                tell(FoulSeen(position.to_move, "two_moves", points, position.tops, disputed, *stamp))
            case "ask":
                options = tuple(words.split("|"))
                earlier = {f"{k}.": turn.player for k, turn in enumerate(eyes.game.turns, start=1)}
                whose = [earlier.get(option.split()[0], position.to_move) for option in options]
                asked = zip(whose, options, strict=True)
                players = tuple((who,) if option[0].isalnum() else () for who, option in asked)
                tell(QuestionAsked(options, *stamp, players=players))
            case "stands":
                eyes.game = eyes.game.play_on(disputed or position.tops)
                after = eyes.game.position
                tell(FoulStood(eyes.game.ply, position.to_move, "two_moves", after.tops, after.to_move, *stamp))
            case _:
                moves = parse_turn(words or scene, board)
                if kind in ("mill", "begun"):
                    begun = eyes.game.play(moves[0]).position
                    mills = (MillClosed(position.to_move, line, *stamp, due=begun.dues) for line in begun.closed)
                    tell(*mills, begun=moves[:1])
                    eyes.serve(max(film["pause_s"], 0.05))
                if kind == "begun":
                    break
                try:
                    eyes.game = play_as_read(eyes.game, moves)
                except ValueError:
                    break  # people have changed the game, and it cannot go on like this
                turn = eyes.game.turns[-1]
                events: list[Event] = [TurnPlayed(eyes.game.ply, turn.player, turn.moves, turn.mills, 0.99, *stamp)]
                if (end := eyes.game.outcome) is not None:
                    events.append(GameEnded(end.winner, end.termination, *stamp))
                eyes.report(tuple(events), sight, (), frame, frame / 10, 1.0, JPEG)
    if film["end"] == "over":
        pipe.send(vision_messages.SourceEnded("", is_over=True))
        return
    while True:
        game = eyes.game
        eyes.answer(pipe.recv())
        if eyes.game is not game:
            sight = replace(sight, seen=None)
            eyes.report((), sight, (), len(film["scenes"]) + 1, 99.0, 1.0)


class _Eyes:
    """What the eyes hold between two scenes: the game, and the newest record of it that they were told of."""

    def __init__(self, pipe: Connection, game: Game, seen: int) -> None:
        self.pipe, self.game, self.seen = pipe, game, seen

    def report(self, events: tuple[Event, ...], sight: Sight, *result: Any) -> None:
        self.pipe.send(vision_messages.FrameResult(events, sight, self.seen, *result))

    def serve(self, time_s: float) -> None:
        """Answer commands for a while."""
        until = time.monotonic() + time_s
        while self.pipe.poll(max(0.0, until - time.monotonic())):
            self.answer(self.pipe.recv())

    def answer(self, command: vision_messages.VisionCommand) -> None:
        if isinstance(command, vision_messages.ChangeGame):
            # What the real eyes do, upon a state that has seen nothing.
            state = start(TableSetup(self.game.variant, (self.game.variant.board,)), self.game)
            self.game, self.seen = vision_process.apply_change(state, command).game, command.seq
        elif command is vision_messages.Ask.PICTURE:
            self.pipe.send(vision_messages.EncodedPicture(JPEG))
        elif isinstance(command, vision_messages.UseCorners):
            Path(os.environ.get("MILLCHEN_TEST_CORNERS", os.devnull)).write_text(json.dumps(command.corners))


def _changed_tops(game: Game, changes: str) -> tuple[tuple[int, ...], int | None]:
    """What lies on the points after changes such as ``d6=0,a1=2>1``, and whose turn it is, if that is said."""
    tops = list(game.position.tops)
    stones, _, mover = changes.partition(">")
    for change in stones.split(","):
        name, _, top = change.partition("=")
        tops[game.variant.board.index[name]] = int(top)
    return tuple(tops), int(mover) if mover else None
