"""Reports the state of vision to the page: status of each frame, and warnings while a game begins."""

from __future__ import annotations

from collections.abc import Mapping

from languages import in_all_languages
from referee.moves import Move
from vision.imaging.field import Registration, corner_fault, out_of_sight_note
from vision.imaging.frame import Float64Array, Frame
from vision.imaging.patches import log_colour_to_hex
from vision.rotation.angle_at_rest import DiscStrips, featureless_rings
from vision.stones.appearance import Appearance
from vision.stones.separability import FIELD, pairwise_separability
from vision.watching.player_actions import resume_from
from vision.watching.state import SeenBoard, State
from web.game.snapshot import VisionStatus

LAST_WARNED_PLY = 4
"""Number of turns up to which the page warns of the stones; later nobody changes them any more. Source: chosen."""


def confusable_stones(appearance: Appearance) -> tuple[tuple[int, int, float], ...]:
    """Return the pairs that are hard to tell apart, as `VisionStatus.confusable_stones` has them."""
    numbers = {FIELD: 0} | {f"player {k + 1}": k + 1 for k in range(len(appearance.stones))}
    return tuple(
        (numbers[pair.one], numbers[pair.other], float(pair.error))
        for pair in pairwise_separability(appearance)
        if pair.rating != "clear"
    )


def sentences_of(told: str) -> dict[str, str]:
    """Return a message as a sentence of its own, by language."""
    return {language: f"{text[0].upper()}{text[1:]}." for language, text in in_all_languages(told).items()}


class VisionReporter:
    """Makes the status of each frame; warnings are computed anew only when what they depend on has changed.

    Args:
        gives_advice: As `VisionJob` has it.

    Attributes:
        known_table_note: What became of a table that was measured before, or of corners, as `VisionStatus` has it.
    """

    def __init__(self, *, gives_advice: bool = True) -> None:
        self._gives_advice = gives_advice
        self.known_table_note: Mapping[str, str] = {}
        self._confusable_stones: tuple[tuple[int, int, float], ...] = ()
        self._featureless_rings: tuple[int, ...] = ()
        self._n_stones: tuple[float, ...] = ()  # learnt per player when the stones were compared last
        self._seen: tuple[SeenBoard, Appearance] | None = None
        self._strips: DiscStrips | None = None  # in which the rings were examined last

    def accepts_corners(self, corners_px: Float64Array, size_px: tuple[int, int]) -> bool:
        """Return whether four corners can be those of a field; where they cannot, note why."""
        fault = corner_fault(corners_px, size_px)
        self.known_table_note = {} if fault is None else sentences_of(fault)
        return fault is None

    def status(self, state: State, frame: Frame) -> VisionStatus:
        """Return what the page shows of a state of vision."""
        self._update_warnings(state)
        registration, seen = state.registration, state.seen
        is_found = isinstance(registration, Registration)
        return VisionStatus(
            phase=state.sight,
            reason="" if isinstance(registration, Registration) else registration.reason,
            points_px=tuple((round(float(x), 1), round(float(y), 1)) for x, y in registration.field.points_px)
            if isinstance(registration, Registration)
            else (),
            hidden=state.hidden if is_found else (),
            size_px=frame.size_px,
            colours=tuple(
                log_colour_to_hex(stones.mean_log_colour) if stones.n_stones else ""
                for stones in self._appearance(state).stones
            ),
            known_table_note=self._note(state, frame),
            confusable_stones=self._confusable_stones,
            featureless_rings=self._featureless_rings,
            seen_tops=() if seen is None else seen.tops,
            seen_to_move=None if seen is None or seen.to_move is None else seen.to_move + 1,
            is_compared=not state.is_taken_up,
        )

    def _note(self, state: State, frame: Frame) -> Mapping[str, str]:
        """Return what became of a table that was measured before, and which points the picture cuts off."""
        cut_off = out_of_sight_note(state.registration, frame.size_px)
        if cut_off is None:
            return self.known_table_note
        sentences = sentences_of(cut_off)
        return {
            language: " ".join(filter(None, (self.known_table_note.get(language), told)))
            for language, told in sentences.items()
        }

    def _appearance(self, state: State) -> Appearance:
        """Return what is known of the stones; before any was accepted, what the board as it is seen would teach."""
        seen = state.seen
        if seen is None or any(stones.n_stones for stones in state.appearance.stones):
            return state.appearance
        if self._seen is None or self._seen[0] is not seen:
            self._seen = seen, resume_from(state, seen.tops, seen.to_move).appearance
        return self._seen[1]

    def _update_warnings(self, state: State) -> None:
        is_opening = self._gives_advice and state.game.ply <= LAST_WARNED_PLY
        n_stones = tuple(stones.n_stones for stones in state.appearance.stones)
        if not is_opening:
            self._confusable_stones = ()
        elif n_stones != self._n_stones:
            self._n_stones, self._confusable_stones = n_stones, confusable_stones(state.appearance)
        if state.strips is not self._strips:
            self._strips = state.strips
            self._featureless_rings = featureless_rings(state.strips) if state.strips is not None and is_opening else ()


def pending_moves(state: State) -> tuple[Move, ...]:
    """Return the moves of a turn that has begun and still owes its captures."""
    turn = state.belief.pending
    return turn.moves if turn is not None else ()
