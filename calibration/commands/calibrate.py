"""The command ``millchen calibrate``: measures a table from files or with a camera; the page asks at each step."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated

import numpy as np

from calibration import steps
from calibration.cameras import list_cameras, probe_source
from calibration.commands.measured_tables import Name, ReportFile, print_check
from calibration.field_step import find_field
from calibration.lens_calibration import MIN_VIEWS, calibrate_lens
from calibration.profile import CameraPart, Profile, checked_table_name
from calibration.profile_folder import ProfileFolder
from calibration.report import report_html
from calibration.step_texts import Refused, phrase
from calibration.target_views import TARGET_VIEW_COUNT, TargetView, ViewCollection, detect_target
from referee.boards import BOARDS
from vision.capture.pictures import read_picture
from vision.capture.sources import FrameSource, LiveCamera, open_source
from vision.commands.arguments import (
    BoardName,
    Data,
    FieldCorners,
    Language,
    make_writable,
    parse_address,
    parse_number,
)
from vision.commands.from_signature import Word
from vision.imaging.field import NotRegistered

MAX_LENS_FRAMES = 900  # most frames of a live source that are searched for views, count: half a minute
LENS_FRAME_STEP = 3  # one frame of a video in so many is searched for views
ADVICE_STEP = 15  # one of these frames in so many says what to show next

SOURCE = ("SOURCE", parse_address)
_side = partial(parse_number, "the side of a field is 20 to 5000 mm long", 20, 5000)


def calibrate(
    name: Name,
    *,
    source: Annotated[
        str | None, Word("camera number, address (@FILE), or picture of the empty board", *SOURCE)
    ] = None,
    step: Annotated[Sequence[str], Word("this one only, with what the camera sees", choices=steps.STEPS)] = (),
    board: BoardName = None,
    corners: FieldCorners = None,
    side: Annotated[float | None, Word("length of the field's side, in millimetres", "MM", _side)] = None,
    lens: Annotated[str | None, Word("folder, video or camera that shows the printed sheet", *SOURCE)] = None,
    stones: Annotated[Path | None, Word("the same picture with a few stones of each player", "IMAGE")] = None,
    report: ReportFile = None,
    language: Language = "en",
    data: Data = None,
) -> None:
    """Measure a table once: camera, lens, field, stones."""
    tables = ProfileFolder(data)
    if report is not None:
        make_writable(report)
    name = checked_table_name(name)
    before, chosen_steps = tables.load(name) if tables.has(name) else Profile(name), set(step or steps.STEPS)
    source = source or (before.camera.source if before.camera else None) or _only_camera()
    with open_source(source) as feed:
        camera, frames, profile = feed if isinstance(feed, LiveCamera) else None, iter(feed), before
        frame, fps = probe_source(frames, is_live=camera is not None)
        if "camera" in chosen_steps or profile.camera is None:
            settings = camera.lock_settings() if camera is not None else {}
            names = list_cameras() if camera is not None else {}
            part = CameraPart(source, names.get(source, ""), frame.size_px, fps if camera else 0.0, settings)
            profile = steps.with_camera(profile, part)
        if "placement" in chosen_steps:
            profile = steps.with_placement(profile, frame.bgr)
        if "lens" in step or (lens is not None and not step):
            is_open = camera is not None and lens in (None, source)
            with nullcontext(feed) if is_open else open_source(lens or source, own_sizes=True) as lens_feed:
                measurement = calibrate_lens(_views_of(lens_feed, language))
            profile = steps.with_lens(profile, measurement)
        if "field" in chosen_steps:
            boards = None if board is None else (BOARDS[board],)
            own = profile.known_lens
            result = find_field(frame.bgr, own, boards, None if corners is None else np.array(corners, np.float64))
            if isinstance(result, NotRegistered):
                raise Refused("field.none", reason=result.reason)
            side = side or (profile.field.side_mm if profile.field else None)
            profile = steps.with_field(profile, frame.bgr, result, side)
        if "stones" in step or (stones is not None and not step):
            profile = steps.with_stones(profile, next(frames).bgr if stones is None else read_picture(stones).upright)
    profile = replace(profile, saved=datetime.now().astimezone().isoformat(timespec="seconds"))
    path = tables.save(profile)
    if report is not None:
        report.write_text(report_html(profile, language), encoding="utf-8")
    print_check(profile, language)
    _say(str(path))


def _views_of(source: FrameSource, language: str) -> tuple[TargetView, ...]:
    """Return views of the sheet; of a camera until there are enough, and people are told what is wished for next.

    Raises Refused where few can be used and it is clear why.
    """
    is_live = source.n_frames is None
    step = 1 if is_live or source.is_photo_series else LENS_FRAME_STEP
    collection, outcomes, sizes = ViewCollection(), Counter[str](), set[tuple[int, int]]()
    for k, frame in enumerate(islice(source, 0, MAX_LENS_FRAMES if is_live else None, step)):
        view = detect_target(frame.bgr)
        collection, outcome = collection.offer(view, is_picture=not is_live)
        outcomes[outcome] += 1
        sizes |= {view.size_px} if isinstance(view, TargetView) else set()
        if outcome == "view.taken" or (is_live and k % ADVICE_STEP == 0):
            advice = phrase(collection.wish_key() if is_live else outcome, language)
            _say(f"   {len(collection.views)}/{TARGET_VIEW_COUNT} {advice}")
        if is_live and collection.is_enough:
            break
    for reason in ("wrong", "blurred") if len(collection.views) < 3 else ():
        if outcomes[f"target.{reason}"]:
            raise Refused(f"lens.{reason}")
    if len(collection.views) < MIN_VIEWS and len(sizes) > 1:
        raise Refused("lens.sizes", sizes=", ".join(f"{w} x {h}" for w, h in sorted(sizes)))
    return collection.views


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _only_camera() -> str:
    cameras = list_cameras()
    if len(cameras) == 1:
        return next(iter(cameras))
    for number, name in cameras.items():
        _say(f"   {number}: {name}")
    raise Refused("camera.which" if cameras else "camera.no_camera")
