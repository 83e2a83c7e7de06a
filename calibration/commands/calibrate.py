"""The command ``millchen calibrate``: measures a table from files or with a camera; the page asks at each step."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
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
from calibration.target_views import TARGET_VIEW_COUNT, TargetView, ViewCollection, detect_target
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
FOREIGN_STEP = 15  # one of these frames in so many is searched for another kind of sheet
WISH_STEP = 10  # one frame of a live source in so many says what is wished for next


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
        return calibrate_lens(_live_views(iter(camera), language))
    with open_source(source, own_sizes=True) as opened:
        if opened.n_frames is None:
            return calibrate_lens(_live_views(iter(opened), language))
        return calibrate_lens(_stored_views(opened, opened.is_photo_series, language))


def _live_views(frames: Iterable[Frame], language: str) -> tuple[TargetView, ...]:
    """Return views of a sheet that people hold, until there are enough; they are told what is wished for next."""
    collection = ViewCollection()
    for k, frame in enumerate(islice(frames, MAX_LENS_FRAMES)):
        collection, outcome = collection.offer(detect_target(frame.bgr, asks_which=k % FOREIGN_STEP == 0))
        if outcome == "view.taken" or k % WISH_STEP == 0:
            _say_views(collection, collection.wish_key(), language)
        if collection.is_enough:
            break
    return collection.views


def _stored_views(frames: Iterable[Frame], is_pictures: bool, language: str) -> tuple[TargetView, ...]:
    """Return the views of photographs or a film; raises Refused where few can be used and it is clear why."""
    collection, outcomes, sizes = ViewCollection(), Counter[str](), set[tuple[int, int]]()
    for k, frame in enumerate(islice(frames, 0, None, 1 if is_pictures else LENS_FRAME_STEP)):
        view = detect_target(frame.bgr, asks_which=is_pictures or k % FOREIGN_STEP == 0)
        collection, outcome = collection.offer(view, is_picture=True)
        outcomes[outcome] += 1
        if isinstance(view, TargetView):
            sizes.add(view.size_px)
        if outcome == "view.taken":
            _say_views(collection, outcome, language)
    for reason in ("wrong", "blurred") if len(collection.views) < 3 else ():
        if outcomes[f"target.{reason}"]:
            raise Refused(f"lens.{reason}")
    if len(collection.views) < MIN_VIEWS and len(sizes) > 1:
        raise Refused("lens.sizes", sizes=", ".join(f"{w} x {h}" for w, h in sorted(sizes)))
    return collection.views


def _say_views(collection: ViewCollection, key: str, language: str) -> None:
    _say(f"   {len(collection.views)}/{TARGET_VIEW_COUNT} {phrase(key, language)}")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _only_camera() -> str:
    cameras = list_cameras()
    if len(cameras) == 1:
        return str(cameras[0].number)
    for camera in cameras:
        _say(f"   {camera.number}: {camera.name}")
    raise Refused("camera.which" if cameras else "camera.no_camera")
