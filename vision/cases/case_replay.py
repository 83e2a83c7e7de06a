"""A case tried again: its two pictures are photographs of a game that goes on, and the pipeline reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from languages import message
from referee.board import Board
from referee.boards import boards_for
from referee.record_files import read_records
from vision.capture.pictures import decode_picture
from vision.cases.case import Moment, members_of, read_told
from vision.decoding.belief import Dispute
from vision.imaging.field import Field, Registration
from vision.imaging.frame import Frame
from vision.imaging.homography import fit_homography
from vision.pipeline import read_table
from vision.watching.field_search import take_field
from vision.watching.state import Break, State, TableSetup, Unseen, start
from vision.watching.table_tracking import begin_photograph


def try_again(case: bytes) -> Moment:
    """Return what comes of a case today. Raises ``ValueError`` as ``read_told``."""
    told, members = read_told(case), members_of(case)
    try:
        game = read_records(members["game.pgn"].decode())[0].game
        names = ("before.jpg", "now.jpg") if told["points"] else ("now.jpg",)
        frames = [Frame(decode_picture(members[name]), float(k), k) for k, name in enumerate(names)]
        if len({frame.size_px for frame in frames}) > 1:
            raise ValueError("two cuttings")
        table = TableSetup(game.variant, (game.variant.board,) if told["points"] else boards_for(game.variant))
        state = _with_what_lay(start(table, game, Break(colours=tuple(map(str, told["colours"])))), told)
        if told["points"]:
            state = take_field(state, frames[0], Registration(_field(told, game.variant.board), 1.0)).state
    except (KeyError, TypeError, ValueError, IndexError) as why:
        raise ValueError(message("case.broken")) from why
    for frame in frames:
        begun = begin_photograph(state, frame)
        result = read_table(begun, frame, table)
        state = result.state
    return Moment(begun, frame, result)


def _with_what_lay(state: State, told: Mapping[str, Any]) -> State:
    """Return the state with what lay on the table, where that was not what the game says."""
    dispute = Dispute(tuple(map(int, told["before"]))) if told["is_disputed"] else None
    known = replace(state, belief=replace(state.belief, dispute=dispute))
    return replace(known, n_searches=int(told["searches"])) if isinstance(known, Unseen) else known


def _field(told: Mapping[str, Any], board: Board) -> Field:
    points_px = np.array([told["points"][name] for name in board.points], np.float64)
    return Field(board, str(told["drawing"]), points_px, fit_homography(np.array(board.xy), points_px))
