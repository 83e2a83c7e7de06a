"""The live table: what people, the camera and Millchen send to a table, one after the other, becomes its game.

What they send is written to the journal first and published after.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Annotated, Any, Literal

from languages import message
from referee.typed_json import limits
from referee.variant import Variant
from web.body_types import SourceName
from web.errors import ImpossibleEventError, NotWrittenError, StaleCommandError
from web.game.game_state import MAX_CLOCK_INCREMENT_S, MAX_CLOCK_MINUTES, GameState, parse_clock
from web.game.page_state import Announcement
from web.game.player_commands import check_hint, set_partner
from web.game.replay import source_record_body
from web.journal.data_folder import CaseFolder, TurnPhotographs
from web.journal.journal import Journal
from web.journal.journal_record import JournalRecord, UnwrittenRecord
from web.net.film_upload import UPLOAD_FOLDER, FilmUploads
from web.table.current_game import CurrentGame
from web.table.event_recorder import EventRecorder
from web.table.offered_games import check_game
from web.table.partner import PartnerPlay
from web.table.publisher import TablePublisher
from web.table.sent_commands import CommandResult, CommandResults, Sent, board_seq
from web.table.source_names import find_demo, parse_kept_source, parse_source
from web.table.supervisor import VisionTarget
from web.table.table_camera import TableCamera
from web.table.vision_messages import Ask, Corners, FrameResult
from web.thinking import Thinker

log = logging.getLogger("millchen.live")

BUSY_TIMEOUT_S = 0.8  # longest time in seconds for which a command waits for its turn; it is answered within two


class LiveTable:
    """A table that is being refereed; its methods may be called from any thread, and raise MillchenError."""

    def __init__(
        self,
        journal: Journal,
        vision_target: VisionTarget | None = None,
        name: str = "",
        thinker: Thinker | None = None,
    ) -> None:
        self.journal = journal
        self.cases = CaseFolder(journal.path.parent)
        self.photographs = TurnPhotographs(journal.path)
        self.uploads = FilmUploads(journal.path.with_name(UPLOAD_FOLDER))
        self._lock = threading.RLock()
        self._game = CurrentGame(journal, name)
        self.publisher = TablePublisher(self._game)
        self.camera = TableCamera(self._game, self.publisher, self.uploads, self._lock, vision_target)
        self.camera.on_result, self.camera.on_tick = self._take_result, self._tick
        self._events = EventRecorder(self._game, self.publisher, self.camera)
        self._results = CommandResults(journal.recent_keys())
        self._partner = PartnerPlay(thinker)
        self._partner_requests: Sequence[tuple[int, str, bool]] = ()

    # ------------------------------------------------------------ opening and closing

    def open(self, source: str, game: str, options: Mapping[str, Any], corners: Corners | None = None) -> None:
        """Start refereeing: go on with the last game if it is not over (`Offer`), else begin one."""
        parsed = parse_source(source, self.uploads)
        check_game(game, options)
        with self._lock:
            if self._game.take_up(game, options, parsed.name, self.photographs):
                parsed = parse_kept_source(self.state.source, self.uploads, parsed)
                self.publisher.take_colours_of_game()
            self.camera.use(parsed, corners if self._game.question() is None else None)
            if not self._game.records:
                self._game.begin(game, options, parsed.name)
            self.publisher.publish_again()
        self.camera.supervisor.start()

    def close(self) -> None:
        """End the vision process and wake every page; what was announced is in the journal already."""
        self.publisher.close()
        self.camera.supervisor.close()
        self._partner.close()

    # ------------------------------------------------------------ what pages ask

    @property
    def variant(self) -> Variant:
        """The rules that are played by."""
        return self.state.game.variant

    @property
    def state(self) -> GameState:
        """The game as the journal has it."""
        return self._game.state

    def announcements_after(self, seq: int) -> Sequence[Announcement]:
        """Return what was announced in this game after the journal's number ``seq``."""
        with self._lock:
            return self.publisher.announce([record for record in self._game.records if record.seq > seq])

    def health(self) -> dict[str, Any]:
        """Return counters for people who look after the machine."""
        with self._lock:
            return {
                "source": self.publisher.source,
                "sight": self.publisher.sight.sight,
                **self.camera.counters.to_json(),
                "starts": self.camera.supervisor.n_starts,
                "unsaved": self._game.n_unsaved,
                "game": self._game.number,
                "ply": self.state.game.ply,
            }

    # ------------------------------------------------------------ commands about which game is played

    def new_game(
        self,
        game: str,
        options: Mapping[str, Any] | None = None,
        source: str | None = None,
        *,
        swap: bool = False,
        lesson: int = 0,
        laid: Mapping[str, Any] | None = None,
    ) -> None:
        """Close the game and begin another, a lesson, or one from a position (``laid``: ``fen``, ``colours``)."""
        with self._lock:
            parsed = self.camera.parse(source) if source is not None else self.camera.source
            if parsed.kind == "demo":
                game, options = find_demo(parsed.name).game, {}
            check_game(game, options or {})
            self._game.begin(game, options or {}, parsed.name, swap=swap, lesson=lesson, laid=laid)
            self.publisher.take_colours_of_game()
            if parsed != self.camera.source:
                self.camera.use(parsed)
            else:
                self.camera.restart()
            self.publisher.publish(self.publisher.announce(self._game.records))

    def restart_game(self, *, game: int | None = None, swap: bool = False) -> None:
        """Begin the same game again. Raises `StaleCommandError` where it is not ``game`` any more."""
        with self._lock:
            if game not in (None, self._game.number):
                raise StaleCommandError(message("game.gone_on"))
            body = self._game.records[0].body
            self.new_game(body["game"], body["options"], swap=swap, lesson=self.state.lesson_number)

    def go_on(self, number: int) -> None:
        """Open an unfinished game of the journal at this table, where people may; the present one stays as it is."""
        with self._lock:
            before = self._game.number
            self._game.go_on(number)
            if number != before:
                self.publisher.take_colours_of_game()
                self.camera.use(parse_kept_source(self.state.source, self.uploads, self.camera.source))
            self.publisher.publish_again()

    def decline_offer(self) -> None:
        """Begin what the command asked for, in the place of the game that was taken up."""
        with self._lock:
            body = self._game.decline()
            self.new_game(body["game"], body["options"], body["source"])
            self.let_millchen_play(self._partner_requests)

    def use_source(self, source: SourceName) -> None:
        """Take the pictures from another source; a camera continues the game, a film begins its own."""
        parsed = self.camera.parse(source)
        with self._lock:
            if parsed.is_film:
                body = self._game.records[0].body
                self.new_game(body["game"], body["options"], source)
                return
            if parsed.name != self.state.source:
                body = source_record_body(parsed.name, self._game.table)
                self._write(UnwrittenRecord("source", None, body))
            self.camera.use(parsed)
            self.publisher.publish()

    def keep_game(self) -> None:
        """Stay with the game that was chosen, although the board in sight fits another one."""
        with self._lock:
            self.publisher.decline_other_game()
            self.camera.supervisor.send(Ask.KEEP_GAME)
            self.publisher.publish()

    # ------------------------------------------------------------ commands within a game

    def carry_out(self, sent: Sent, do: Callable[..., CommandResult | None], *args: Any, **words: Any) -> CommandResult:
        """Carry out once what people, the vision process or Millchen have sent, one after the other.

        When this returns, what a command of people changed is written; ``do`` returns where that was, None where it is
        the game that is on. Every retry gets the same answer. Raises `StaleCommandError` where the game has gone on
        since the sender looked at it, and `NotWrittenError` where it was not done, and will not be.
        """
        if not self._lock.acquire(timeout=BUSY_TIMEOUT_S):
            raise NotWrittenError(message("game.not_written"))
        try:
            self._write_unsaved()
            if (result := self._results.of(sent.key)) is not None:
                return result
            newest = self.camera.change_seq if sent.by == "camera" else board_seq(self._game.records)
            if sent.is_stale(self._game.number, newest):
                raise StaleCommandError(message("game.gone_on"))
            return self._results.carry_out(
                sent.key,
                lambda: do(*args, **words) or CommandResult(self._game.number, self._game.records[-1].seq),
            )
        finally:
            self._lock.release()

    def apply_command(self, make: Callable[..., UnwrittenRecord], **words: Any) -> None:
        """Write the record that a command of a person makes of the state and its words."""
        with self._lock:
            self._apply(make(self.state, **words), "hand")

    def _apply(self, record: UnwrittenRecord, by: str) -> None:
        """Write a record of people or of Millchen, and tell vision where it changes the game."""
        before, body, is_watched = self.state.game, record.body, not self.camera.is_idle
        if record.kind == "turn":
            body |= self.publisher.clock.turn_fields(time.monotonic())
        if is_watched:
            body |= {name: value for name, value in self.camera.time_fields.items() if name in body}
        self._write(record, by)
        if self.state.game is not before and is_watched:
            self.camera.change_game(record)

    def add_record(self, game: int, record: UnwrittenRecord) -> CommandResult:
        """Write a person's record for a game, also for one that is over: a name, a remark."""
        with self._lock:
            if game == self._game.number:
                return CommandResult(game, self._write(record)[-1].seq)
            return CommandResult(game, self.journal.append_all(game, [record], by="hand")[-1].seq)

    def was_deleted(self, games: Collection[int]) -> None:
        """Take note that games, or names in them, were deleted."""
        with self._lock:
            self._game.was_deleted(games)
            self.publisher.publish()

    def set_clock(
        self,
        act: Literal["set", "start", "pause", "press"],
        kind: Literal["off", "down", "up"] = "off",
        minutes: Annotated[float, limits(minimum=0, maximum=MAX_CLOCK_MINUTES)] = 0.0,
        increment: Annotated[float, limits(minimum=0, maximum=MAX_CLOCK_INCREMENT_S)] = 0.0,
    ) -> None:
        """Set the clock (see `parse_clock`), start or pause it, or press it as that of a real table."""
        with self._lock:
            before, now_s = self.publisher.clock.clock, time.monotonic()
            if act == "set":
                agreed = {"kind": kind, "minutes": minutes, "increment": increment}
                after = parse_clock(agreed, self.variant.players)
            else:
                after = before.after_act(act, self.state.game, now_s)
            if after.settings() != before.settings():
                self._write(UnwrittenRecord("clock", None, after.settings()))
            self.publisher.clock.clock = after
            self.publisher.publish()

    def let_millchen_play(self, requests: Sequence[tuple[int, str, bool]]) -> None:
        """Have Millchen play as the command asks: for which players, how well, and whether it explains."""
        with self._lock:
            self._partner_requests = requests
            for player, strength, explain in requests if self._game.question() is None else ():
                if self.state.partners.get(player - 1, ())[:2] != (strength, explain):
                    self.apply_command(set_partner, player=player, strength=strength, explain=explain)

    def ask_for_hint(self) -> None:
        """Have Millchen think about the best turn; what it finds is announced when it is known."""
        check_hint(self.state)
        self._partner.want_hint()

    # ------------------------------------------------------------ what camera and Millchen send

    def _take_result(self, result: FrameResult) -> None:
        """Write what vision has seen in a frame, and announce it."""
        n_before = len(self._game.records)
        announcements: list[Announcement] = []

        def take(*, is_stale: bool = False) -> None:
            for announcement in self._events.record(result.events, is_stale=is_stale):
                announcements.append(announcement)  # one by one: those before what cannot be stand

        with self._new_process_if_impossible():
            try:
                self.carry_out(Sent(self._game.number, result.change_seq, by="camera"), take)
            except StaleCommandError:  # the newest game is on its way to it
                self.publisher.pending = ()
                take(is_stale=True)
        if self.state.keeps_photographs and result.photograph:
            for record in self._game.records[n_before:]:
                self.photographs.save(record.seq, result.photograph)
        self.publisher.publish(announcements)

    def _tick(self) -> None:
        """Try again to write what could not be saved, and see what Millchen has thought of."""
        with self._lock:
            self._write_unsaved()
            if self.state.partners or self._partner.is_busy:
                self._let_partner_play()

    def _let_partner_play(self) -> None:
        publisher, was_thinking = self.publisher, self.publisher.is_thinking
        is_agreed = self._game.question() is None and (self.camera.is_idle or publisher.is_settled)
        answer = self._partner.next_record(self._game.records, self.state, is_agreed, time.monotonic())
        publisher.is_thinking = self._partner.is_thinking
        if answer is not None:
            sent, record = answer
            with suppress(NotWrittenError, StaleCommandError):  # it is thought of again
                self.carry_out(sent, self._apply, record, sent.by)
        elif publisher.is_thinking != was_thinking:
            publisher.publish()

    # ------------------------------------------------------------ writing

    def _write(self, record: UnwrittenRecord, by: str = "hand") -> list[JournalRecord]:
        """Write a record that no camera saw and announce it, or raise `NotWrittenError`; return the records."""
        records = self._game.write_by_hand(record, by)
        self.publisher.publish(self.publisher.announce(records))
        return records

    def _write_unsaved(self) -> None:
        if not self._game.n_unsaved:
            return
        announcements: list[Announcement] = []
        with self._new_process_if_impossible():
            announcements += self.publisher.announce(self._game.write_unsaved())
        if announcements or not self._game.n_unsaved:
            self.publisher.publish(announcements)

    @contextmanager
    def _new_process_if_impossible(self) -> Iterator[None]:
        """Have vision start again from the newest game where it has reported what cannot follow on that."""
        try:
            yield
        except ImpossibleEventError:
            log.error("vision reported what cannot be: a new process")
            self.camera.restart()
