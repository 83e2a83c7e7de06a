"""The command ``millchen watch``: referees a game from a camera, a video or a folder of pictures."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated

import numpy as np

from calibration.commands.read import PlaceWords, bar_text, no_field_sentence
from languages import Message
from referee.announce import sentence
from referee.boards import boards_for
from referee.events import Event, OtherGameSeen, TurnPlayed, to_json
from referee.presets import find_variant
from vision.capture.sources import CameraCare, FrameSource, LiveCamera, SourceError, open_source
from vision.commands.arguments import GameName, Language, Rules, parse_address, parse_number
from vision.commands.from_signature import Word
from vision.imaging.corners import corner_fault
from vision.imaging.field import NotRegistered, out_of_sight_note
from vision.pipeline import finish, step, step_photograph, was_looked_at
from vision.rotation.angle_at_rest import mark_advice
from vision.watching.camera_note import CameraNote
from vision.watching.player_actions import place_field
from vision.watching.state import State, TableSetup, Unseen, start

if TYPE_CHECKING:
    from calibration.known_table import KnownTable


PATIENCE_S = 60.0  # longest wait for a camera that has gone, seconds

_fps = partial(parse_number, "frames a second must be over 0 and at most 1000", math.nextafter(0, 1), 1000)


def watch(
    source: Annotated[str, Word("camera number, film, address (@FILE) or folder of pictures", "SOURCE", parse_address)],
    *,
    game: GameName,
    option: Rules = (),
    fps: Annotated[float | None, Word("play a folder of pictures as a video of so many a second", convert=_fps)] = None,
    language: Language = "en",
    json_: Annotated[bool, "one JSON object an event"] = False,
    place: PlaceWords,
) -> int:
    """Referee what the source shows until it ends; return the exit status.

    Raises ``SourceError`` or ``ValueError`` when there is no such source, no board in it, or corners lie outside its
    pictures; the message is one sentence.
    """
    variant = find_variant(game, **dict(option))
    in_words = partial(sentence, language="en" if json_ else language, board=variant.board)
    say = partial(_print_json if json_ else _print_sentence, in_words)
    known_table = place.known_table()
    camera = CameraCare(known_table.settings if known_table else None, patience_s=PATIENCE_S, on_gone=_tell_gone)
    with open_source(source, camera=camera, fps=fps, on_skipped=say) as feed:
        _tell(feed.note)
        rules = TableSetup(variant, boards_for(variant), takes_over=True)
        rules = known_table.equipped(rules) if known_table else rules
        _follow_game(feed, rules, place.corners, known_table, say, progress=sys.stderr.isatty())
    return 0


def _tell(text: object) -> None:
    """Print what is not of the game; nothing where there is nothing to say."""
    if text:
        print(text, file=sys.stderr, flush=True)


def _tell_gone(is_gone: bool) -> None:
    _tell(f"the camera has gone: it is tried again for {PATIENCE_S:.0f} s" if is_gone else "the camera is back")


def _follow_game(
    source: FrameSource,
    table: TableSetup,
    corners: list[tuple[float, float]] | None,
    known_table: KnownTable | None,
    say: Callable[[Event], None],
    *,
    progress: bool,
) -> None:
    state, advice, note, last, camera, unrest = start(table), None, None, None, CameraNote(), None
    take = step_photograph if source.is_photo_series else step
    for frame in source:
        events: tuple[Event, ...] = ()
        if corners is not None:
            fault = corner_fault(corners, frame.size_px)  # they belong to another picture
            if fault is not None:
                raise ValueError(f"--corners: {fault}")
            state, events = place_field(state, frame, table, np.array(corners, np.float64))
            corners = None
        elif known_table is not None:
            state, events, recognition = known_table.begin(state, frame, table)
            _tell(recognition and recognition.texts["en"])
        known_table, strips = None, state.strips
        state, more = take(state, frame, table)
        last = frame if was_looked_at(state, frame) else last
        if advice is None and state.strips not in (None, strips):
            advice = mark_advice(state.strips)
            _tell(advice)
        note, before = out_of_sight_note(state.registration, frame.size_px), note
        _tell(note if note != before else None)
        if unrest is None and not source.is_photo_series:
            unrest = camera.after(state, frame)
            _tell(unrest)
        if progress and source.n_frames:
            print(f"\r{bar_text(frame.sequence + 1, source.n_frames)}", end="", file=sys.stderr, flush=True)
        for event in events + more:
            if progress:
                print("\r\x1b[K", end="", file=sys.stderr)
            say(event)
    if progress:
        print("\r\x1b[K", end="", file=sys.stderr)
    if last is not None:
        state, events = finish(state, last, table)
        for event in events:
            say(event)
    _complain_of_end(source, state, unrest)


def _complain_of_end(source: FrameSource, state: State, unrest: Message | None) -> None:
    """Raise ``SourceError`` where a camera has gone, or a film has ended before the board was found."""
    if isinstance(source, LiveCamera):
        raise SourceError(f"the camera has gone and did not come back within {PATIENCE_S:.0f} s")
    if isinstance(state, Unseen) and state.searched_s == float("-inf"):
        raise SourceError(unrest or "the video ended before the board lay still: film the table for a second or longer")
    if isinstance(state, Unseen) and isinstance(state.registration, NotRegistered):
        raise SourceError(no_field_sentence(state.registration))


def _print_json(in_words: Callable[[Event], str], event: Event) -> None:
    print(json.dumps(to_json(event, in_words(event))), flush=True)
    if isinstance(event, OtherGameSeen):  # people who read no JSON should know why nothing happens
        _tell(in_words(event))


def _print_sentence(in_words: Callable[[Event], str], event: Event) -> None:
    minutes, seconds = divmod(event.time_s, 60)
    number = f"{event.ply:3}. " if isinstance(event, TurnPlayed) else "     "
    print(f"{int(minutes):02}:{seconds:04.1f} {number}{in_words(event)}", flush=True)
