"""The analysis of a game in, its JSON out: for programs, and with sentences for the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from referee.moves import parse_turn, to_action
from referee.search.analysis import TurnAnalysis
from referee.search.analysis_texts import analysis_sentences, better_sentences
from referee.typed_json import write
from web.game.page_state import Action
from web.history.finished_games import ANALYSIS_COMMENT, GameHistory
from web.history.kept_analyses import KeptAnalysis


@dataclass(frozen=True)
class Told:
    """A turn that an analysis says something about, with its sentences."""

    ply: int
    player: int
    tags: tuple[str, ...]
    said: tuple[str, ...]
    better: tuple[str, ...]
    played: tuple[Action, ...]
    best: tuple[Action, ...]


@dataclass(frozen=True)
class FoundAnalysis:
    """An analysis as far as it has come."""

    turns: int
    done: int
    positions: int
    exact: bool
    whole: bool
    rows: bool  # whether three in a row wins
    turning_point: int | None
    curve: tuple[tuple[float, ...] | None, ...]  # the share of each player at the beginning and after each turn
    told: tuple[Told, ...]


def analysis_json(history: GameHistory, analysis: KeptAnalysis) -> dict[str, Any]:
    """Return an analysis for programs, players counted from 1; ``docs/ANALYSIS.md`` says what each entry is."""
    return {
        "number": history.number,
        "game": history.game.variant.name,
        **_about(history, analysis),
        "end": None if analysis.end is None else write(analysis.end),
        "plies": [write(one) for one in analysis.turns],
    }


def _about(history: GameHistory, analysis: KeptAnalysis) -> dict[str, Any]:
    return {
        "turns": analysis.n_turns,
        "done": len(analysis.turns),
        "positions": analysis.positions,
        "exact": analysis.is_whole and analysis.is_exact,
        "turning_point": analysis.turning_point(history.game.outcome),
    }


def analysis_for_page(history: GameHistory, analysis: KeptAnalysis, language: str) -> FoundAnalysis:
    """Return an analysis for the page."""
    return FoundAnalysis(
        **_about(history, analysis),
        whole=analysis.is_whole,
        rows=history.game.variant.line_wins,
        curve=tuple(_curve(analysis)),
        told=tuple(_turn_for_page(history, one, language) for one in analysis.turns if one.tags),
    )


def _curve(analysis: KeptAnalysis) -> list[tuple[float, ...] | None]:
    """Return the share of each player at the beginning and after each turn; None where it is not known.

    With three players and more, who is to move fears all others: the mean over a round is what all of them think.
    """
    curve: list[tuple[float, ...] | None] = []
    for n, value in enumerate(analysis.standings):
        if value is None:
            curve.append(None)
            continue
        players = len(value.shares)
        over = 1 if players == 2 or value.is_proved else players
        values = [one for one in analysis.standings[max(0, n + 1 - over) : n + 1] if one is not None]
        curve.append(tuple(round(sum(one.shares[k] for one in values) / len(values), 4) for k in range(players)))
    return curve


def _turn_for_page(history: GameHistory, one: TurnAnalysis, language: str) -> Told:
    board = history.game.variant.board
    sentences, better = told_of_turn(history, one, language)
    played, best = (tuple(map(to_action, parse_turn(turn, board))) for turn in (one.played, one.best))
    return Told(one.ply, one.player + 1, tuple(one.tags), tuple(sentences), tuple(better), played, best)


def told_of_turn(history: GameHistory, one: TurnAnalysis, language: str) -> tuple[list[str], list[str]]:
    """Return the sentences about a turn, and about what would have been better."""
    before, names = history.plies[one.ply - 1].game, history.spoken_names
    sentences = analysis_sentences(one, before.variant.line_wins, language, names)
    return sentences, better_sentences(one, before, language, names)


def analysis_comments(history: GameHistory, analysis: KeptAnalysis) -> list[tuple[int, str]]:
    """Return the comments of a PGN about single turns, by the number of the turn that each follows."""
    texts = ((one.ply, told_of_turn(history, one, history.language)) for one in analysis.turns if one.tags)
    return [(ply, ANALYSIS_COMMENT + " ".join((*sentences, *better))) for ply, (sentences, better) in texts]
