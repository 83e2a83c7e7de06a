#!/usr/bin/env python3
"""The command ``millchen``: wires camera, eyes, referee, journal and page together.

Without words it opens the page and referees the bundled demo game. ``read``, ``watch`` and ``judge`` print JSON for
other programs, one object a line, on standard output; everything meant for people goes to standard error.
"""

from __future__ import annotations

try:
    import os
    import signal
    import threading
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import contextmanager, suppress

    @contextmanager
    def _ctrl_c_ends_at_once() -> Iterator[None]:
        """While something is loaded: an exception would be printed, or taken for another one, by what it interrupts."""
        before = signal.getsignal(signal.SIGINT)
        is_ours = before is signal.default_int_handler and threading.current_thread() is threading.main_thread()
        if is_ours:
            signal.signal(signal.SIGINT, lambda *_: os._exit(130))
        try:
            yield
        finally:
            if is_ours:
                signal.signal(signal.SIGINT, before)

    with _ctrl_c_ends_at_once():
        import argparse
        import io
        import json
        import sys
        from importlib import import_module
        from pathlib import Path
        from typing import Any, TypeAlias, cast

        from languages import LANGUAGES, message
        from referee.drawing import board_text
        from referee.explain import options_text, rules_text
        from referee.judge import judge_line
        from referee.nearest_word import shown
        from referee.presets import PRESETS, find_variant
        from vision.commands.arguments import (
            PlainParser,
            add_game_arguments,
            make_writable,
            one_line,
            parse_address,
            parse_option,
        )
        from web.commands.page_arguments import parse_demo, parse_ip_address, parse_partner, parse_port, parse_table
        from web.drawing.position_svg import empty_board_svg
        from web.errors import MillchenError
        from web.table.source_names import demo_games
except KeyboardInterrupt:  # before Ctrl-C ends at once
    raise SystemExit(130) from None

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

DONE, UNUSABLE, INTERRUPTED = 0, 1, 130
"""Exit statuses on which other programs rely; the fourth is ``WRONG_WORDS``, 2."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    try:
        return _run(words)
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(words: Sequence[str] | None) -> int:
    parser = _parser()
    _hush_opencv()
    given = parser.parse_args(words)
    _check_options(parser, given)
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
    except Exception as why:
        sources = sys.modules.get("vision.capture.sources")  # loaded only if a source was opened at all
        unusable = getattr(sources, "SourceError", ValueError)
        if isinstance(why, (ValueError, MillchenError, unusable)):
            return _complain(str(why))
        raise


def _check_options(parser: argparse.ArgumentParser, given: argparse.Namespace) -> None:
    """Options of a game can only be judged together with it; ends with a sentence when they are wrong."""
    if getattr(given, "game", ""):
        try:
            variant = find_variant(given.game, **dict(given.option))
        except ValueError as why:
            parser.error(str(why))
        for player, *_ in getattr(given, "partner", None) or ():
            if player > variant.players:
                parser.error(str(message("partner.no_player", player=player, n=variant.players)))


def _hush_opencv() -> None:
    """What went wrong is said once, in a sentence of ours; who debugs sets these variables. Read when it is loaded."""
    os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")


def _load(place: str) -> Any:
    """Something by the name of its module and its own, with all that it stands on, which takes up to a second."""
    module, _, name = place.partition(":")
    with _ctrl_c_ends_at_once():
        try:
            import_module("cv2")
        except ImportError as missing:
            raise SystemExit(
                f"millchen cannot see without OpenCV's system libraries ({missing}): "
                "install them with 'apt-get install libgl1 libglib2.0-0'"
            ) from None
        return getattr(import_module(module), name)


def _forget_output() -> None:
    """Nothing more can be written; what is still buffered must not be tried again at exit."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(why: str) -> int:
    print(f"millchen: {one_line(why)}", file=sys.stderr)
    return UNUSABLE


# ------------------------------------------------------------------ millchen
def _page(given: argparse.Namespace) -> int:
    return int(_load("web.main:serve")(_load("web.main:page_request")(given)))


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
        make_writable(given.svg)
        given.svg.write_text(empty_board_svg(variant.board), encoding="utf-8")
    print(rules_text(variant, given.language))
    print(board_text(variant.board))
    if given.options:
        print(options_text(PRESETS[given.game], given.language))
    return DONE


# ------------------------------------------------------------------ words
class _PrintVersion(argparse.Action):
    """Prints the version; what knows it is loaded only then."""

    def __init__(self, option_strings: Sequence[str], dest: str, **more: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, **more)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print and end."""
        print(f"millchen {import_module('web.net.health').millchen_version()}")
        parser.exit(DONE)


def _parser() -> argparse.ArgumentParser:
    parser = _Page(prog="millchen", description="The referee at a hand-made mill board.")
    parser.add_argument("--version", action=_PrintVersion, help="print the version and end")
    _add_page_arguments(parser)
    commands = cast(
        Commands, parser.add_subparsers(title="commands", metavar=" | ".join(COMMANDS), parser_class=_Command)
    )
    for name, (what, add) in COMMANDS.items():
        commands.add_parser(name, help=what, add=add)
    return parser


def _add_page_arguments(parser: argparse.ArgumentParser) -> None:
    add_game_arguments(parser, "")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--source",
        type=parse_address,
        metavar="SOURCE",
        help="camera number, video file, address, or @FILE that holds an address with a password (default: the demo)",
    )
    shown.add_argument(
        "--demo",
        type=parse_demo,
        metavar="GAME",
        help=f"the bundled clip of a game: {', '.join(demo_games())}",
    )
    parser.add_argument("--port", type=parse_port, default=8321, help="port of the page on 127.0.0.1 (default 8321)")
    parser.add_argument(
        "--lan",
        nargs="?",
        const="",
        type=parse_ip_address,
        metavar="ADDRESS",
        help="let phones in the network in: https, with links for viewers, camera and referee",
    )
    parser.add_argument(
        "--table",
        action="append",
        type=parse_table,
        metavar="NAME[=SOURCE]",
        help="a table that was measured with 'millchen calibrate', or any with its source; up to four of them",
    )
    parser.add_argument(
        "--partner",
        action="append",
        type=parse_partner,
        metavar="PLAYER=STRENGTH[:explain]",
        help="Millchen plays for a player, as 2=medium; easy, medium or strong; may be given for several players",
    )
    parser.add_argument(
        "--archive",
        type=parse_address,
        metavar="ADDRESS",
        help="send the games to postgresql://user@host/database, or to @FILE that holds an address with a password",
    )
    parser.add_argument(
        "--mqtt",
        type=parse_address,
        metavar="ADDRESS",
        help="tell what is announced to mqtt://host/prefix, or to @FILE that holds an address with a password",
    )
    parser.add_argument(
        "--no-link", action="store_true", help="let everybody with an account on this computer be the referee too"
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="where the journal lies")
    parser.set_defaults(run=_page)


class _Page(PlainParser):
    """The words before a command; a first word that is no command may still tell what somebody wants."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices and value not in (None, ""):
            meant = f"--{value}" if f"--{value}" in self._option_string_actions else ""
            meant = f"--game {value}" if value in PRESETS else meant
            with suppress(OSError):  # a name that no file can have
                if Path(value).exists() and not meant:
                    is_picture = Path(value).suffix.lower() in (".jpg", ".jpeg", ".png", ".webp")
                    meant = f"'millchen {'read' if is_picture else 'watch'} {shown(value)[1:-1]}'"
            if meant:
                raise argparse.ArgumentError(None, f"no command {shown(value)}; did you mean {meant}?")
        super()._check_value(action, value)


class _Command(PlainParser):
    """A command whose words are only known, and whose libraries only loaded, when somebody asks for it."""

    def __init__(self, add: str | Callable[[Commands], None], **more: Any) -> None:
        super().__init__(**more, add_help=False)
        self._add = add

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """What was typed, read by the command itself."""
        found = PlainParser(prog="millchen").add_subparsers()
        add = _load(self._add) if isinstance(self._add, str) else self._add
        add(cast(Commands, found))
        (command,) = found.choices.values()
        return command.parse_known_args(args, namespace)


def _add_judge(commands: Commands) -> None:
    judge = commands.add_parser("judge")
    judge.add_argument("--json", action="store_true", help="accepted for symmetry; the answers are always JSON")
    judge.set_defaults(run=_judge)


def _add_rules(commands: Commands) -> None:
    rules = commands.add_parser("rules")
    rules.add_argument("game", choices=sorted(PRESETS), metavar="GAME", help=f"one of {', '.join(PRESETS)}")
    rules.add_argument(
        "--option", type=parse_option, action="append", default=[], metavar="NAME=VALUE", help="as for watch"
    )
    rules.add_argument("--options", action="store_true", help="list the options of the game too")
    rules.add_argument("--language", choices=LANGUAGES, default="en", help="language of the explanation")
    rules.add_argument("--svg", type=Path, metavar="FILE", help="draw the board into this file")
    rules.set_defaults(run=_rules)


COMMANDS: dict[str, tuple[str, str | Callable[[Commands], None]]] = {
    "read": ("read photographs of a table", "calibration.commands.read:add_read"),
    "watch": (
        "referee a game from a camera, a video or a folder of pictures",
        "calibration.commands.watch:add_watch",
    ),
    "calibrate": (
        "measure a table once: camera, lens, field, stones",
        "calibration.commands.calibrate:add_calibrate",
    ),
    "tables": (
        "list, show, export, import or delete measured tables",
        "calibration.commands.measured_tables:add_tables",
    ),
    "pattern": ("write the sheet that a lens is measured with", "calibration.commands.make_board:add_pattern"),
    "make": (
        "write the template of a board, to be printed at its size",
        "calibration.commands.make_board:add_make",
    ),
    "games": ("list, show, check, export and copy the games that were kept", "web.commands.games:add_games"),
    "cases": (
        "list, show, export, delete or try again what the referee was unsure of",
        "web.commands.cases:add_cases",
    ),
    "link": ("print the link that opens the page in another browser of yours", "web.commands.link:add_link"),
    "doctor": ("look whether everything is there that an evening needs", "web.commands.doctor:add_doctor"),
    "judge": ("judge games without a camera: JSON lines in, JSON lines out", _add_judge),
    "rules": ("explain a game, and draw its board", _add_rules),
}
"""What there is besides the page, with one line on each, and what says how it is written, by its place or itself."""


if __name__ == "__main__":
    os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "2")
    sys.exit(main())
