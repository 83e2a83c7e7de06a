"""``millchen games analyse NUMBER``: which turn changed the result of a game, and what would have been better."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import Annotated, Any

from referee.moves import turn_text
from referee.search.analysis import USUAL_LIMITS
from vision.commands.arguments import Data, Language
from vision.commands.from_signature import Word
from web.errors import MillchenError
from web.history.analysis_view import analysis_json, told_of_turn
from web.history.finished_games import GameHistory
from web.history.journal_reader import JournalReader
from web.history.kept_analyses import KeptAnalyses, KeptAnalysis, continue_analysis
from web.journal.data_folder import journal_file
from web.page_words import words

GameNumber = Annotated[int, Word("of the game, as the list has it", "NUMBER")]

INTERRUPTED = 130  # exit status after Ctrl-C. Source: the shells, 128 and the number of the signal.

KEPT = "what is done is kept, and the same command goes on"
NOT_KEPT = "what was found could not be kept (is the disk full?); another time it is worked out anew"


def _positions(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= len(text) <= 9 or int(text) == 0:
        raise argparse.ArgumentTypeError("the number of positions must be a whole number above 0")
    return int(text)


def analyse_game(
    number: GameNumber,
    *,
    json_: Annotated[bool, "one JSON object"] = False,
    positions: Annotated[int, Word("that each search looks at (default: what is kept)", "N", _positions)] = 0,
    language: Language = "en",
    data: Data = None,
) -> int:
    """Say which turn changed the result of a game; after Ctrl-C what is done is kept."""
    with JournalReader(journal_file(data)) as reader:
        history, store = reader.history(number), KeptAnalyses.beside(reader.path)
    if not history.game.turns:
        raise MillchenError(f"nothing has been played in game {number} yet")
    analysis = store.find(history.game, positions)
    if analysis is None or not analysis.is_whole:
        positions = positions or (USUAL_LIMITS.positions or 0)
        analysis = store.load(history.game, positions)
        try:
            analysis = _work(store, history, analysis, language)
        except KeyboardInterrupt:
            is_kept = bool(store.load(history.game, positions).turns)
            print(f"\nmillchen: broken off; {KEPT if is_kept else NOT_KEPT}", file=sys.stderr)
            return INTERRUPTED
    if json_:
        print(json.dumps(analysis_json(history, analysis), ensure_ascii=False))
    else:
        for line in _lines(history, analysis, language):
            print(line)
    return 0


def _work(store: KeptAnalyses, history: GameHistory, start: KeptAnalysis, language: str) -> KeptAnalysis:
    """Do what is left, and say how far it has come."""
    analysis, is_kept = start, True
    for analysis in continue_analysis(start, history.game, _ask_here):
        is_kept = store.save(history.game, analysis)
        progress = words(language)["analysis.progress"].format(done=len(analysis.turns), of=analysis.n_turns)
        print(f"\r{progress}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    if not is_kept:
        print(f"millchen: {NOT_KEPT}", file=sys.stderr)
    return analysis


def _ask_here(function: Callable[..., Any], *args: Any) -> Any:
    """Return the answer of this process, which Ctrl-C ends."""
    return function(*args)


def _lines(history: GameHistory, analysis: KeptAnalysis, language: str) -> list[str]:
    """Return what was found, a line for each thing that is told."""
    turning = analysis.turning_point(history.game.outcome)
    lines = []
    for one in analysis.turns:
        if not one.tags:
            continue
        sentences, better = told_of_turn(history, one, language)
        mark, turn = "*" if one.ply == turning else " ", turn_text(history.game.turns[one.ply - 1].moves)
        lines.append(f"{mark}{one.ply:4}. {turn:10} {' '.join((*sentences, *better))}")
    texts = words(language)
    if turning is not None:
        return [*lines, "* " + texts["label"].format(name=texts["analysis.turning"], text=turning)]
    return [*lines, texts["analysis.no_turning" if lines else "analysis.nothing"]]
