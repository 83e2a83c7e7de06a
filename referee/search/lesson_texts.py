"""Sentences about a lesson in any language: its task, why a turn is right or wrong (``languages/*/lessons.json``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from languages import catalogue, grammar
from referee.announce import foul_words, sentence, spoken_point
from referee.board import Board
from referee.events import TurnPlayed
from referee.fouls import IllegalMoveError, rule_behind
from referee.game import Game
from referee.moves import parse_turn, turn_text
from referee.position import Mills, Position
from referee.search.lessons import Lesson, answers, does_close, may_close_one
from referee.turns import Turn, iter_turns, legal_turns
from referee.variant import Variant

MOST_LINES = 3  # lines that a sentence names


class Trial(NamedTuple):
    """What somebody has tried in a lesson."""

    # ``task`` before anything is played, ``take`` while captures are due, then ``right`` or ``wrong``; ``unlawful``
    # where the rules forbid it
    verdict: str
    game: Game  # from the lesson's position on, without the act that is forbidden
    foul: str = ""  # the gravest reason why it is


def tried(lesson: Lesson, variant: Variant, notation: str) -> Trial:
    """What a turn, or the beginning of one, in notation, does in a lesson; InvalidMoveError when it is neither."""
    game = Game(lesson.position(variant))
    for move in parse_turn(notation, variant.board) if notation else ():
        try:
            game = game.play(move)
        except IllegalMoveError as why:
            return Trial("unlawful", game, why.reasons[0])
    if game.pending or not game.turns:
        return Trial("take" if game.pending else "task", game)
    return Trial("right" if lesson.is_solved_by(game.turns[0]) else "wrong", game)


def trial_text(
    lesson: Lesson,
    variant: Variant,
    trial: Trial,
    language: str,
    names: Sequence[str],
    *,
    spoken: bool = False,
    on_table: bool = False,
    is_shown: bool = False,
) -> str:
    """What is said of a trial; nothing before it.

    With ``spoken`` points are named for ears; ``on_table`` stones are real, and people put them back. A solution that
    ``is_shown`` is nobody's merit.
    """
    if trial.verdict in ("task", "take"):
        return lesson_text("take", language) if trial.verdict == "take" else ""
    if trial.verdict == "unlawful":
        why = foul_words(trial.foul, language, rule_behind(trial.foul, variant))
        return lesson_text("not_lawful", language, why=why)
    text = _reason(lesson, variant, trial, language, names, spoken=spoken)
    if trial.verdict == "right":
        turn = trial.game.turns[0]
        event = TurnPlayed(1, turn.player, turn.moves, turn.mills, 1.0, 0.0, 0)
        turn_words = sentence(event, language, tuple(names), variant.board, spoken=spoken)
        praise = lesson_text("shown", language, turn=turn_words) if is_shown else lesson_text("right", language)
        return f"{praise} {text}"
    return f"{text} {lesson_text('table.try_again' if on_table else 'try_again', language)}"


def lesson_text(key: str, language: str, **values: object) -> str:
    """One sentence of ``lessons.json``, with its places filled."""
    texts = catalogue(language, "lessons")
    return grammar(language)(texts[key].format(**values) + " ").strip()


def kind_of(lesson: Lesson, variant: Variant) -> str:
    """The kind as it is called: where three in a row wins a mill is a win, and two mills at once are a fork."""
    if lesson.kind == "trap" and lesson.n_turns == 1:
        return "enclose"
    in_line_games = {"mill_in_one": "win_in_one", "block": "block_win", "double_mill": "fork"}
    return in_line_games.get(lesson.kind, lesson.kind) if variant.line_wins else lesson.kind


def called(lesson: Lesson, position: Position, names: Sequence[str], language: str) -> dict[str, str]:
    """Who is to move and who is not, by the ``names`` of the players; who blocks thinks of the next player alone."""
    me = position.to_move
    following = names[(me + 1) % len(names)]
    is_one = len(names) == 2 or lesson.kind == "block"
    return {"player": names[me], "other": following if is_one else lesson_text("others", language)}


def task_text(lesson: Lesson, variant: Variant, language: str, names: Sequence[str]) -> str:
    """What is asked for; ``names`` are those of the players."""
    who = called(lesson, lesson.position(variant), names, language)
    return lesson_text(f"task.{kind_of(lesson, variant)}", language, n=lesson.n_turns, **who)


def _reason(
    lesson: Lesson, variant: Variant, trial: Trial, language: str, names: Sequence[str], *, spoken: bool
) -> str:
    """Why a lawful turn solves the lesson, or does not."""
    position, kind, turn = lesson.position(variant), kind_of(lesson, variant), trial.game.turns[0]
    after, is_block, is_double = turn.after, lesson.kind == "block", lesson.kind == "double_mill"
    key, answer, lines = f"{trial.verdict}.{kind}", "", turn.mills
    if trial.verdict == "right":
        if is_block:
            lines = closable(position, (position.to_move + 1) % variant.players)
        elif is_double:
            lines = closable(after, turn.player)
    elif answers(lesson.solution, turn_text(turn.moves), any_capture=True):
        key = "wrong.capture"
    elif is_block:
        lines = closable(after, after.to_move) if after.to_move != turn.player else ()
    elif is_double:
        answer = _refutation(turn, variant)
        key = "wrong.double_mill" if answer else "wrong.mill_in_one"
    *line, answer = (spoken_turn(one, variant.board, language) if spoken else one for one in (*lesson.line, answer))
    values = called(lesson, position, names, language) | {"line": " – ".join(line), "answer": answer}
    return lesson_text(key, language, lines=_named(lines, language if spoken else ""), n=lesson.n_turns, **values)


def closable(position: Position, player: int) -> Mills:
    """The lines that ``player`` could close if he were to move, each once."""
    if position.ended is not None or position.dues:
        return ()
    turned = position._replace(to_move=player)
    return tuple(dict.fromkeys(line for turn in iter_turns(turned) if does_close(turn) for line in turn.mills))


def _refutation(turn: Turn, variant: Variant) -> str:
    """The answer after which what was aimed at cannot be had; empty where it takes more than one player to give it."""
    after = turn.after
    if after.ended is not None or after.to_move == turn.player or variant.players > 2:
        return ""
    for answer in legal_turns(after):
        if answer.after.ended is not None or answer.after.to_move == turn.player and not may_close_one(answer.after):
            return turn_text(answer.moves)
    return ""


def spoken_turn(notation: str, board: Board, language: str) -> str:
    """A turn in notation for ears: its points in their order, or the notation where a ring is turned.

    >>> from referee.layouts import NINE_MENS_MORRIS
    >>> spoken_turn("d2-d3xa1", NINE_MENS_MORRIS, "en")
    'Delta 2, Delta 3, Alpha 1'
    """
    names = sorted(board.points, key=len, reverse=True)
    points = re.findall("|".join(map(re.escape, names)), notation)
    return ", ".join(spoken_point(name, language) for name in points) or notation


def _named(lines: Iterable[Sequence[str]], language: str) -> str:
    """The lines by their points; for ears in a ``language``, which is empty for eyes."""
    first_lines = list(lines)[:MOST_LINES]
    if not language:
        return ", ".join("–".join(line) for line in first_lines)
    return "; ".join(", ".join(spoken_point(name, language) for name in line) for line in first_lines)
