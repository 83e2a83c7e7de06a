"""The log: warnings on the terminal, and one JSON object a line in a file of the data folder.

Neither contains an image, a token, a password of an address or what people typed as a remark.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from vision.capture.addresses import without_secrets

LOG_FILE = "log.jsonl"

MAX_LOG_BYTES = 1_000_000
"""Size at which the log file is rotated. Source: chosen."""

N_ROTATED_FILES = 2
"""Older log files that are kept; all of them hold about a week of evenings. Source: chosen."""


class JsonLinesFormatter(logging.Formatter):
    """Formats a record as one line of JSON: time, level, name, text, and a traceback where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "name": record.name,
            "text": without_secrets(record.getMessage()),
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["trace"] = without_secrets("".join(traceback.format_exception(*record.exc_info)))
        return json.dumps(line, ensure_ascii=False)


class TerminalFormatter(logging.Formatter):
    """Formats a record for people."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the text, with a traceback where there is one."""
        return without_secrets(super().format(record))


class LogHandlers:
    """The handlers of the log, installed from `__init__` until `close`.

    A full disk loses lines of the log but does not stop the game.

    Args:
        folder: Where the log file is written.
    """

    def __init__(self, folder: Path) -> None:
        self._root = logging.getLogger("millchen")
        self._handlers: list[logging.Handler] = []
        terminal = logging.StreamHandler(sys.stderr)
        terminal.setLevel(logging.WARNING)
        terminal.setFormatter(TerminalFormatter("%(levelname)s %(name)s: %(message)s"))
        self._handlers.append(terminal)
        problem = ""
        try:
            file = RotatingFileHandler(
                folder / LOG_FILE, maxBytes=MAX_LOG_BYTES, backupCount=N_ROTATED_FILES, encoding="utf-8"
            )
        except OSError as why:
            problem = why.strerror or str(why)
        else:
            file.setFormatter(JsonLinesFormatter())
            file.handleError = _ignore_write_error  # type: ignore[assignment, method-assign]
            self._handlers.append(file)
        self._before = self._root.level, self._root.propagate
        self._root.setLevel(logging.INFO)
        self._root.propagate = False
        for handler in self._handlers:
            self._root.addHandler(handler)
        if problem:
            self._root.warning("no log is kept in %s: %s", folder, problem)

    def close(self) -> None:
        """Remove the handlers and restore the logger's settings."""
        for handler in self._handlers:
            self._root.removeHandler(handler)
            handler.close()
        self._root.setLevel(self._before[0])
        self._root.propagate = self._before[1]

    def __enter__(self) -> LogHandlers:
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _ignore_write_error(_: logging.LogRecord) -> None:
    """Drop a line that could not be written; the important ones are on the terminal."""
