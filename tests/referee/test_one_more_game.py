"""A game that the referee does not know: its layout and its preset, nothing else, and everything works."""

from __future__ import annotations

import random

import pytest

from referee.announce import sentence
from referee.board import Board, Drawing, Segment
from referee.drawing import board_svg, board_text
from referee.endings import Termination
from referee.events import TurnPlayed
from referee.explain import options_text, rules_text
from referee.fen import parse_fen, to_fen
from referee.game import Game
from referee.layouts import SIX_MENS_MORRIS
from referee.position import Position
from referee.presets import Preset, choose
from referee.record import Record, from_pgn, to_pgn
from referee.rules import advance, legal_moves, legal_turns
from referee.rulings import rule_on
from referee.variant import Variant

# ---------------------------------------------------------------- the layout

NAMES = tuple(column + row for row in "321" for column in "abc") + ("d1", "d2", "d3", "d4")
SQUARE = tuple((x / 2, y / 2) for y in range(3) for x in range(3))
XY = (*SQUARE, (0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75))
STRAIGHT = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8)]
SLANTED = [(0, 9, 4), (9, 4, 12), (4, 12, 8), (2, 10, 4), (10, 4, 11), (4, 11, 6), (1, 9, 3), (1, 10, 5), (3, 11, 7),
           (5, 12, 7)]  # fmt: skip
LINES = tuple(STRAIGHT + SLANTED)
EDGES = tuple(sorted({(min(p), max(p)) for a, b, c in LINES for p in ((a, b), (b, c))}))
PICARIA_BOARD = Board(
    "picaria", NAMES, XY, EDGES, LINES, (Drawing("lines", tuple(Segment(XY[a], XY[c]) for a, _, c in LINES)),)
)

# ---------------------------------------------------------------- the presets

PICARIA = Preset(
    Variant("picaria", PICARIA_BOARD, stones=(3, 3), line_wins=True, min_stones=0, repetition=3),
    "Picaria",
    {"win_in_placing": "Zuni", "fly": "Zuni"},
)
FIVE = Preset(
    Variant("five_mens_morris", SIX_MENS_MORRIS, stones=(5, 5), fly="own"), "Five men's morris", {"fly": "Murray"}
)


def perft(position: Position, depth: int) -> int:
    moves = legal_moves(position)
    return len(moves) if depth == 1 else sum(perft(advance(position, move), depth - 1) for move in moves)


@pytest.mark.parametrize(("preset", "counts"), [(PICARIA, (13, 156, 1716, 17160)), (FIVE, (16, 240, 3360, 43680))])
def test_a_new_game_plays(preset: Preset, counts: tuple[int, ...]) -> None:
    start = Position.start(choose(preset, {}))
    assert tuple(perft(start, depth + 1) for depth in range(4)) == counts


@pytest.mark.parametrize("preset", [PICARIA, FIVE])
def test_everything_else_works_with_a_new_game_too(preset: Preset) -> None:
    variant = choose(preset, {"fly": "own"})
    rng = random.Random(2)
    ends = set()
    for _ in range(20):
        game = Game.start(variant)
        while game.outcome is None and game.ply < 300:
            turn = rng.choice(legal_turns(game.position))
            game = game.play_turn(turn)
            assert parse_fen(to_fen(game.position), variant) == game.position
        ends.add(game.outcome.termination if game.outcome else None)
        assert from_pgn(to_pgn(Record(game)), variant) == Record(game)
    assert ends & {Termination.THREE_IN_A_ROW, Termination.FEWER_THAN_THREE}
    ruling = rule_on(Position.start(variant), [1, 1] + [0] * (len(variant.board.points) - 2))
    assert ruling.kinds == ("two_moves",)
    last = game.turns[-1]
    assert sentence(TurnPlayed(game.ply, last.player, last.moves, last.mills, 1.0, 0.0, 0), "lb")
    assert rules_text(variant, "fr")
    assert "fly" in options_text(preset)
    assert board_svg(variant.board, game.position).endswith("</svg>\n")
    assert board_text(variant.board)
