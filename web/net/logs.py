"""The log: warnings on the terminal, and one JSON object a line in a file of the data folder.

Neither contains an image, a token, a password of an address or what people typed as a remark.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path

from vision.capture.addresses import without_secrets

LOG_FILE = "log.jsonl"

MAX_LOG_BYTES = 1_000_000  # size at which the log file is rotated
N_ROTATED_FILES = 2  # older log files that are kept; all of them hold about a week of evenings


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


class LogFile(RotatingFileHandler):
    """The log file; a line that a full disk does not take is dropped, and the important ones are on the terminal."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is logging's
        """Drop the line."""


@contextmanager
def log_to(folder: Path) -> Iterator[None]:
    """Log to the terminal, and to a file in this folder, until the block ends."""
    root = logging.getLogger("millchen")
    terminal = logging.StreamHandler(sys.stderr)
    terminal.setLevel(logging.WARNING)
    terminal.setFormatter(TerminalFormatter("%(levelname)s %(name)s: %(message)s"))
    handlers: list[logging.Handler] = [terminal]
    problem = ""
    try:
        file = LogFile(folder / LOG_FILE, maxBytes=MAX_LOG_BYTES, backupCount=N_ROTATED_FILES, encoding="utf-8")
    except OSError as why:
        problem = why.strerror or str(why)
    else:
        file.setFormatter(JsonLinesFormatter())
        handlers.append(file)
    before = root.level, root.propagate
    root.setLevel(logging.INFO)
    root.propagate = False
    for handler in handlers:
        root.addHandler(handler)
    if problem:
        root.warning("no log is kept in %s: %s", folder, problem)
    try:
        yield
    finally:
        for handler in handlers:
            root.removeHandler(handler)
            handler.close()
        root.setLevel(before[0])
        root.propagate = before[1]
