"""The vision process: a `VisionJob` and commands in, results of frames and pictures out.

It is a child of the table, so that a crash of native code costs a restart and not the game.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from multiprocessing.connection import Connection

import cv2
import numpy as np

from calibration.known_table import begin_with_known_table
from languages import in_all_languages, message_of
from referee.boards import boards_for
from referee.events import Event, PictureSkipped
from referee.moves import Move
from vision.capture.sources import CameraCare, SourceError, VideoFile, open_source
from vision.imaging.corners import corner_fault
from vision.imaging.cv import encoded
from vision.imaging.field import Registration, out_of_sight_note
from vision.imaging.frame import Float64Array, Frame, Image
from vision.pipeline import finish, step, step_photograph, was_looked_at
from vision.rotation.angle_at_rest import DiscStrips, featureless_rings
from vision.stones.appearance import Appearance, StoneColours
from vision.stones.separability import FIELD, pairwise_separability
from vision.watching.camera_note import CameraNote
from vision.watching.player_actions import change_game, correct_game, place_field, resume_from
from vision.watching.state import Break, Proposal, State, StepResult, TableSetup, start
from web.child_process import PARENT_GONE, quieten
from web.game.page_state import AlikeStones, SeenPosition, Sight
from web.game.records import KINDS, UNRECORDED
from web.game.replay import replay
from web.table import vision_messages
from web.table.case_keeper import CaseKeeper

LAST_WARNED_PLY = 4  # number of turns up to which the page warns of the stones; later nobody changes them any more
MAX_PICTURE_WIDTH_PX = 1280  # width of the pictures for pages, in pixels: a 4K camera would fill the pipe
PAGE_JPEG_QUALITY = 82  # quality of these pictures by OpenCV's scale of 0 to 100; one of 1280x720 has about 100 kB
STATUS_INTERVAL_S = 1.0  # longest time between two results while frames come, in seconds; they are the sign of life
LATE_S, MAX_FRAME_GAP_S = 0.1, 0.12  # a frame of a film is dropped if so late, while the one before it is not so old
MAX_LATENESS_S = 0.5  # lateness of a film in seconds up to which it drops frames; beyond that it waits for vision


def alike_stones(appearance: Appearance) -> tuple[AlikeStones, ...]:
    """Return the pairs that are hard to tell apart, the worst first."""
    numbers = {FIELD: 0} | {f"player {k + 1}": k + 1 for k in range(len(appearance.stones))}
    return tuple(
        AlikeStones(numbers[pair.one], numbers[pair.other], round(float(pair.error), 3))
        for pair in pairwise_separability(appearance)
        if pair.rating != "clear"
    )


def sentences_of(reason: str) -> dict[str, str]:
    """Return a message as a sentence of its own, by language."""
    return {language: f"{text[0].upper()}{text[1:]}." for language, text in in_all_languages(reason).items()}


class VisionReporter:
    """Makes the status of each frame; warnings are computed anew only when what they depend on has changed."""

    def __init__(self, *, gives_advice: bool = True) -> None:
        self._gives_advice = gives_advice
        self.known_table_note: Mapping[str, str] = {}
        self.source_note: Mapping[str, str] = {}
        self._alike: tuple[AlikeStones, ...] = ()
        self._featureless_rings: tuple[int, ...] = ()
        self._stones: tuple[StoneColours, ...] = ()  # as they were compared last
        self._proposal: tuple[Proposal, Appearance] | None = None
        self._strips: DiscStrips | None = None  # in which the rings were examined last
        self._camera_note = CameraNote()

    def accepts_corners(self, corners_px: Float64Array, size_px: tuple[int, int]) -> bool:
        """Return whether four corners can be those of a field; where they cannot, note why."""
        fault = corner_fault(corners_px, size_px)
        self.known_table_note = {} if fault is None else sentences_of(fault)
        return fault is None

    def status(self, state: State, frame: Frame) -> Sight:
        """Return what the page shows of a state of vision."""
        self._update_warnings(state)
        registration, board = state.registration, state.proposed_position
        is_found = isinstance(registration, Registration)
        return Sight(
            sight=state.sight,
            reason="" if isinstance(registration, Registration) else registration.reason,
            points=tuple((round(float(x), 1), round(float(y), 1)) for x, y in registration.field.points_px)
            if isinstance(registration, Registration)
            else (),
            hidden=tuple(state.hidden.tolist()) if is_found else (),
            size=frame.size_px,
            colours=self._appearance(state).colours,
            note=self._note(state, frame),
            alike=self._alike,
            plain=self._featureless_rings,
            seen=None
            if board is None
            else SeenPosition(board.tops, None if board.to_move is None else board.to_move + 1),
            compared=state.after_break is None,
        )

    def _note(self, state: State, frame: Frame) -> Mapping[str, str]:
        """Return the note for people: about the measured table, points that the picture cuts off, the camera."""
        more = out_of_sight_note(state.registration, frame.size_px), self._camera_note.after(state, frame)
        notes = (self.source_note, self.known_table_note, *(sentences_of(note) for note in more if note is not None))
        return {
            language: " ".join(note[language] for note in notes if language in note)
            for note in notes
            for language in note
        }

    def _appearance(self, state: State) -> Appearance:
        """Return how the stones look, as vision has learnt; before the first one, as the board in sight would teach."""
        board = state.proposed_position
        if board is None or any(state.appearance.stones):
            return state.appearance
        if self._proposal is None or self._proposal[0] is not board:
            self._proposal = board, resume_from(state, board.tops, board.to_move).appearance
        return self._proposal[1]

    def _update_warnings(self, state: State) -> None:
        is_opening = self._gives_advice and state.game.ply <= LAST_WARNED_PLY
        if not is_opening:
            self._alike = ()
        elif state.appearance.stones is not self._stones:
            self._stones, self._alike = state.appearance.stones, alike_stones(state.appearance)
        if state.strips is not self._strips:
            self._strips = state.strips
            self._featureless_rings = featureless_rings(state.strips) if state.strips is not None and is_opening else ()


def pending_moves(state: State) -> tuple[Move, ...]:
    """Return the moves of a turn that has begun and still owes its captures."""
    turn = state.belief.pending
    return turn.moves if turn is not None else ()


def run_vision(pipe: Connection, job: vision_messages.VisionJob) -> None:
    """Referee a source until it ends or the parent goes away: the target of the child process."""
    quieten()
    try:
        _run(pipe, job)
    except PARENT_GONE:
        return
    except Exception as why:
        with suppress(OSError):
            pipe.send(vision_messages.VisionFailed(f"{type(why).__name__}: {why}", traceback.format_exc()))


def _run(pipe: Connection, job: vision_messages.VisionJob) -> None:
    pipe.send(vision_messages.CrashRiskNotice(vision_messages.CrashCause.GAME))
    course = replay(job.records)
    game = course.game
    # a position that was set up lies on one board alone, with as many holes as that has
    table = TableSetup(game.variant, (game.variant.board,) if game.is_set_up else boards_for(game.variant))
    is_disputed = course.foul is not None or course.question is not None
    state = start(table, game, Break(is_disputed, course.colours))
    pipe.send(vision_messages.CrashRiskNotice(vision_messages.CrashCause.SOURCE))
    skipped: list[PictureSkipped] = []
    try:
        settings = next((one.settings for one in job.known_tables if one.settings), None)
        camera = CameraCare(settings, on_stale=lambda _: pipe.send(vision_messages.SourceNews.STALE))
        source = open_source(job.source, camera=camera, on_skipped=skipped.append)
    except SourceError as why:
        pipe.send(vision_messages.SourceEnded(message_of(why), is_over=False))
        return
    cases = CaseKeeper(job.cases, job.records[0])
    loop = _VisionLoop(pipe, job, table, state, step_photograph if source.is_photo_series else step, cases)
    loop.note(source.note)
    is_film = job.is_film or isinstance(source, VideoFile)  # an address may hold a film
    pipe.send(vision_messages.SourceNews.OPENED)
    with source, closing(cases):
        try:
            last, frames = None, iter(source)
            if is_film:  # it runs at its own speed like a camera
                frames = pace_film((one for one in frames if one.time_s >= job.first_s), time.monotonic, time.sleep)
            for frame in frames:
                loop.take_commands()
                last = frame if loop.process(frame, skipped) else last
                skipped.clear()
            if is_film and last is not None:
                loop.process(last, skipped, is_last=True)
        except SourceError as why:
            pipe.send(vision_messages.SourceEnded(message_of(why), is_over=False))
            return
    pipe.send(vision_messages.SourceEnded("", is_over=is_film))


class _VisionLoop:
    """Takes commands from the pipe, processes frames and sends the results."""

    def __init__(
        self,
        pipe: Connection,
        job: vision_messages.VisionJob,
        table: TableSetup,
        state: State,
        take: Callable[[State, Frame, TableSetup], StepResult[State]],
        cases: CaseKeeper,
    ) -> None:
        self._pipe, self._table, self._state, self._take, self._cases = pipe, table, state, take, cases
        self._corners: vision_messages.Corners | None = job.corners
        self._known_tables = job.known_tables  # tried with the first frame only
        self._reporter = VisionReporter(gives_advice=job.gives_advice)
        self._owes_picture = False
        self._change_seq = job.records[-1].seq
        self._sent: vision_messages.FrameResult | None = None
        self._sent_s = 0.0

    def take_commands(self) -> None:
        """Carry out the commands that have arrived."""
        while self._pipe.poll():
            command: vision_messages.VisionCommand = self._pipe.recv()
            match command:
                case vision_messages.UseCorners(corners):
                    self._corners = corners
                case vision_messages.Ask.KEEP_GAME:
                    self._cases.note_answer("kept", self._state.game)
                case vision_messages.Ask.PICTURE:
                    self._owes_picture = True
                case vision_messages.ChangeGame():
                    self._state, self._change_seq = apply_change(self._state, command), command.seq
                    self._cases.note_answer(command.kind, command.game)

    def note(self, text: str) -> None:
        """Have people told what is special about the source."""
        self._reporter.source_note = sentences_of(text) if text else {}

    def process(self, frame: Frame, skipped: Sequence[Event] = (), *, is_last: bool = False) -> bool:
        """Process a frame; send its result where it is news. Return whether the frame was looked at.

        The ``skipped`` events go with it. With ``is_last`` the film has ended: vision decides or asks what is open.
        """
        began = time.perf_counter()
        events = (*skipped, *self._place_field(frame))
        before = self._state
        step_result = (finish if is_last else self._take)(before, frame, self._table)
        self._state, more = step_result
        step_ms = (time.perf_counter() - began) * 1000
        if not is_last:  # at the end of a film several steps are taken at once
            self._cases.note_step(before, frame, step_result)
        sight, pending = self._reporter.status(self._state, frame), pending_moves(self._state)
        events += more
        photograph = encode_picture(frame.bgr) if any(not isinstance(event, UNRECORDED) for event in events) else b""
        at = frame.sequence, frame.time_s
        result = vision_messages.FrameResult(events, sight, self._change_seq, pending, *at, step_ms, photograph)
        now = time.monotonic()
        is_news = self._sent is None or (sight, pending) != (self._sent.sight, self._sent.pending)
        if result.events or is_news or now - self._sent_s > STATUS_INTERVAL_S:
            self._pipe.send(result)
            self._sent, self._sent_s = result, now
        if self._owes_picture or is_last:  # whoever opens the page later sees how the film ended
            self._pipe.send(vision_messages.EncodedPicture(encode_picture(frame.bgr)))
            self._owes_picture = False
        return was_looked_at(self._state, frame)

    def _place_field(self, frame: Frame) -> tuple[Event, ...]:
        """Place the field where somebody has pointed at it, or where a known table has it; return the events."""
        events: tuple[Event, ...] = ()
        if self._corners is not None:
            self._pipe.send(vision_messages.CrashRiskNotice(vision_messages.CrashCause.CORNERS))
            boards = (self._state.game.variant.board,)  # the one that the page draws into the corners
            corners_px = np.array(self._corners, np.float64)
            if self._reporter.accepts_corners(corners_px, frame.size_px):
                self._state, events = place_field(self._state, frame, replace(self._table, boards=boards), corners_px)
            self._corners = None
        elif self._known_tables:
            self._pipe.send(vision_messages.CrashRiskNotice(vision_messages.CrashCause.KNOWN_TABLES))
            self._state, events, self._table, self._reporter.known_table_note = begin_with_known_table(
                self._known_tables, self._state, frame, self._table
            )
        elif self._sent is None:
            self._pipe.send(vision_messages.CrashRiskNotice(None))
        self._known_tables = ()
        return events


def apply_change(state: State, command: vision_messages.ChangeGame) -> State:
    """Return the state after a person has changed the game; what was accepted in between is void."""
    if command.kind == "resumed":
        to_move = command.body["to_move"]
        return resume_from(state, command.game.position.tops, None if to_move is None else to_move - 1)
    if command.kind in KINDS and KINDS[command.kind].is_correction:
        return correct_game(state, command.game)
    # The table shows a foul that stands already; anything else people still have to do by hand.
    return change_game(state, command.game, recheck=command.kind == "stood")


def pace_film(frames: Iterator[Frame], clock: Callable[[], float], sleep: Callable[[float], None]) -> Iterator[Frame]:
    """Yield each frame of a film at its time.

    Frames that come a little late are dropped. When much time was lost at once (vision searched for the field), the
    film waits instead, so that nothing that happens in it is missed.
    """
    offset_s: float | None = None
    last_s = -1.0
    for frame in frames:
        now = clock()
        if offset_s is None:
            offset_s = now - frame.time_s
        late_s = now - offset_s - frame.time_s
        if late_s < 0:
            sleep(-late_s)
        elif late_s > MAX_LATENESS_S:
            offset_s += late_s
        elif late_s > LATE_S and frame.time_s - last_s < MAX_FRAME_GAP_S:
            continue
        last_s = frame.time_s
        yield frame


def encode_picture(bgr: Image) -> bytes:
    """Return a BGR image as a JPEG for the page, scaled down to `MAX_PICTURE_WIDTH_PX` where it is wider."""
    height, width = bgr.shape[:2]
    if width > MAX_PICTURE_WIDTH_PX:
        size = (MAX_PICTURE_WIDTH_PX, round(height * MAX_PICTURE_WIDTH_PX / width))
        bgr = np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), np.uint8)
    return encoded(bgr, quality=PAGE_JPEG_QUALITY)
