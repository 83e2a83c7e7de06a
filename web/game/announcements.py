"""Makes the announcement of a record: the referee's sentences, or those for what people did themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from referee.board import Board
from referee.events import Event, TurnAmended, TurnPlayed
from referee.game_events import game_ended
from referee.moves import parse_turn
from web.game.event_records import event_of_record
from web.game.event_sentences import callers_of, task_sentences, with_decider, with_verdict
from web.game.hand_corrections import CORRECTION_KINDS, hand_record_sentences, is_by_hand
from web.game.partner_announcements import partner_record_sentences, with_own_reasons
from web.game.player_commands import HAND_ENDINGS
from web.game.replay import GameState
from web.game.snapshot import Announcement
from web.journal.journal_record import JournalRecord
from web.page_words import words

MakeSentences = Callable[[Event, tuple[str, ...], Board, tuple[str, ...]], Mapping[str, Mapping[str, str]]]
"""Function that returns the sentences for an event.

It takes the event, what each player is called (a name, the name of a colour, or empty where unknown), the board and the
colours of the stones, by which those are called that somebody has to find. It returns the sentences by kind ("texts" to
read, "spoken" to hear, "title" for fouls) and language.
"""

UNANNOUNCED_KINDS = (
    *("start", "imported", "board", "stood", "named", "remark", "pictures", "clock", "source"),
    *("partner", "hints"),
)
"""Kinds of record that are not announced; but the beginning of a lesson is, with its task, and a turn that people let
stand though Millchen meant another one."""


def announce_record(
    record: JournalRecord,
    state: GameState,
    colours: tuple[str, ...],
    make_sentences: MakeSentences,
    medium: str = "",
) -> Announcement | None:
    """Return the announcement of a record, None where nothing is announced.

    Args:
        state: The game after it.
        colours: Name of the colour of each player's stones. Players are called by their names where those are known.
            Stones that have to be put right are still called by their colours.
        medium: What is looked at just now ("camera", "film" ...); empty for what was played before.
    """
    is_other_turn = record.kind == "stood" and "moves" in record.body
    if record.kind == "start" and state.lesson is not None:
        task = task_sentences(state.lesson, state.game.variant, callers_of(state.called, colours))
        return Announcement(record.seq, record.game, "lesson", task)
    if record.kind in UNANNOUNCED_KINDS and not is_other_turn:
        return None
    board = state.game.variant.board
    kind = record.kind
    callers = callers_of(state.called, colours)
    if kind in HAND_ENDINGS and state.game.outcome is not None:
        end = game_ended(state.game)
        sentences, kind = with_decider(make_sentences(end, callers, board, colours), state.decider, end.reason), "over"
    elif kind in CORRECTION_KINDS and "moves" in record.body or is_other_turn:
        sentences, kind = _announce_turn_by_hand(record, state, callers, colours, make_sentences)
    elif (said := partner_record_sentences(record, state, callers, colours)) is not None:
        sentences = said
    elif is_by_hand(record):
        sentences = hand_record_sentences(record, callers, board, medium)
    else:
        sentences = make_sentences(event_of_record(record, state.game), callers, board, colours)
    sentences = with_own_reasons(sentences, record, callers)
    if state.lesson is not None and state.trial is not None and (record.kind == "turn" or "moves" in record.body):
        sentences = with_verdict(sentences, state.lesson, state.game.variant, state.trial, callers)
    return Announcement(record.seq, record.game, kind, sentences)


def _announce_turn_by_hand(
    record: JournalRecord,
    state: GameState,
    callers: tuple[str, ...],
    colours: tuple[str, ...],
    make_sentences: MakeSentences,
) -> tuple[Mapping[str, Mapping[str, str]], str]:
    """Return the sentences and the kind of a turn that people made or corrected on the page, and of the game's end."""
    game = state.game
    turn, board = game.turns[-1], game.variant.board
    events: list[Event]
    if is_amended := "amends" in record.body:
        ply = record.body["amends"]
        mover = game.turns[ply - 1].player if 0 < ply <= game.ply else None
        events = [TurnAmended(ply, parse_turn(record.body["was"], board), 0.0, 0, player=mover)]
    else:
        mills = turn.counted_mills
        events = [TurnPlayed(game.ply, turn.player, turn.moves, mills, 1.0, 0.0, 0, skipped=turn.skipped)]
    if game.outcome is not None:
        events.append(game_ended(game))
    parts = [make_sentences(event, callers, board, colours) for event in events]
    sentences = {
        kind: {
            language: ("{text}" if is_amended or record.kind == "stood" else words(language)["by_hand.turn"]).format(
                text=" ".join(part[kind][language] for part in parts)
            )
            for language in parts[0][kind]
        }
        for kind in ("texts", "spoken")
        if kind in parts[0]
    }
    return sentences, "turn" if game.outcome is None else "over"
