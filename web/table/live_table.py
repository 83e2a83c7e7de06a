"""The live table: the vision process, the journal and the view for pages, brought together.

What vision reports is written to the journal first and published after. When the vision process dies (a camera that
crashes its driver) or the source goes away, a new process starts from the game that the journal has.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Annotated, Any, Literal

from languages import message
from referee.events import BoardFound, BoardLost, Event, FoulStood, OtherGameSeen, PictureSkipped, TurnPlayed
from referee.typed_json import limits
from referee.variant import Variant
from web.body_types import SourceName
from web.errors import ImpossibleEventError, NotWrittenError, StaleCommandError
from web.game.first_record import HAND
from web.game.game_state import MAX_CLOCK_INCREMENT_S, MAX_CLOCK_MINUTES, GameState, parse_clock
from web.game.page_state import Announcement, Sight, SourceStatus
from web.game.player_commands import check_hint, let_other_turn_stand, other_turn, set_partner
from web.game.records import FOLLOWING, UNRECORDED, record_of_event
from web.game.replay import hole_count_options, is_already_recorded, source_record_body
from web.journal.data_folder import CaseFolder, TurnPhotographs
from web.journal.journal import Journal
from web.journal.journal_record import JournalRecord, UnwrittenRecord, under_key
from web.net.film_upload import UPLOAD, UPLOAD_FOLDER, FilmUploads
from web.table import vision_messages
from web.table.current_game import CommittedCommand, CurrentGame, Sent, board_seq
from web.table.offered_games import check_game
from web.table.partner import PartnerPlay
from web.table.publisher import TablePublisher
from web.table.source_names import PHONE, Source, find_demo, parse_kept_source, parse_source
from web.table.supervisor import CameraGuest, VisionRestartPolicy, VisionSupervisor, VisionTarget
from web.table.vision_process import run_vision
from web.thinking import Thinker

STEP_TIME_WEIGHT = 0.05  # weight of the newest frame in the running mean of the time per frame

log = logging.getLogger("millchen.live")

BUSY_TIMEOUT_S = 0.8  # longest time in seconds for which a command waits for its turn; it is answered within two
MAX_KEPT_KEYS = 2000  # newest commands whose keys are remembered; a retry comes within seconds


class SourceCounters:
    """Counts frames, their cost and the losses of the source, for the page of health; one thread writes them."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._losses: deque[float] = deque(maxlen=10_000)
        self._frame_s: float | None = None
        self.n_frames = self.n_losses = self.n_stale = 0
        self.step_ms = 0.0

    def count_frame(self, frame: int, step_ms: float) -> None:
        """Count a processed frame: its number in the source, and the time that it took."""
        self.n_frames = max(self.n_frames, frame + 1)
        self.step_ms += STEP_TIME_WEIGHT * (step_ms - self.step_ms)
        self._frame_s = self._clock()

    def count_loss(self) -> None:
        """Count that the source has gone."""
        self.n_losses += 1
        self._losses.append(self._clock())

    def to_json(self) -> dict[str, Any]:
        """Return the counts; ``age_s`` is the time since the last frame, None before the first."""
        now = self._clock()
        while self._losses and now - self._losses[0] > 3600.0:
            self._losses.popleft()
        return {
            "frames": self.n_frames,
            "age_s": None if self._frame_s is None else round(now - self._frame_s, 1),
            "losses": self.n_losses,
            "losses_last_hour": len(self._losses),
            "stale": self.n_stale,
            "step_ms": round(self.step_ms, 1),
        }


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
        self._lock = threading.RLock()
        self._supervisor = VisionSupervisor(self)
        self._vision_target = run_vision if vision_target is None else vision_target
        self._current_game = CurrentGame(journal, name)
        self.publisher = TablePublisher(self._current_game)
        self._partner = PartnerPlay(thinker)
        self._asked_partners: Sequence[tuple[int, str, bool]] = ()
        self.cases = CaseFolder(journal.path.parent)
        self.photographs = TurnPhotographs(journal.path)
        self.uploads = FilmUploads(journal.path.with_name(UPLOAD_FOLDER))
        self.known_tables: vision_messages.FindKnownTables = lambda _: ()
        self.phone_address = ""  # on this computer, from which the pictures of a phone come
        self.source = Source("", "file", "")  # with the password of a camera that has one
        self._restarts = VisionRestartPolicy()
        self._counters = SourceCounters()
        self._guest: CameraGuest | None = None  # that has the camera now; the game rests
        self._guest_process: tuple[Callable[..., None], Sequence[Any]] = self._vision_target, ()
        self._told = 0  # the journal's number of the newest record that the vision process had to be told of
        # what came of the newest commands, by their keys
        self._committed = {key: CommittedCommand(*at) for key, at in journal.recent_keys().items()}

    # ------------------------------------------------------------ opening and closing

    def open(
        self, source: str, game: str, options: Mapping[str, Any], corners: vision_messages.Corners | None = None
    ) -> None:
        """Start refereeing: go on with the last game if it is not over (`Offer`), else begin one."""
        parsed = parse_source(source, self.uploads)
        check_game(game, options)
        with self._lock:
            if self._current_game.take_up(game, options, parsed.name, self.photographs):
                parsed = parse_kept_source(self._state.source, self.uploads, parsed)
                self.publisher.sight = Sight(colours=self._state.colours)
            self._use(parsed, corners if self._current_game.question() is None else None)
            if not self._current_game.records:
                self._current_game.begin(game, options, parsed.name)
            self._publish_taken_up()
        self._supervisor.start()

    def close(self) -> None:
        """End the vision process and wake every page; what was announced is in the journal already."""
        self.publisher.close()
        self._supervisor.close()
        self._partner.close()

    def _parse(self, text: str) -> Source:
        """Return the source that a page names; pages know the present one without its password."""
        is_present = self.source.kind == "address" and text.strip() == self.source.name
        return self.source if is_present else parse_source(text, self.uploads)

    def _use(self, source: Source, corners: vision_messages.Corners | None = None) -> None:
        before, self.source = self.source, source
        self.publisher.source = SourceStatus(source.name, source.kind, has_answered=False)
        self._restarts.use(source, corners)
        self._restart_vision()
        if before.name.startswith(f"{UPLOAD}:") and before != source:
            self.uploads.remove(before.name)

    def _publish_taken_up(self) -> None:
        """Publish a reopened game, and repeat its last announcements silently."""
        self.publisher.recall()
        self._publish()

    def _restart_vision(self) -> None:
        """Have the supervisor replace the vision process."""
        if self._guest is None:
            self._supervisor.restart()
        self.publisher.disabled_features_note = self._restarts.disabled_features_note
        self.publisher.reset_vision()
        problem = self.source.problem
        state = "live" if self.source.kind == HAND else "failed" if problem else "opening"
        self.publisher.source = replace(self.publisher.source, state=state, reason=problem)

    # ------------------------------------------------------------ what pages ask

    @property
    def variant(self) -> Variant:
        """The rules that are played by."""
        return self._state.game.variant

    @property
    def _state(self) -> GameState:
        return self._current_game.state

    def announcements_after(self, seq: int) -> Sequence[Announcement]:
        """Return what was announced in this game after the journal's number ``seq``."""
        with self._lock:
            return self.publisher.announce([record for record in self._current_game.records if record.seq > seq])

    def lend_camera(self, guest: CameraGuest | None, look: Callable[..., None] = run_vision, *words: Any) -> None:
        """Leave the camera process to a guest, which runs ``look`` there, or with None look through it again."""
        with self._lock:
            self._guest = None
            self._restarts.use(self.source, self._restarts.corners)  # the table may have been measured anew
            self._restart_vision()
            self._guest, self._guest_process = guest, (look, words)

    def send_to_camera(self, command: object) -> bool:
        """Send a command of the guest; return False where its process does not run."""
        return self._supervisor.send(command)

    def request_pictures(self) -> None:
        """Keep pictures coming for a while: somebody is looking."""
        self._supervisor.request_pictures()

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
            parsed = self._parse(source) if source is not None else self.source
            if parsed.kind == "demo":
                game, options = find_demo(parsed.name).game, {}
            check_game(game, options or {})
            self._current_game.begin(game, options or {}, parsed.name, swap=swap, lesson=lesson, laid=laid)
            self.publisher.sight = Sight(colours=self._state.colours)
            if parsed != self.source:
                self._use(parsed)
            else:
                self._restart_vision()
            self._publish(tuple(self.publisher.announce(self._current_game.records)))

    def restart_game(self, *, game: int | None = None, swap: bool = False) -> None:
        """Begin the same game again. Raises `StaleCommandError` where it is not ``game`` any more."""
        with self._lock:
            if game not in (None, self._current_game.number):
                raise StaleCommandError(message("game.gone_on"))
            body = self._current_game.records[0].body
            self.new_game(body["game"], body["options"], swap=swap, lesson=self._state.lesson_number)

    def go_on(self, number: int) -> None:
        """Open an unfinished game of the journal at this table, where people may; the present one stays as it is."""
        with self._lock:
            before = self._current_game.number
            self._current_game.go_on(number)
            if number != before:
                self.publisher.sight = Sight(colours=self._state.colours)
                self._use(parse_kept_source(self._state.source, self.uploads, self.source))
            self._publish_taken_up()

    def decline_offer(self) -> None:
        """Begin what the command asked for, in the place of the game that was taken up."""
        with self._lock:
            wanted = self._current_game.decline()
            self.new_game(wanted["game"], wanted["options"], wanted["source"])
            self.let_millchen_play(self._asked_partners)

    def let_millchen_play(self, partners: Sequence[tuple[int, str, bool]]) -> None:
        """Have Millchen play as the command asks: for which players, how well, and whether it explains."""
        with self._lock:
            self._asked_partners = partners
            for player, strength, explain in partners if self._current_game.question() is None else ():
                if self._state.partners.get(player - 1, ())[:2] != (strength, explain):
                    self.apply_command(set_partner, player=player, strength=strength, explain=explain)

    def use_source(self, source: SourceName) -> None:
        """Take the pictures from another source; a camera continues the game, a film begins its own."""
        parsed = self._parse(source)
        with self._lock:
            if parsed.is_film:
                body = self._current_game.records[0].body
                self.new_game(body["game"], body["options"], source)
                return
            if parsed.name != self._state.source:
                body = source_record_body(parsed.name, self._current_game.table)
                self._write_now(UnwrittenRecord("source", None, body))
            self._use(parsed)
            self._publish()

    def place_corners(self, corners: Sequence[tuple[float, float]]) -> None:
        """Use corners of the field that people have pointed at, clockwise from the upper left one, in pixels."""
        with self._lock:
            self._restarts.place(tuple(corners))
            self.publisher.disabled_features_note = self._restarts.disabled_features_note
            self._supervisor.send(vision_messages.UseCorners(tuple(corners)))

    def carry_out(
        self, sent: Sent, do: Callable[..., CommittedCommand | None], *args: Any, **words: Any
    ) -> CommittedCommand:
        """Carry out once what people, the vision process or Millchen have sent, one after the other.

        When this returns, what a command of people changed is written. It returns where that was, None where it is the
        game that is on. Every retry gets the same answer. Raises `StaleCommandError` where the game has gone on since
        the sender looked at it, and `NotWrittenError` where it was not done, and will not be.
        """
        if not self._lock.acquire(timeout=BUSY_TIMEOUT_S):
            raise NotWrittenError(message("game.not_written"))
        try:
            self._write_unsaved()
            if (before := self._committed.get(sent.key)) is not None:
                return before
            current = self._current_game
            newest = self._told if sent.by == "camera" else board_seq(current.records)
            if sent.is_stale(current.number, newest):
                raise StaleCommandError(message("game.gone_on"))
            with under_key(sent.key):
                committed = do(*args, **words) or CommittedCommand(current.number, current.records[-1].seq)
            if sent.key:  # one without a key is sent once only
                self._committed[sent.key] = committed
            if len(self._committed) > MAX_KEPT_KEYS:
                del self._committed[next(iter(self._committed))]
            return committed
        finally:
            self._lock.release()

    def keep_game(self) -> None:
        """Stay with the game that was chosen, although the board in sight fits another one."""
        with self._lock:
            self.publisher.decline_other_game()
            self._supervisor.send(vision_messages.Ask.KEEP_GAME)
            self._publish()

    def apply_command(self, make: Callable[..., UnwrittenRecord], **words: Any) -> None:
        """Write the record that a command of a person makes of the state and its words."""
        with self._lock:
            self._apply(make(self._state, **words), "hand")

    def _apply(self, record: UnwrittenRecord, by: str) -> None:
        """Write a record of people or of Millchen, and tell vision where it changes the game."""
        before, body = self._state.game, record.body
        if record.kind == "turn":
            body |= self.publisher.clock.turn_fields(time.monotonic())
        stamp = {"t": round(self._restarts.seen_s, 3), "frame": self._counters.n_frames}
        body |= {} if self.is_idle() else {field: stamp[field] for field in stamp.keys() & body.keys()}
        self._write_now(record, by)
        if self._state.game is not before and not self.is_idle():
            self._tell_vision(record)

    def _tell_vision(self, record: UnwrittenRecord) -> None:
        """Tell vision the newest game, and by which record it differs; what vision saw of another one is void."""
        self._told = self._current_game.records[-1].seq
        change = vision_messages.ChangeGame(record.kind, record.body, self._state.game, self._told)
        if not self._supervisor.send(change):
            self._restart_vision()  # one that is just starting has another game

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
                after = parse_clock(agreed, self._state.game.variant.players)
            else:
                after = before.after_act(act, self._state.game, now_s)
            if after.settings() != before.settings():
                self._write_now(UnwrittenRecord("clock", None, after.settings()))
            self.publisher.clock.clock = after
            self._publish()

    def add_record(self, game: int, record: UnwrittenRecord) -> CommittedCommand:
        """Write a person's record for a game, also for one that is over: a name, a remark."""
        with self._lock:
            if game == self._current_game.number:
                return CommittedCommand(game, self._write_now(record)[-1].seq)
            return CommittedCommand(game, self.journal.append_all(game, [record], by="hand")[-1].seq)

    def was_deleted(self, games: Collection[int]) -> None:
        """Take note that games, or names in them, were deleted."""
        with self._lock:
            self._current_game.was_deleted(games)
            self._publish()

    def health(self) -> dict[str, Any]:
        """Return counters for people who look after the machine."""
        with self._lock:
            return {
                "source": self.publisher.source,
                "sight": self.publisher.sight.sight,
                **self._counters.to_json(),
                "starts": self._supervisor.n_starts,
                "unsaved": self._current_game.n_unsaved,
                "game": self._current_game.number,
                "ply": self._state.game.ply,
            }

    def find_source(self, text: str) -> Source:
        """Return the source that a text names, as it is opened from here."""
        source = parse_source(text, self.uploads)
        return replace(source, place=self._place_of(source))

    def _place_of(self, source: Source) -> str:
        """Return where the pictures of a source come from; those of a phone come through this table's own page."""
        return self.phone_address if source.kind == PHONE else source.place

    # ------------------------------------------------------------ what the supervisor calls

    def next_process(self) -> tuple[Callable[..., None], Sequence[Any]]:
        """Return the function that a new process runs, and what it is given."""
        with self._lock:
            return (self._vision_target, [self.next_job()]) if self._guest is None else self._guest_process

    def needs_no_process(self) -> bool:
        """Return whether there is nothing to look at."""
        guest = self._guest
        return self.is_idle() if guest is None else bool(guest.gone_reason)

    def next_job(self) -> vision_messages.VisionJob:
        """Return the job of a new vision process."""
        with self._lock:
            source = self.source
            known = self.known_tables(source.name) if self._restarts.uses_known_tables else ()
            first_s = 0.0
            if source.is_film:
                first_s = self._restarts.first_s(self._journal_position, self._state.time_s)
            self._restarts.begin()
            records, corners, is_demo = tuple(self._current_game.records), self._restarts.corners, source.kind == "demo"
            cases = None if is_demo or self._state.lesson is not None else self.cases.data_folder
            place = self._place_of(source)
            return vision_messages.VisionJob(
                place, records, first_s, corners, source.is_film, not is_demo, known, cases
            )

    def is_idle(self) -> bool:
        """Return whether the source has nothing more to show, or nobody refereeing looks."""
        return self._guest is not None or self.source.kind == HAND or self.publisher.source.state in ("ended", "failed")

    def tick(self) -> None:
        """Try again to write what could not be saved, and see what Millchen has thought of."""
        if (guest := self._guest) is not None:
            guest.tick()
        if self._current_game.n_unsaved or self._partner.is_busy:
            with self._lock:
                self._write_unsaved()
                self._let_partner_play()

    def ask_for_hint(self) -> None:
        """Have Millchen think about the best turn; what it finds is announced when it is known."""
        check_hint(self._state)
        self._partner.want_hint()

    def _let_partner_play(self) -> None:
        publisher, before = self.publisher, self.publisher.is_thinking
        is_agreed = self._current_game.question() is None and (self.is_idle() or publisher.is_settled)
        found = self._partner.next_record(self._current_game.records, self._state, is_agreed, time.monotonic())
        publisher.is_thinking = self._partner.is_thinking
        if found is not None:
            sent, record = found
            with suppress(NotWrittenError, StaleCommandError):  # it is thought of again
                self.carry_out(sent, self._apply, record, sent.by)
        elif publisher.is_thinking != before:
            self._publish()

    def _write_unsaved(self) -> None:
        if not self._current_game.n_unsaved:
            return
        announcements: list[Announcement] = []
        with self._new_process_if_impossible():
            announcements += self.publisher.announce(self._current_game.write_unsaved())
        if announcements or not self._current_game.n_unsaved:
            self._publish(tuple(announcements))

    def vision_died(self, *, has_failed: bool = False) -> None:
        """Take note that the vision process has died, or ``has_failed`` by an error of its own; the game goes on."""
        with self._lock:
            if self._guest is not None:
                self._guest.receive(vision_messages.SourceEnded(message("camera.unplugged"), is_over=False))
                return
            state, reason = self._restarts.died(self._journal_position, has_failed=has_failed)
            self.publisher.disabled_features_note = self._restarts.disabled_features_note
            self._source_lost(state, reason)

    @property
    def _journal_position(self) -> tuple[int, int]:
        return self._current_game.number, len(self._current_game.records)

    def receive(self, said: Any, generation: int) -> None:
        """Take in a message of the camera process, unless it has been replaced meanwhile."""
        with self._lock:
            if generation == self._supervisor.generation:
                (self._receive if self._guest is None else self._guest.receive)(said)

    def _receive(self, said: vision_messages.VisionMessage) -> None:
        match said:
            case vision_messages.CrashRiskNotice(cause):
                self._restarts.risk = cause
            case vision_messages.SourceNews.OPENED:
                self.publisher.source = replace(self.publisher.source, state="live", reason="", has_answered=True)
                self._publish()
            case vision_messages.SourceNews.STALE:
                self._counters.n_stale += self.publisher.source.state != "stale"
                self._source_lost("stale", "")
            case vision_messages.EncodedPicture(jpeg):
                self.publisher.publish_picture(jpeg)
            case vision_messages.SourceEnded(reason, is_over):
                state = "ended" if is_over else "failed" if self.source.is_film else "lost"
                self._source_lost(state, self._restarts.lost(reason) if state == "lost" else reason)
            case vision_messages.VisionFailed(reason, trace):
                log.error("vision failed (%s); a new process goes on", reason)
                log.debug("%s", trace)
                self.vision_died(has_failed=True)
            case vision_messages.FrameResult():
                self._take_result(said)

    def _take_result(self, result: vision_messages.FrameResult) -> None:
        self._counters.count_frame(result.frame, result.step_ms)
        if self.publisher.source.state == "stale":
            self.publisher.source = replace(self.publisher.source, state="live")
        self._restarts.saw(result.time_s)
        self.publisher.update_sight(result.sight, result.pending)
        n_before = len(self._current_game.records)
        announcements: list[Announcement] = []
        sent = Sent(self._current_game.number, result.seen, by="camera")

        def take(*, is_stale: bool = False) -> None:
            for announcement in self._take_events(result.events, is_stale=is_stale):
                announcements.append(announcement)  # one by one: those before what cannot be stand

        with self._new_process_if_impossible():
            try:
                self.carry_out(sent, take)
            except StaleCommandError:  # the newest game is on its way to it
                self.publisher.pending = ()
                take(is_stale=True)
        if self._state.keeps_photographs and result.photograph:
            for record in self._current_game.records[n_before:]:
                self.photographs.save(record.seq, result.photograph)
        self._publish(tuple(announcements))

    def _take_events(self, events: Sequence[Event], *, is_stale: bool) -> Iterator[Announcement]:
        """Write events to the journal where they belong there; yield what is announced.

        With ``is_stale`` vision has not seen the newest game yet: what it says of its own is left out.
        """
        for k, event in enumerate(events):
            if is_stale and not isinstance(event, UNRECORDED):
                continue
            if isinstance(event, FoulStood) and self._state.lesson is not None:
                is_stale = True  # a lesson stands as it was laid: people put the foul, or their last trial, back
                self._tell_vision(UnwrittenRecord("amended", None, {}))
            elif (other := self._other_turn(event, events[k + 1 :])) is not None:
                is_stale = True  # what follows from a turn that does not count yet
                foul = self._state.foul
                is_known = foul is not None and bool(foul.meant) and list(foul.seen_tops) == other.body["seen"]
                yield from () if is_known else self._write_seen(other)  # a new process sees the same turn once more
                self._tell_vision(other)
            else:
                yield from self._take_event(event)

    def _other_turn(self, event: Event, following: Sequence[Event]) -> UnwrittenRecord | None:
        """Return the record that people made another turn for Millchen than it meant; None where they did not.

        Where the next player has made a turn already, it is too late to put that right.
        """
        if not isinstance(event, TurnPlayed) or any(isinstance(later, TurnPlayed) for later in following):
            return None
        state = self._state
        return other_turn(state, event.moves) if event.ply == state.game.ply + 1 else None

    def _take_event(self, event: Event) -> list[Announcement]:
        state = self._state
        if isinstance(event, BoardFound) and (options := hole_count_options(event, state)):
            self._write_seen(UnwrittenRecord("board", None, {"options": options}))
        if isinstance(event, BoardFound | BoardLost):
            return self.publisher.announce_field(event)
        if isinstance(event, OtherGameSeen):
            return self.publisher.announce_other_game(event)
        if isinstance(event, PictureSkipped):
            return self.publisher.announce_unseen(event)
        if isinstance(event, FOLLOWING) or is_already_recorded(event, state):
            return []
        if isinstance(event, FoulStood) and state.foul is not None and state.foul.meant:
            record = let_other_turn_stand(state)  # people have played on: it is known what was made
            announcements = self._write_seen(record)
            self._tell_vision(record)
            return announcements
        record = record_of_event(event)
        if record.kind == "turn":
            colours = self.publisher.sight.colours
            record.body.update(self.publisher.clock.turn_fields(time.monotonic()))
            record.body.update({} if colours == state.colours else {"colours": list(colours)})
        return self._write_seen(record)

    def _write_seen(self, record: UnwrittenRecord) -> list[Announcement]:
        """Write what was seen; return what is announced. Only what is written is announced, the rest waits in order."""
        return self.publisher.announce(self._current_game.write(record))

    def _write_now(self, record: UnwrittenRecord, by: str = "hand") -> list[JournalRecord]:
        """Write a record that no camera saw and announce it, or raise `NotWrittenError`; return the records."""
        written = self._current_game.write_by_hand(record, by)
        self._publish(tuple(self.publisher.announce(written)))
        return written

    @contextmanager
    def _new_process_if_impossible(self) -> Iterator[None]:
        """Have vision start again from the newest game where it has reported what cannot follow on that."""
        try:
            yield
        except ImpossibleEventError:
            log.error("vision reported what cannot be: a new process")
            self._restart_vision()

    def _source_lost(self, state: str, reason: str) -> None:
        """Publish that the source shows nothing, with its new state; unless nothing was to be seen anyway."""
        if self._guest is not None or self.source.kind == HAND:
            return
        if state == "lost":
            self._counters.count_loss()
        self.publisher.source = replace(self.publisher.source, state=state, reason=reason)
        self._publish()

    def _publish(self, announcements: tuple[Announcement, ...] = ()) -> None:
        self._partner.has_players = bool(self._state.partners)
        self.publisher.publish(announcements)
