"""Playing by hand on the page: acts are judged as at a table with a camera, and lawful ones are turns.

Where no camera looks, people do on the page what they would do on the cloth: lay, move and take stones, turn rings. A
lawful act begins or completes a turn; any other is a foul, which they put back or let stand.
"""

from __future__ import annotations

from languages import message
from referee.events import FoulSeen
from referee.forced_moves import forced
from referee.fouls import Foul, IllegalMoveError, rule_behind, sort_fouls, violations
from referee.game import Game
from referee.moves import Capture, InvalidMoveError, Move, Slide, parse_move
from web.errors import MillchenError
from web.game.event_records import record_of_event
from web.game.game_json import lays_own_stones, with_begun_moves
from web.game.partner_commands import begun_record, other_turn, turn_record
from web.game.player_commands import correct_stone, restored
from web.game.replay import GameState
from web.journal.journal_record import UnwrittenRecord


def play_act(state: GameState, act: str, player: int | None) -> UnwrittenRecord:
    """Return the record of an act: a turn, a mill whose stones are still to be taken, or a foul.

    Args:
        act: One move in notation: ``d6``, ``d6-d5``, ``xb4``, ``o+`` ...
        player: Whose stone was laid, 1 first, where it came out of another bowl than that of the player to move.

    Raises:
        MillchenError: When the game is over, a foul waits to be put right, Millchen lays its own stones now, or there
            is no such point, ring or player.
    """
    game = with_begun_moves(state)
    if game.outcome is not None:
        raise MillchenError(message("game.over"))
    if state.foul is not None:
        raise MillchenError(message("game.foul_first"))
    if lays_own_stones(state):
        raise MillchenError(message("partner.lays_own"))
    who = game.position.to_move if player is None else player - 1
    if not 0 <= who < game.variant.players or game.position.out[who]:
        raise MillchenError(message("game.player_out", player=player))
    move = _read_act(act, game)
    try:
        after = game.play(move) if who == game.position.to_move else None
    except IllegalMoveError:
        after = None
    if after is None:
        return record_of_event(_foul(game, move, who, state))
    if game.ply < state.game.ply and isinstance(move, Capture):  # its turn was begun by a correction, and ends by one
        return correct_stone(state, game, move.at, after.position.tops[game.variant.board.index[move.at]])
    moves = after.pending if after.ply == state.game.ply else after.turns[-1].moves
    if game.ply == state.game.ply and (other := other_turn(state, state.game, moves)) is not None:
        return other
    return begun_record(state, after) if after.ply == state.game.ply else turn_record(state, after)


def put_back(state: GameState) -> UnwrittenRecord:
    """Return the record by which people put right what was against the rules: the board is again as before.

    Raises:
        MillchenError: When nothing was against the rules.
    """
    if state.foul is None:
        raise MillchenError(message("game.no_foul"))
    return restored(state, state.begun)


def _read_act(act: str, game: Game) -> Move:
    try:
        move = parse_move(act, game.variant.board)
    except InvalidMoveError:
        raise MillchenError(message("game.no_act", act=repr(act[:20]))) from None
    if isinstance(move, Slide) and not game.position.stacks[game.variant.board.index[move.start]]:
        raise MillchenError(message("game.nothing_there", point=move.start))
    return move


def _foul(game: Game, move: Move, who: int, state: GameState) -> FoulSeen:
    position, points = game.position, game.variant.board.points
    reasons, accused = violations(position, move, who), who
    if position.dues and who != position.to_move:  # he goes on although another one has not taken his stones yet
        reasons, accused = reasons - {Foul.WRONG_PLAYER}, position.to_move
    kind = str(sort_fouls(reasons)[0])
    after = forced(position, move, who)
    changed = [name for name, one, other in zip(points, position.stacks, after.stacks, strict=True) if one != other]
    return FoulSeen(
        accused,
        kind,
        tuple(changed),
        position.tops,
        after.tops,
        _time_s(state),
        0,
        rule=rule_behind(kind, game.variant),
        seen_heights=after.heights,
    )


def _time_s(state: GameState) -> float:
    return state.last_event_s or 0.0
