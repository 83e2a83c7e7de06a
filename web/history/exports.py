"""A game in the forms in which people take it away: PGN, JSON, CSV, a picture of a position, an animated picture."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from flask import render_template

from referee.game import Game
from referee.moves import turn_text
from referee.record import Record as GameRecord
from referee.record import to_json, to_pgn
from web.drawing.board_svg import PEBBLE_RADIUS, PEBBLE_SPECKS, PEBBLE_VEINS, pebble_shapes
from web.drawing.game_gif import animate_positions, mix_colours
from web.drawing.position_svg import PositionDrawing, draw_position
from web.history.finished_games import GameHistory, game_summary

PGN_ROLES = ("White", "Black")  # what PGN calls the two players


def game_record(past: GameHistory) -> GameRecord:
    """The game as `referee.record` writes it, with what stands beside it."""
    names = (*past.course.names, *[""] * past.game.variant.players)[: past.game.variant.players]
    roles = PGN_ROLES if len(names) == 2 else tuple(f"Player{k}" for k in range(1, len(names) + 1))
    tags = [("Event", f"Game {past.number}"), ("Date", past.begun[:10].replace("-", "."))]
    tags += [(role, name) for role, name in zip(roles, names, strict=True) if name]
    return GameRecord(past.game, tuple(tags), tuple(sorted(past.remarks.items())))


def export_pgn(past: GameHistory) -> str:
    """The game in the notation that Sanmill and others read."""
    return to_pgn(game_record(past))


def export_json(past: GameHistory) -> str:
    """The game as data: the record, and when and how each turn was accepted."""
    about = game_summary(past) | {"record": to_json(game_record(past)), "turns": [_row(past, n) for n in _turns(past)]}
    return json.dumps(about, ensure_ascii=False, indent=1) + "\n"


def export_csv(past: GameHistory) -> str:
    """One line a turn, for a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    columns = ("ply", "player", "name", "turn", "mills", "seconds", "time", "by", "remark")
    writer.writerow(columns)
    for n in _turns(past):
        writer.writerow([_plain(_row(past, n)[column]) for column in columns])
    return out.getvalue()


def export_svg(past: GameHistory, ply: int, title: str, *, names: bool = True) -> str:
    """What lay on the table after a turn, as a picture that needs nothing else."""
    return render_position_svg(past.plies[ply].game, past.course.colours, title, names=names)


def render_position_svg(game: Game, colours: Sequence[str], title: str, *, names: bool = True) -> str:
    """What lies on the table now, as a picture that needs nothing else; see `draw_position`."""
    return render_template("position.svg", title=title, names=names, **_look(draw_position(game, colours)))


def export_gif(past: GameHistory) -> bytes:
    """The whole game, turn by turn."""
    return animate_positions([draw_position(ply.game, past.course.colours) for ply in past.plies])


def _look(drawing: PositionDrawing) -> dict[str, Any]:
    kinds = [
        {
            "light": mix_colours(paint, "#ffffff", 0.34),
            "mid": paint,
            "dark": mix_colours(paint, "#1a120a", 0.42),
            "edge": mix_colours(paint, "#1a120a", 0.55),
            "vein": mix_colours(paint, "#241a10" if k == 1 else "#ffffff", 0.55),
        }
        for k, paint in enumerate(drawing.paints)
    ]
    outlines = pebble_shapes()
    return {"drawing": drawing, "kinds": kinds, "outlines": outlines, "specks": PEBBLE_SPECKS, "veins": PEBBLE_VEINS,
            "radius": PEBBLE_RADIUS}  # fmt: skip


def _turns(past: GameHistory) -> range:
    return range(1, len(past.plies))


def _row(past: GameHistory, n: int) -> dict[str, Any]:
    ply = past.plies[n]
    turn = ply.game.turns[-1]
    names = past.course.names
    before = past.plies[n - 1].record.body.get("t")
    now = ply.record.body.get("t")
    return {
        "ply": n,
        "player": turn.player + 1,
        "name": names[turn.player] if turn.player < len(names) else "",
        "turn": turn_text(turn.moves) if turn.moves else f"({ply.record.kind})",
        "mills": " ".join("-".join(mill) for mill in turn.mills),
        "seconds": round(now - before, 1) if now is not None and before is not None and now >= before else None,
        "time": ply.record.wall_time,
        "by": ply.record.by,
        "remark": past.remarks.get(n, ""),
    }


def _plain(value: object) -> object:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t") else value


def result_of(past: GameHistory) -> str:
    """How it ended, for file names and lists: "open", "draw" or "won"."""
    outcome = past.game.outcome
    return "open" if outcome is None else "draw" if outcome.winner is None else "won"
