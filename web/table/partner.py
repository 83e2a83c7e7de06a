"""The state of a game in, records of Millchen's turns and hints out.

Nothing here waits for the process that thinks: the table asks again and again, under its lock.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from referee.resumption import is_mover_open
from referee.search.reasons import Chance, Reason
from web.game.game_state import GameState, Proposal
from web.game.player_commands import own_turn
from web.game.records import proposal_body
from web.journal.journal_record import JournalRecord, UnwrittenRecord
from web.table.sent_commands import Sent, board_seq
from web.thinking import Advice, Thinker, advise, be_ready, propose

log = logging.getLogger("millchen.partner")

OWN_TURN_S = 0.5  # seconds after the turn before in which Millchen lays no stone of its own: people may take back
ONLY_MILLCHEN_S = 1.5  # the same where it plays for everybody: as long as a turn takes to be looked at, in seconds
MOST_FAILURES = 2  # so often may the process that thinks die over one turn; then people play for Millchen


@dataclass
class _Question:
    """A question to the process that thinks, and its answer."""

    sent: Sent  # the game as it was when it was asked; once that has gone on, the answer is void
    strength: str  # of the partner; empty for a hint
    due_s: float = 0.0  # before this time no turn is made of the answer
    n_failures: int = 0
    answer: Future[Advice] = field(init=False)


class PartnerPlay:
    """Asks Millchen for its turns and for hints."""

    def __init__(self, thinker: Thinker | None = None) -> None:
        self._thinker = Thinker() if thinker is None else thinker
        self._question: _Question | None = None
        self._is_hint_wanted = False
        self._is_ready = False

    @property
    def is_thinking(self) -> bool:
        """Whether an answer is awaited."""
        return self._question is not None

    @property
    def is_busy(self) -> bool:
        """Whether a hint is asked for, or an answer awaited."""
        return self._is_hint_wanted or self.is_thinking

    def want_hint(self) -> None:
        """Ask for a hint about what lies there now, unless one is thought about; it becomes a record later."""
        self._is_hint_wanted = self._question is None

    def close(self) -> None:
        """End the process that thinks."""
        self._thinker.close()

    def next_record(
        self, records: Sequence[JournalRecord], state: GameState, is_agreed: bool, now_s: float
    ) -> tuple[Sent, UnwrittenRecord] | None:
        """Return what Millchen has thought of since the last call, as a record; ``state`` is that after ``records``.

        A turn is asked for only where table and record show the same: where that ``is_agreed``.
        """
        if state.partners and not self._is_ready:
            self._is_ready = True
            self._thinker.ask(be_ready)
        question = self._question
        if question is not None and not self._is_wanted(question, records, state):
            question.answer.cancel()
            question = self._question = None
        if question is None:
            question = self._question = self._next_question(records, state, is_agreed, now_s)
        if question is None or not question.answer.done():
            return None
        if now_s < question.due_s and state.lays_own_stones:
            return None
        record = self._take_answer(question, state)
        return None if record is None else (question.sent, record)

    def _is_wanted(self, question: _Question, records: Sequence[JournalRecord], state: GameState) -> bool:
        mover = state.partners.get(state.page_game.position.to_move)
        strength = mover.strength if mover is not None else ""
        is_stale = question.sent.is_stale(records[-1].game, board_seq(records))
        return not is_stale and question.strength == strength

    def _next_question(
        self, records: Sequence[JournalRecord], state: GameState, is_agreed: bool, now_s: float
    ) -> _Question | None:
        is_hint_wanted, self._is_hint_wanted = self._is_hint_wanted, False
        game = state.game
        if game.outcome is not None or state.foul is not None or state.question is not None or is_mover_open(game):
            return None
        mover = state.partners.get(state.page_game.position.to_move)
        sent = Sent(records[-1].game, records[-1].seq, by="thinker")
        if mover is not None and state.proposal is None and is_agreed:
            delay_s = ONLY_MILLCHEN_S if len(state.partners) == game.variant.players else OWN_TURN_S
            return self._ask(_Question(sent, mover.strength, now_s + delay_s), state)
        if mover is None and is_hint_wanted:
            return self._ask(_Question(sent, ""), state)
        return None

    def _ask(self, question: _Question, state: GameState) -> _Question:
        """Ask, once more where that has failed before."""
        if question.strength:
            question.answer = self._thinker.ask(propose, state.page_game, question.strength, question.sent.game or 0)
        else:
            question.answer = self._thinker.ask(advise, state.page_game, question.sent.game or 0)
        return question

    def _take_answer(self, question: _Question, state: GameState) -> UnwrittenRecord | None:
        """Return the record of an answer; where thinking has failed, ask again, or give up."""
        failed = question.answer.exception()
        if failed is not None:
            question.n_failures += 1
            log.error("thinking has failed: %r", failed)
            if question.n_failures < MOST_FAILURES:
                self._ask(question, state)
                return None
        self._question = None
        kind, ply = "proposed" if question.strength else "hinted", state.game.ply + 1
        mover = state.page_game.position.to_move
        if failed is not None:
            return UnwrittenRecord(kind, ply, proposal_body(Proposal(mover, (), begun=state.begun), None))
        advice = question.answer.result()
        partner = state.partners.get(mover)
        if partner is not None and state.lays_own_stones:
            return own_turn(state, advice.moves, advice.reasons if partner.explain else ())
        wins = state.game.variant.line_wins
        proposal = Proposal(
            mover,
            advice.moves,
            advice.reasons,
            state.begun,
            _chance_reasons(advice.own, "own_row" if wins else "own_mill"),
            _chance_reasons(advice.threats, "threat_row" if wins else "threat_mill"),
        )
        return UnwrittenRecord(kind, ply, proposal_body(proposal, advice.value))


def _chance_reasons(chances: Sequence[Chance], kind: str) -> tuple[Reason, ...]:
    """Return what can be closed as reasons of a kind, one a player, with the points that have to be filled."""
    points: dict[int, dict[str, None]] = {}
    for chance in chances:
        points.setdefault(chance.player, {})[chance.goal] = None
    return tuple(Reason(kind, tuple(goals), len(goals), player) for player, goals in points.items())
