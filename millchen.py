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
from collections.abc import Sequence
from pathlib import Path

try:
    try:
        import cv2
    except ImportError as missing:
        raise SystemExit(
            f"millchen cannot see without OpenCV's system libraries ({missing}): "
            "install them with 'apt-get install libgl1 libglib2.0-0'"
        ) from None

    from calibration.calibrate_command import add_calibrate
    from calibration.pattern_command import add_pattern
    from calibration.start import known_table
    from calibration.tables_command import add_tables
    from referee.announce import LANGUAGES
    from referee.drawing import board_svg, board_text
    from referee.explain import options_text, rules_text
    from referee.judge import judge_line
    from referee.presets import PRESETS, find_variant
    from vision.camera import SourceError
    from vision.read_command import add_read
    from vision.typed import add_game_words, option_typed
    from vision.watch_command import add_watch
    from web.doctor_command import add_doctor
    from web.games_command import add_games
    from web.lan import address_typed
    from web.main import serve
except KeyboardInterrupt:  # Ctrl-C while the libraries are loaded
    raise SystemExit(130) from None

DONE, UNUSABLE, WRONG_WORDS, INTERRUPTED = 0, 1, 2, 130
"""Exit statuses, as INTERFACE promises them."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    try:
        return _run(words)
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(words: Sequence[str] | None) -> int:
    parser = _parser()
    given = parser.parse_args(words)
    _check_options(parser, given)
    _hush_opencv()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # an old terminal without umlauts gets a question mark, no traceback
    try:
        status = int(given.run(given))
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
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
    if given.table is not None:
        known = known_table(given.table, given.data)
        given.source, given.game = given.source or known.source, given.game or known.game
    return serve(
        source=given.source if given.demo is None else f"demo:{given.demo}",
        game=given.game,
        options=dict(given.option),
        port=given.port,
        open_browser=not given.no_browser,
        data_dir=given.data,
        corners=corners,
        lan=given.lan,
        measured=given.table,
    )


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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="millchen", description="The referee at a hand-made mill board.")
    add_game_words(parser, "")
    parser.add_argument("--source", metavar="SOURCE", help="camera number, video file or address (default: the demo)")
    parser.add_argument("--demo", metavar="GAME", help="the bundled clip of a game: millchen, moulin_rouge, trialectic")
    parser.add_argument("--port", type=_port, default=8321, help="port of the page on 127.0.0.1 (default 8321)")
    parser.add_argument(
        "--lan",
        nargs="?",
        const="",
        type=address_typed,
        metavar="ADDRESS",
        help="let phones in the network in: https, with links for viewers, camera and referee",
    )
    parser.add_argument("--table", metavar="NAME", help="a table that was measured with 'millchen calibrate'")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="where the journal lies")
    parser.set_defaults(run=_page)
    names = "read | watch | calibrate | tables | pattern | games | doctor | judge | rules"
    commands = parser.add_subparsers(title="commands", metavar=names)

    add_read(commands, known_table)
    add_watch(commands, known_table)
    add_calibrate(commands)
    add_tables(commands)
    add_pattern(commands)
    add_games(commands)
    add_doctor(commands)

    judge = commands.add_parser("judge", help="judge games without a camera: JSON lines in, JSON lines out")
    judge.add_argument("--json", action="store_true", help="accepted for symmetry; the answers are always JSON")
    judge.set_defaults(run=_judge)
    rules = commands.add_parser("rules", help="explain a game, and draw its board")
    rules.add_argument("game", choices=sorted(PRESETS), metavar="GAME", help=f"one of {', '.join(PRESETS)}")
    rules.add_argument(
        "--option", type=option_typed, action="append", default=[], metavar="NAME=VALUE", help="as for watch"
    )
    rules.add_argument("--options", action="store_true", help="list the options of the game too")
    rules.add_argument("--language", choices=LANGUAGES, default="en", help="language of the explanation")
    rules.add_argument("--svg", type=Path, metavar="FILE", help="draw the board into this file")
    rules.set_defaults(run=_rules)
    return parser


if __name__ == "__main__":
    cv2.setNumThreads(2)
    sys.exit(main())
