"""Steps of vision and people's answers in, cases in the data folder out.

The vision process keeps them, because it has the pictures. A frame costs nothing: states are values, so a case is a few
references until a thread writes it.
"""

from __future__ import annotations

import logging
import platform
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import cv2
import numpy as np

from referee.events import BoardFound, BoardLost, FoulStood, Restored
from referee.game import Game
from vision.cases.case import Moment, kind_of, may_be_kept, read_case_data, with_case_data, write_case
from vision.imaging.field import NotRegistered
from vision.imaging.frame import Frame
from vision.watching.state import State, StepResult, Unseen
from web.journal.data_folder import CaseFolder
from web.journal.journal_record import JournalRecord, case_mark
from web.net.health import millchen_version

log = logging.getLogger("millchen.cases")

BY_PEOPLE = {"corrected": "corrected", "turned": "corrected", "amended": "taken_back", "kept": "other_game"}
"""Reason for keeping a case of a sure decision, by the kind of record that corrected it."""


@dataclass(eq=False)
class _Step:
    """The newest step in which something was decided, and the number of its case once it is written."""

    moment: Moment
    number: int | None = None
    is_kept: bool = False

    def is_about(self, kind: str) -> bool:
        """Return whether people can mean this step: of one without a board they only say that they keep the game."""
        return isinstance(self.moment.result.state, Unseen) == (kind == "kept")


class CaseKeeper:
    """Keeps cases while people let it, in a thread that begins with the first one."""

    def __init__(self, data_folder: Path | None, first: JournalRecord | None = None) -> None:
        self._of = {} if first is None else {"of": case_mark(first)}
        self._folder = None if data_folder is None else CaseFolder(data_folder)
        self._newest: _Step | None = None
        self._writer = ThreadPoolExecutor(1, "cases")

    def note_step(self, before: State, frame: Frame, result: StepResult[State]) -> None:
        """Take note of a step."""
        if self._folder is None:
            return
        for event in result.events:
            if isinstance(event, Restored | FoulStood):
                self._add_word("restored" if isinstance(event, Restored) else "stood", result.state.game)
        kind, step = kind_of(before, result), _Step(Moment(before, frame, result))
        if kind == "unfound":  # what people say is of the board as it was seen last
            self._keep(step, kind)
        elif kind or any(not isinstance(event, BoardFound | BoardLost) for event in result.events):
            self._newest = step if may_be_kept(before, result) else None
            if kind and self._newest is not None:
                self._keep(self._newest, kind)

    def note_answer(self, kind: str, game: Game) -> None:
        """Take note that people changed the game by a record of this kind."""
        step = self._newest
        if step is not None and not step.is_kept and kind in BY_PEOPLE and step.is_about(kind):
            self._keep(step, BY_PEOPLE[kind])
        self._add_word(kind, game)

    def close(self) -> None:
        """Wait until everything is written."""
        self._writer.shutdown()

    def _keep(self, step: _Step, kind: str) -> None:
        step.is_kept = True

        def write(folder: CaseFolder) -> None:
            if isinstance(step.moment.result.state.registration, NotRegistered) and not folder.shows_rooms:
                return
            about = {"day": date.today().isoformat(), "versions": versions(), "said": [], **self._of}
            step.number = folder.add(write_case(kind, step.moment, about))

        self._writer.submit(self._carry_out, write)

    def _add_word(self, kind: str, game: Game) -> None:
        step = self._newest
        if step is None or not step.is_kept or not step.is_about(kind):
            return

        def write(folder: CaseFolder) -> None:
            number = step.number
            if number is not None and (case := folder.load(number)) is not None:
                case_data = read_case_data(case)
                case_data["said"].append({"kind": kind, "tops": list(game.position.tops)})
                folder.replace(number, with_case_data(case, case_data))

        self._writer.submit(self._carry_out, write)

    def _carry_out(self, work: Callable[[CaseFolder], None]) -> None:
        try:
            if self._folder is not None and self._folder.is_on:
                work(self._folder)
        except Exception as why:  # the game goes on without a case
            log.error("a case was not kept: %s: %s", type(why).__name__, why)


def versions() -> dict[str, str]:
    """Return the versions on which digits may depend, and the kind of processor."""
    return {
        "millchen": millchen_version(),
        "opencv": cv2.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
    }
