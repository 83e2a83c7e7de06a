"""Makes the announcement of a record, and of the turns of a game that came from a file."""

from __future__ import annotations

from collections.abc import Sequence

from referee.consequences import consequences
from referee.endings import WITHDRAWN
from referee.events import Event, FoulStood, Resumed, TurnPlayed
from referee.fouls import Foul
from referee.game import Game
from referee.resumption import MOVER_OPEN
from web.game.event_sentences import callers_of, with_verdict
from web.game.game_state import GameState
from web.game.records import KINDS, MakeSentences, Telling
from web.game.snapshot import Announcement
from web.i18n.catalogue import Sentences
from web.journal.journal_record import JournalRecord


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
        colours: Name of the colour of each player's stones. Players are called by their names where those are known;
            stones that have to be put right are still called by their colours.
        medium: What is looked at just now ("camera", "film" ...); empty for what was played before.
    """
    callers = callers_of(state.called, colours)
    said = KINDS[record.kind].say(Telling(record, state, callers, colours, make_sentences, medium))
    if said is None:
        return None
    kind, sentences = said
    if state.lesson is not None and state.trial is not None and (record.kind == "turn" or "moves" in record.body):
        sentences = with_verdict(sentences, state.lesson, state.game.variant, state.trial, callers)
    return Announcement(record.seq, record.game, kind, sentences)


def imported_turn_sentences(
    before: Game, game: Game, named: GameState, make_sentences: MakeSentences
) -> Sequence[Sentences]:
    """Return the sentences of the last turn of a game that came from a file, and of what followed from it.

    Args:
        before, game: The game before the turn, and after it.
        named: Knows the names of the players.
    """
    turn, board, n = game.turns[-1], game.variant.board, game.variant.players
    callers = (*named.names, *[""] * n)[:n]
    events: list[Event] = []
    if turn.moves:
        events.append(TurnPlayed(game.ply, turn.player, turn.moves, turn.mills, 1.0, 0.0, 0, skipped=turn.skipped))
    elif turn.remarks[0] in list(Foul):
        stood = FoulStood(game.ply, turn.player, turn.remarks[0], turn.after.tops, turn.after.to_move, 0.0, 0)
        events.append(stood)
    elif turn.remarks[0] not in WITHDRAWN:  # the position was taken over, or set by hand
        events.append(Resumed((), None if MOVER_OPEN in turn.remarks else turn.after.to_move, 0.0, 0))
    return [make_sentences(event, callers, board, ()) for event in (*events, *consequences(before, game))]
