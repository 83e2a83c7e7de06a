"""What is said of the turns of a game that came from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from referee.endings import WITHDRAWN
from referee.events import Event, FoulStood, Resumed, TurnPlayed
from referee.fouls import Foul
from referee.game import Game
from referee.game_events import consequences
from referee.resumption import MOVER_OPEN
from web.game.announcements import MakeSentences
from web.game.replay import GameState


def imported_turn_sentences(
    before: Game, game: Game, named: GameState, make_sentences: MakeSentences
) -> Sequence[Mapping[str, Mapping[str, str]]]:
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
