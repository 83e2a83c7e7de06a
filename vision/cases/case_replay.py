"""A case in, the step that the pipeline takes today out: its pictures are photographs of a game that goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from languages import message
from referee.boards import boards_for
from referee.record_files import read_records
from vision.capture.pictures import decode_picture
from vision.cases.case import Moment, members_of, read_case_data
from vision.decoding.belief import Dispute
from vision.imaging.field import Field, Registration
from vision.imaging.frame import Frame
from vision.pipeline import read_table
from vision.watching.field_search import take_field
from vision.watching.state import Break, State, TableSetup, Unseen, start
from vision.watching.table_tracking import begin_photograph


def try_again(case: bytes) -> Moment:
    """Return the step that the pipeline takes today. Raises ``ValueError`` as ``read_case_data``."""
    case_data, members = read_case_data(case), members_of(case)
    try:
        game = read_records(members["game.pgn"].decode())[0].game
        board, points = game.variant.board, case_data["points"]
        names = ("before.jpg", "now.jpg") if points else ("now.jpg",)
        frames = [Frame(decode_picture(members[name]), float(k), k) for k, name in enumerate(names)]
        if len({frame.size_px for frame in frames}) > 1:
            raise ValueError("two cuttings")
        table = TableSetup(game.variant, (board,) if points else boards_for(game.variant))
        state = _state_before(start(table, game, Break(colours=tuple(map(str, case_data["colours"])))), case_data)
        if points:
            points_px = np.array([points[name] for name in board.points], np.float64)
            field = Field.fitted(board, str(case_data["drawing"]), points_px)
            state = take_field(state, frames[0], Registration(field, 1.0)).state
    except (KeyError, TypeError, ValueError, IndexError) as why:
        raise ValueError(message("case.broken")) from why
    for frame in frames:
        before = begin_photograph(state, frame)
        result = read_table(before, frame, table)
        state = result.state
    return Moment(before, frame, result)


def _state_before(state: State, case_data: Mapping[str, Any]) -> State:
    """Return the state with the stones of a case, where they were not as the game says."""
    dispute = Dispute(tuple(map(int, case_data["before"]))) if case_data["is_disputed"] else None
    state = replace(state, belief=replace(state.belief, dispute=dispute))
    return replace(state, n_searches=int(case_data["searches"])) if isinstance(state, Unseen) else state
