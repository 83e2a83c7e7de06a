"""The command ``millchen calibrate``: measures a table from files or with a camera; the page asks at each step."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np

from calibration import steps, stones_step
from calibration.cameras import list_cameras, probe_source
from calibration.commands.measured_tables import Name, ReportFile, print_check
from calibration.field_step import find_field
from calibration.lens_calibration import MIN_VIEWS, LensMeasurement, calibrate_lens
from calibration.profile import CameraPart, Profile, checked_table_name, decode_jpeg
from calibration.profile_folder import ProfileFolder
from calibration.report import plot_residuals, report_html
from calibration.step_texts import Refused, phrase
from calibration.target_views import TARGET_VIEW_COUNT, TargetNotSeen, ViewCollection, detect_target, is_another_target
from referee.boards import BOARDS
from vision.capture.sources import LiveCamera, open_source
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
from vision.imaging.frame import Frame, Image

MAX_LENS_FRAMES = 900  # most frames of a live source that are searched for views, count: half a minute
LENS_FRAME_STEP = 3  # one frame of a video in so many is searched for views


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
    players: Annotated[int, Word("how many colours of stones", choices=range(2, 4))] = 2,
    plot: Annotated[Path | None, Word("draw the errors of the lens into this file", "SVG")] = None,
    report: ReportFile = None,
    language: Language = "en",
    data: Data = None,
) -> None:
    """Measure a table once: camera, lens, field, stones."""
    tables = ProfileFolder(data)
    for file in (plot, report):
        if file is not None:
            make_writable(file)
    name = checked_table_name(name)
    is_known = any(other.casefold() == name.casefold() for other in tables.names())
    before, wanted = tables.load(name) if is_known else Profile(name), set(step or steps.STEPS)
    source = source or (before.camera.source if before.camera else None) or _only_camera()
    with open_source(source) as opened:
        camera, frames, profile = opened if isinstance(opened, LiveCamera) else None, iter(opened), before
        frame, fps = probe_source(frames, is_live=camera is not None)
        if "camera" in wanted or profile.camera is None:
            settings = camera.lock_settings() if camera is not None else {}
            names = {str(c.number): c.name for c in list_cameras()} if camera is not None else {}
            part = CameraPart(source, names.get(source, ""), frame.size_px, fps if camera else 0.0, settings)
            profile = steps.with_camera(profile, part)
        if "placement" in wanted:
            profile = steps.with_placement(profile, frame.bgr)
        if "lens" in step or (lens is not None and not step):
            measured = _lens_of(lens or source, camera if lens in (None, source) else None, language)
            if plot is not None:
                drawn = plot_residuals(measured.lens.size_px, measured.errors_px, measured.residuals)
                plot.write_text(drawn, encoding="utf-8")
            profile = steps.with_lens(profile, measured)
        if "field" in wanted:
            boards = None if board is None else (BOARDS[board],)
            own = steps.profile_lens(profile)
            result = find_field(frame.bgr, own, boards, None if corners is None else np.array(corners, np.float64))
            if isinstance(result, NotRegistered):
                raise Refused("field.none", reason=result.reason)
            side = side or (profile.field.side_mm if profile.field else None)
            profile = steps.with_field(profile, frame.bgr, result, side)
        if "stones" in step or (stones is not None and not step):
            profile = _with_stones(profile, next(frames).bgr if stones is None else _picture(stones), players)
    saved = replace(profile, saved=datetime.now(UTC).isoformat(timespec="seconds"))
    path = tables.save(saved)
    if report is not None:
        report.write_text(report_html(saved, language), encoding="utf-8")
    print_check(saved, language)
    _say(str(path))


def _picture(path: Path) -> Image:
    with open_source(str(path)) as opened:
        return next(iter(opened)).bgr


def _with_stones(profile: Profile, bgr: Image, n_players: int) -> Profile:
    if profile.field is None:
        raise Refused("profile.no_field", name=profile.name)
    tops = stones_step.read_stones(bgr, profile.field.field, decode_jpeg(profile.field.jpeg), n_players)
    return steps.with_stones(profile, bgr, tops, n_players)


def _lens_of(source: str, camera: LiveCamera | None, language: str) -> LensMeasurement:
    """Return the lens from views of the sheet, in front of a camera that is open or in another source."""
    if camera is not None:
        return _measure_lens(iter(camera), True, False, language)
    with open_source(source, own_sizes=True) as opened:
        return _measure_lens(iter(opened), opened.n_frames is None, opened.is_photo_series, language)


def _measure_lens(frames: Iterator[Frame], is_live: bool, is_pictures: bool, language: str) -> LensMeasurement:
    """Return the lens, calibrated from views that are collected until there are enough or no more frames."""
    collection, n_seen = ViewCollection(), {"target.wrong": 0, "target.blurred": 0}
    sizes: set[tuple[int, int]] = set()
    for k, frame in enumerate(frames):
        if is_live and (k > MAX_LENS_FRAMES or collection.is_enough):
            break
        if not is_live and not is_pictures and k % LENS_FRAME_STEP:
            continue
        view = detect_target(frame.bgr)
        if isinstance(view, TargetNotSeen) and (is_pictures or k % 15 == 0) and is_another_target(frame.bgr):
            view = TargetNotSeen("target.wrong")
        before = len(collection.views)
        if not isinstance(view, TargetNotSeen):
            sizes.add(view.size_px)
        collection, outcome = collection.offer(view, is_picture=not is_live)
        if outcome in n_seen:
            n_seen[outcome] += 1
        if len(collection.views) > before or is_live and k % 10 == 0:
            wish = phrase(collection.wish_key() if is_live else outcome, language)
            _say(f"   {len(collection.views)}/{TARGET_VIEW_COUNT} {wish}")
    if len(collection.views) < 3:
        if n_seen["target.wrong"]:
            raise Refused("lens.wrong")
        if n_seen["target.blurred"]:
            raise Refused("lens.blurred")
    if len(collection.views) < MIN_VIEWS and len(sizes) > 1:
        raise Refused("lens.sizes", sizes=", ".join(f"{w} x {h}" for w, h in sorted(sizes)))
    return calibrate_lens(collection.views)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _only_camera() -> str:
    cameras = list_cameras()
    if len(cameras) == 1:
        return str(cameras[0].number)
    for camera in cameras:
        _say(f"   {camera.number}: {camera.name}")
    raise Refused("camera.which" if cameras else "camera.no_camera")
