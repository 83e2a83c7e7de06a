#!/usr/bin/env python3
"""The command ``millchen``: wires camera, eyes, referee, journal and page together.

Without words it opens the page and referees the bundled demo game. ``read``, ``watch`` and ``judge`` print JSON for
other programs, one object a line, on standard output; everything meant for people goes to standard error.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

try:
    import cv2
except ImportError as missing:
    raise SystemExit(
        f"millchen cannot see without OpenCV's system libraries ({missing}): "
        "install them with 'apt-get install libgl1 libglib2.0-0'"
    ) from None

import numpy as np

from referee.announce import LANGUAGES, sentence
from referee.board import Board
from referee.drawing import board_svg, board_text
from referee.events import Event, TurnPlayed, to_json
from referee.explain import options_text, rules_text
from referee.judge import judge_line
from referee.layouts import BOARDS, moulin_rouge
from referee.presets import PRESETS, find_variant, variants_on
from referee.variant import Variant
from vision.camera import FrameSource, SourceError, open_source, read_picture
from vision.draw import draw_reading, encode_png
from vision.field import NotRegistered, Registration
from vision.frame import Image
from vision.locate import locate
from vision.pipeline import place_field, step
from vision.reading import read_still
from vision.state import Table, boards_for, start
from vision.typed import check_in_picture, corners_typed, fps_typed, why_no_picture
from web.main import serve

DONE, UNUSABLE, WRONG_WORDS, INTERRUPTED = 0, 1, 2, 130
"""Exit statuses, as INTERFACE promises them."""

N_GROUPS = 3
"""Groups of stones that are told apart in a photograph: A, B and C."""

BAR_WIDTH = 30
"""Characters of the progress bar."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = _parser()
    given = parser.parse_args(words)
    _check_options(parser, given)
    _hush_opencv()
    try:
        status = int(given.run(given))
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _forget_output()  # who reads us has gone
        return DONE
    except OSError as why:
        _forget_output()
        where = "" if why.filename is None else f" {str(why.filename)!r}"
        return _complain(f"the system refuses{where}: {why.strerror or why}")
    except MemoryError:
        return _complain("there is not enough memory for this: try a smaller picture")
    except (SourceError, ValueError) as why:
        return _complain(str(why))


def _check_options(parser: argparse.ArgumentParser, given: argparse.Namespace) -> None:
    """Options of a game can only be judged together with it; ends with the usage when they are wrong."""
    if getattr(given, "game", ""):
        try:
            find_variant(given.game, **dict(given.option))
        except ValueError as why:
            parser.error(str(why))


def _hush_opencv() -> None:
    """What went wrong is said once, in a sentence of ours; who debugs sets these variables."""
    if "OPENCV_LOG_LEVEL" not in os.environ:
        cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")


def _forget_output() -> None:
    """Nothing more can be written; what is still buffered must not be tried again at exit."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(why: str) -> int:
    print(f"millchen: {why}", file=sys.stderr)
    return UNUSABLE


# ------------------------------------------------------------------ millchen
def _page(given: argparse.Namespace) -> int:
    corners = None if given.corners is None else tuple((float(x), float(y)) for x, y in given.corners)
    return serve(
        source=given.source,
        game=given.game,
        options=dict(given.option),
        port=given.port,
        open_browser=not given.no_browser,
        data_dir=given.data,
        corners=corners,
    )


# ------------------------------------------------------------------ millchen read
def _read(given: argparse.Namespace) -> int:
    boards = None if given.board is None else _boards_named(given.board)
    empty = None
    if given.empty is not None:
        empty = read_picture(given.empty)
        if empty is None:
            return _complain(f"--empty {str(given.empty)!r}: {why_no_picture(given.empty)}")
    n_read = 0
    for path in given.images:
        answer, painted = _read_one(path, boards, empty)
        if given.draw is not None and painted is not None:
            try:
                _drawing_for(given.draw, path, len(given.images)).write_bytes(encode_png(painted))
            except OSError as why:
                return _complain(f"{str(given.draw)!r} cannot be written ({why.strerror}): choose another place")
        n_read += answer["board"] is not None
        if given.json:
            print(json.dumps(answer), flush=True)
        else:
            _tell_reading(answer)
    return DONE if n_read else UNUSABLE


def _drawing_for(target: Path, image: Path, n_images: int) -> Path:
    """One picture is drawn into the file that was named, several into that folder, each under its own name."""
    return target if n_images == 1 else target / f"{image.stem}.png"


def _read_one(path: Path, boards: Sequence[Board] | None, empty: Image | None) -> tuple[dict[str, Any], Image | None]:
    """What a photograph shows, and the same painted over it where it is one."""
    bgr = read_picture(path)
    if bgr is None:
        return {"image": str(path), "board": None, "reason": why_no_picture(path)}, None
    registration = _locate_with_empty(bgr, boards, empty)
    if isinstance(registration, NotRegistered):
        reason = _no_field(registration)
        return {"image": str(path), "board": None, "reason": reason}, draw_reading(bgr, registration, None)
    bare = empty if empty is not None and empty.shape == bgr.shape else None
    reading = read_still(bgr, registration, bare, _most_groups(registration.field.board))
    points = {
        name: {
            "x": round(float(x), 1),
            "y": round(float(y), 1),
            "stone": reading.stones[i],
            "height": int(reading.heights[i]),
            "p": round(float(reading.p[i]), 4),
        }
        for i, (name, (x, y)) in enumerate(
            zip(registration.field.board.points, registration.field.points_px, strict=True)
        )
    }
    answer: dict[str, Any] = {
        "image": str(path),
        "board": registration.field.board.name,
        "confidence": round(registration.confidence, 4),
        "points": points,
        "groups": dict(reading.groups),
    }
    return answer, draw_reading(bgr, registration, reading)


def _no_field(seen: NotRegistered) -> str:
    opening = "no playing field in sight: "
    return opening + seen.reason.removeprefix(opening)


def _most_groups(board: Board) -> int:
    """How many kinds of stones may lie on a board, as the games on it have players; turning rings have room for all."""
    players = [find_variant(name).players for name in variants_on(board)]
    return N_GROUPS if board.rings else min(N_GROUPS, max(players, default=N_GROUPS))


def _locate_with_empty(bgr: Image, boards: Sequence[Board] | None, empty: Image | None) -> Registration | NotRegistered:
    """The field where it is seen best: on the empty picture of the same table where there is one."""
    if empty is not None and empty.shape == bgr.shape:
        bare = locate(empty, boards)
        if isinstance(bare, Registration):
            return bare
    return locate(bgr, boards)


def _tell_reading(answer: dict[str, Any]) -> None:
    if answer["board"] is None:
        print(f"{answer['image']}: {answer['reason']}")
        return
    stones = ", ".join(f"{name} {seen['stone']}" for name, seen in answer["points"].items() if seen["stone"])
    print(f"{answer['image']}: {answer['board']} ({answer['confidence']:.0%}): {stones or 'no stones'}")


def _boards_named(name: str) -> tuple[Board, ...]:
    if name == "moulin_rouge":
        return tuple(moulin_rouge(n) for n in range(6, 17))
    return (BOARDS[name],)


# ------------------------------------------------------------------ millchen watch
def _watch(given: argparse.Namespace) -> int:
    variant = find_variant(given.game, **dict(given.option))
    say = _say_json(variant.board) if given.json else _say_words(given.language, variant.board)
    with open_source(given.source, fps=given.fps) as source:
        _follow_game(source, variant, given.corners, say, progress=sys.stderr.isatty())
    return DONE


def _follow_game(
    source: FrameSource,
    variant: Variant,
    corners: list[tuple[float, float]] | None,
    say: Callable[[Event], None],
    *,
    progress: bool,
) -> None:
    table = Table(variant, boards_for(variant), pictures=source.settled)
    state = start(table)
    for frame in source:
        events: tuple[Event, ...] = ()
        if corners is not None:
            check_in_picture(corners, frame.size_px)
            state, events = place_field(state, frame, table, np.array(corners, np.float64))
            corners = None
        state, more = step(state, frame, table)
        if progress and source.n_frames:
            _draw_bar(frame.sequence + 1, source.n_frames)
        for event in events + more:
            if progress:
                print("\r\x1b[K", end="", file=sys.stderr)
            say(event)
    if progress:
        print("\r\x1b[K", end="", file=sys.stderr)
    if state.anchor is None and state.searched_s == float("-inf"):
        raise SourceError("the video ended before the board lay still: film the table for a second or longer")
    if state.anchor is None and isinstance(state.registration, NotRegistered):
        raise SourceError(_no_field(state.registration))


def _draw_bar(done: int, total: int) -> None:
    filled = round(BAR_WIDTH * done / total)
    print(f"\r[{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {done}/{total}", end="", file=sys.stderr, flush=True)


def _say_json(board: Board) -> Callable[[Event], None]:
    def say(event: Event) -> None:
        print(json.dumps(to_json(event, sentence(event, "en", board=board))), flush=True)

    return say


def _say_words(language: str, board: Board) -> Callable[[Event], None]:
    def say(event: Event) -> None:
        minutes, seconds = divmod(event.time_s, 60)
        number = f"{event.ply:3}. " if isinstance(event, TurnPlayed) else "     "
        print(f"{int(minutes):02}:{seconds:04.1f} {number}{sentence(event, language, board=board)}", flush=True)

    return say


# ------------------------------------------------------------------ millchen judge
def _judge(given: argparse.Namespace) -> int:
    lawful = True
    if sys.stdin is None:
        return _complain("standard input is closed: judge reads one game a line from it")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # a broken line must not hide the ones after it
    for line in sys.stdin:
        if not line.strip():
            continue
        answer, was_lawful = judge_line(line)
        lawful &= was_lawful
        print(json.dumps(answer), flush=True)
    return DONE if lawful else UNUSABLE


# ------------------------------------------------------------------ millchen rules
def _rules(given: argparse.Namespace) -> int:
    variant = find_variant(given.game, **dict(given.option))
    if given.svg is not None:
        try:
            given.svg.write_text(board_svg(variant.board), encoding="utf-8")
        except OSError as why:
            return _complain(f"{str(given.svg)!r} cannot be written ({why.strerror}): choose another place")
    print(rules_text(variant, given.language))
    print(board_text(variant.board))
    if given.options:
        print(options_text(PRESETS[given.game]))
    return DONE


# ------------------------------------------------------------------ words
def _port(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to 65535, got {text!r}")
    return int(text)


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"an option of the game is written NAME=VALUE, got {text!r}")
    return name, value


def _game_words(parser: argparse.ArgumentParser, default: str | None) -> None:
    parser.add_argument(
        "--game",
        required=default is None,
        default=default,
        choices=list(PRESETS),
        metavar="GAME",
        help=f"one of {', '.join(PRESETS)}",
    )
    parser.add_argument(
        "--option",
        type=_option,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a rule of the game, as fly=own",
    )
    parser.add_argument(
        "--corners",
        type=corners_typed,
        metavar="X,Y,...",
        help="the four corners of the field in the first frame, clockwise from the one that is to be a7, in pixels",
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="millchen", description="The referee at a hand-made mill board.")
    _game_words(parser, "")
    parser.add_argument("--source", metavar="SOURCE", help="camera number, video file or address (default: the demo)")
    parser.add_argument("--port", type=_port, default=8321, help="port of the page on 127.0.0.1 (default 8321)")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="where the journal lies")
    parser.set_defaults(run=_page)
    commands = parser.add_subparsers(title="commands", metavar="read | watch | judge | rules")

    read = commands.add_parser("read", help="read photographs of a table")
    read.add_argument("images", nargs="+", type=Path, metavar="IMAGE")
    read.add_argument("--board", choices=sorted(BOARDS), help="the kind of board (default: recognised)")
    read.add_argument("--empty", type=Path, metavar="IMAGE", help="the same table, same camera, with the empty board")
    read.add_argument(
        "--draw",
        type=Path,
        metavar="PNG",
        help="paint what was seen over the picture (a folder where there are several)",
    )
    read.add_argument("--json", action="store_true", help="one JSON object a photograph")
    read.set_defaults(run=_read)

    watch = commands.add_parser("watch", help="referee a game from a camera, a video or a folder of pictures")
    watch.add_argument("source", metavar="SOURCE", help="camera number, video file, address or folder of pictures")
    _game_words(watch, None)
    watch.add_argument("--fps", type=fps_typed, help="play a folder of pictures as a video of so many frames a second")
    watch.add_argument("--language", choices=LANGUAGES, default="en", help="language of the announcements")
    watch.add_argument("--json", action="store_true", help="one JSON object an event")
    watch.set_defaults(run=_watch)

    judge = commands.add_parser("judge", help="judge games without a camera: JSON lines in, JSON lines out")
    judge.add_argument("--json", action="store_true", help="accepted for symmetry; the answers are always JSON")
    judge.set_defaults(run=_judge)
    rules = commands.add_parser("rules", help="explain a game, and draw its board")
    rules.add_argument("game", choices=sorted(PRESETS), metavar="GAME", help=f"one of {', '.join(PRESETS)}")
    rules.add_argument("--option", type=_option, action="append", default=[], metavar="NAME=VALUE", help="as for watch")
    rules.add_argument("--options", action="store_true", help="list the options of the game too")
    rules.add_argument("--language", choices=LANGUAGES, default="en", help="language of the explanation")
    rules.add_argument("--svg", type=Path, metavar="FILE", help="draw the board into this file")
    rules.set_defaults(run=_rules)
    return parser


if __name__ == "__main__":
    cv2.setNumThreads(2)
    sys.exit(main())
