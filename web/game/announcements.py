"""From a record of the journal to what is announced of it: the referee's sentences and those of people's own acts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from referee.board import Board
from referee.events import Event, GameEnded, TurnAmended, TurnPlayed
from referee.game import Game
from referee.moves import parse_turn
from web.game.hand_corrections import CORRECTION_KINDS, is_by_hand, hand_record_sentences
from web.game.player_commands import PLAYER_ENDINGS
from web.game.replay import GameState, event_of_record
from web.game.snapshot import Announcement
from web.i18n.catalogue import words
from web.journal.journal_record import Record

MakeSentences = Callable[[Event, tuple[str, ...], Board], Mapping[str, Mapping[str, str]]]
"""From an event, the names of the stones' colours (empty where unknown) and the board to its sentences: by kind
("texts" for the eye, "spoken" for the ear, "title" for fouls) and language."""

KINDS_NAMED_BY_COLOUR = ("foul", "question")
UNANNOUNCED_KINDS = ("start", "board", "stood", "named", "remark", "pictures", "clock")


def announce_record(record: Record, course: GameState, colours: tuple[str, ...], say: MakeSentences) -> Announcement | None:
    """What is announced of a record, None where nothing is.

    Parameters
    ----------
    record : Record
    course : Course
        The game after it.
    colours : tuple of str
        Name of the colour of each player's stones. Players are called by their names where those are known; stones
        that have to be put right are still called by their colours.
    say : callable
    """
    if record.kind in UNANNOUNCED_KINDS:
        return None
    board = course.game.variant.board
    kind = record.kind
    named = (*course.names, *[""] * len(colours))
    callers = tuple(name or colour for name, colour in zip(named, (*colours, *[""] * len(named)), strict=False))
    if kind in PLAYER_ENDINGS and course.game.outcome is not None:
        said, kind = say(_end_event(course.game), callers, board), "over"
    elif kind in CORRECTION_KINDS and "moves" in record.body:
        said, kind = _announce_turn_by_hand(record, course, callers, say)
    elif is_by_hand(record):
        said = hand_record_sentences(record, colours if kind in ("corrected", "turned") else callers, board)
    else:
        said = say(event_of_record(record, course), colours if kind in KINDS_NAMED_BY_COLOUR else callers, board)
    return Announcement(record.seq, record.game, kind, said)


def _announce_turn_by_hand(
    record: Record, course: GameState, callers: tuple[str, ...], say: MakeSentences
) -> tuple[Mapping[str, Mapping[str, str]], str]:
    """What is said of a turn that people have made or put right on the page, and of the end of the game with it."""
    game = course.game
    turn, board = game.turns[-1], game.variant.board
    told: list[Event]
    if is_amended := "amends" in record.body:
        told = [TurnAmended(record.body["amends"], parse_turn(record.body["was"], board), 0.0, 0)]
    else:
        told = [TurnPlayed(game.ply, turn.player, turn.moves, turn.mills, 1.0, 0.0, 0, skipped=turn.skipped)]
    if game.outcome is not None:
        told.append(_end_event(game))
    parts = [say(event, callers, board) for event in told]
    said = {
        kind: {
            language: ("{text}" if is_amended else words(language)["by_hand.turn"]).format(
                text=" ".join(part[kind][language] for part in parts)
            )
            for language in parts[0][kind]
        }
        for kind in ("texts", "spoken")
        if kind in parts[0]
    }
    return said, "turn" if game.outcome is None else "over"


def _end_event(game: Game) -> GameEnded:
    assert game.outcome is not None
    return GameEnded(game.outcome.winner, str(game.outcome.termination), 0.0, 0)
