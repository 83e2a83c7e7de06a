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
from web.drawing.board_svg import PEBBLE_RADIUS, SPECKS, VEINS, pebble_shapes
from web.drawing.game_gif import animate, mixed
from web.drawing.position_svg import PositionDrawing, draw_position
from web.history.finished_games import Past, summary

ROLES = ("White", "Black")  # what PGN calls the two players


def record_of(past: Past) -> GameRecord:
    """The game as `referee.record` writes it, with what stands beside it."""
    names = (*past.course.names, *[""] * past.game.variant.players)[: past.game.variant.players]
    roles = ROLES if len(names) == 2 else tuple(f"Player{k}" for k in range(1, len(names) + 1))
    tags = [("Event", f"Game {past.number}"), ("Date", past.begun[:10].replace("-", "."))]
    tags += [(role, name) for role, name in zip(roles, names, strict=True) if name]
    return GameRecord(past.game, tuple(tags), tuple(sorted(past.remarks.items())))


def as_pgn(past: Past) -> str:
    """The game in the notation that Sanmill and others read."""
    return to_pgn(record_of(past))


def as_json(past: Past) -> str:
    """The game as data: the record, and when and how each turn was accepted."""
    about = summary(past) | {"record": to_json(record_of(past)), "turns": [_row(past, n) for n in _turns(past)]}
    return json.dumps(about, ensure_ascii=False, indent=1) + "\n"


def as_csv(past: Past) -> str:
    """One line a turn, for a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    columns = ("ply", "player", "name", "turn", "mills", "seconds", "time", "by", "remark")
    writer.writerow(columns)
    for n in _turns(past):
        writer.writerow([_plain(_row(past, n)[column]) for column in columns])
    return out.getvalue()


def as_svg(past: Past, ply: int, title: str, *, names: bool = True) -> str:
    """What lay on the table after a turn, as a picture that needs nothing else."""
    return position_svg(past.plies[ply].game, past.course.colours, title, names=names)


def position_svg(game: Game, colours: Sequence[str], title: str, *, names: bool = True) -> str:
    """What lies on the table now, as a picture that needs nothing else; see `draw_position`."""
    return render_template("position.svg", title=title, names=names, **_look(draw_position(game, colours)))


def as_gif(past: Past) -> bytes:
    """The whole game, turn by turn."""
    return animate([draw_position(ply.game, past.course.colours) for ply in past.plies])


def _look(drawing: PositionDrawing) -> dict[str, Any]:
    kinds = [
        {
            "light": mixed(paint, "#ffffff", 0.34),
            "mid": paint,
            "dark": mixed(paint, "#1a120a", 0.42),
            "edge": mixed(paint, "#1a120a", 0.55),
            "vein": mixed(paint, "#241a10" if k == 1 else "#ffffff", 0.55),
        }
        for k, paint in enumerate(drawing.paints)
    ]
    outlines = pebble_shapes()
    return {"drawing": drawing, "kinds": kinds, "outlines": outlines, "specks": SPECKS, "veins": VEINS,
            "radius": PEBBLE_RADIUS}  # fmt: skip


def _turns(past: Past) -> range:
    return range(1, len(past.plies))


def _row(past: Past, n: int) -> dict[str, Any]:
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


def result_of(past: Past) -> str:
    """How it ended, for file names and lists: "open", "draw" or "won"."""
    outcome = past.game.outcome
    return "open" if outcome is None else "draw" if outcome.winner is None else "won"
