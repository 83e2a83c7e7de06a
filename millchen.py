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
        """Let Ctrl-C end the program at once while modules load: an exception there would be misread or printed."""
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
        from typing import Annotated, Any

        from languages import message
        from referee.drawing import board_text
        from referee.explain import options_text, rules_text
        from referee.judge import judge_line
        from referee.nearest_word import quoted
        from referee.presets import PRESETS, find_variant
        from vision.commands.arguments import GameName, Language, PlainParser, Rules, make_writable, one_line
        from vision.commands.from_signature import Word, add_words
        from web.commands.page_arguments import PageWords, TableWords
        from web.errors import MillchenError
except KeyboardInterrupt:  # before Ctrl-C ends at once
    raise SystemExit(130) from None

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
    except (ValueError, MillchenError) as why:
        return _complain(str(why))


def _check_options(parser: argparse.ArgumentParser, given: argparse.Namespace) -> None:
    """Check the options of a game together with it, and exit with a sentence when they are wrong."""
    if getattr(given, "game", ""):
        try:
            variant = find_variant(given.game, **dict(given.option))
        except ValueError as why:
            parser.error(str(why))
        for player, *_ in getattr(given, "partner", None) or ():
            if player > variant.players:
                parser.error(str(message("partner.no_player", player=player, n=variant.players)))


def _hush_opencv() -> None:
    """Silence OpenCV before it loads: Millchen says errors in its own sentences; set the variables to debug."""
    os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")


def _load(place: str) -> Any:
    """Import a module and return one of its names; that takes up to a second."""
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
    """Give up standard output, so that Python does not try to write the rest at exit."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(why: str) -> int:
    print(f"millchen: {one_line(why)}", file=sys.stderr)
    return UNUSABLE


# ------------------------------------------------------------------ millchen
def _page(*, tables: TableWords, page: PageWords) -> int:
    """Open the page, and referee."""
    return int(_load("web.main:serve")(_load("web.commands.page_request:page_request")(tables, page)))


# ------------------------------------------------------------------ millchen judge
def _judge(*, json_: Annotated[bool, "accepted for symmetry; the answers are always JSON"] = False) -> int:
    """Judge games without a camera."""
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
def _rules(
    game: GameName,
    *,
    option: Rules = (),
    options: Annotated[bool, "list the options of the game too"] = False,
    language: Language = "en",
    svg: Annotated[Path | None, Word("draw the board into this file", "FILE")] = None,
) -> None:
    """Explain a game, and draw its board."""
    variant = find_variant(game, **dict(option))
    if svg is not None:
        make_writable(svg)
        drawing = import_module("web.drawing.position_svg")  # slow to load; other commands need not wait
        svg.write_text(drawing.empty_board_svg(variant.board), encoding="utf-8")
    print(rules_text(variant, language))
    print(board_text(variant.board))
    if options:
        print(options_text(PRESETS[game], language))


# ------------------------------------------------------------------ words
class _PrintVersion(argparse.Action):
    """Prints the version, and loads its module only then."""

    def __init__(self, option_strings: Sequence[str], dest: str, **more: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, **more)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print and end."""
        print(f"millchen {import_module('web.net.health').millchen_version()}")
        parser.exit(DONE)


def _parser() -> argparse.ArgumentParser:
    parser = _Page(prog="millchen", description="The referee at a hand-made mill board.")
    parser.add_argument("--version", action=_PrintVersion, help="print the version and end")
    add_words(parser, _page)
    commands = parser.add_subparsers(title="commands", metavar=" | ".join(COMMANDS), parser_class=_Command)
    for name, (what, do) in COMMANDS.items():
        commands.add_parser(name, help=what, do=do)
    return parser


class _Page(PlainParser):
    """The words before a command; an unknown first word gets a hint."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices and value not in (None, ""):
            meant = f"--{value}" if f"--{value}" in self._option_string_actions else ""
            meant = f"--game {value}" if value in PRESETS else meant
            with suppress(OSError):  # a name that no file can have
                if Path(value).exists() and not meant:
                    is_picture = Path(value).suffix.lower() in (".jpg", ".jpeg", ".png", ".webp")
                    meant = f"'millchen {'read' if is_picture else 'watch'} {quoted(value)[1:-1]}'"
            if meant:
                raise argparse.ArgumentError(None, f"no command {quoted(value)}; did you mean {meant}?")
        super()._check_value(action, value)


class _Command(PlainParser):
    """A command that builds its parser and loads its libraries only when it is called."""

    def __init__(self, do: str | Callable[..., int | None], **more: Any) -> None:
        super().__init__(**more, add_help=False)
        self._do = do

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the words with the command's own parser."""
        command = PlainParser(prog=self.prog)
        add_words(command, _load(self._do) if isinstance(self._do, str) else self._do)
        return command.parse_known_args(args, namespace)


COMMANDS: dict[str, tuple[str, str | Callable[..., int | None]]] = {
    "read": ("read photographs of a table", "calibration.commands.read:read"),
    "watch": ("referee a game from a camera, a video or a folder of pictures", "calibration.commands.watch:watch"),
    "calibrate": ("measure a table once: camera, lens, field, stones", "calibration.commands.calibrate:calibrate"),
    "tables": ("list, show, export, import or delete measured tables", "calibration.commands.measured_tables:TABLES"),
    "pattern": ("write the sheet that a lens is measured with", "calibration.commands.make_board:pattern"),
    "make": ("write the template of a board, to be printed at its size", "calibration.commands.make_board:make"),
    "games": ("list, show, check, export and copy the games that were kept", "web.commands.games:GAMES"),
    "cases": ("list, show, export, delete or try again what the referee was unsure of", "web.commands.cases:CASES"),
    "link": ("print the link that opens the page in another browser of yours", "web.commands.link:link"),
    "doctor": ("look whether everything is there that an evening needs", "web.commands.doctor:doctor"),
    "judge": ("judge games without a camera: JSON lines in, JSON lines out", _judge),
    "rules": ("explain a game, and draw its board", _rules),
}
"""Subcommands: the line for help, and the function, or the module that has it."""


if __name__ == "__main__":
    os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "2")
    sys.exit(main())
