"""The command ``millchen calibrate``: measures a table from files or with a camera; the page asks at each step."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np

from calibration import steps, stones_step
from calibration.cameras import list_cameras, probe_source
from calibration.commands.measured_tables import add_common, print_check
from calibration.field_step import find_field
from calibration.lens_calibration import MIN_VIEWS, LensMeasurement, calibrate_lens
from calibration.profile import CameraPart, Profile, checked_table_name, decode_jpeg
from calibration.profile_folder import ProfileFolder
from calibration.report import plot_residuals, report_html
from calibration.step_texts import Refused, phrase
from calibration.target_views import TARGET_VIEW_COUNT, TargetNotSeen, ViewCollection, detect_target, is_another_target
from referee.board import Board
from referee.boards import BOARDS
from vision.capture.sources import LiveCamera, open_source
from vision.commands.arguments import make_writable, parse_address, parse_corners, parse_number
from vision.imaging.field import NotRegistered
from vision.imaging.frame import Frame, Image

MAX_LENS_FRAMES = 900  # most frames of a live source that are searched for views, count: half a minute
LENS_FRAME_STEP = 3  # of a video, one frame in so many is searched for views


def add_calibrate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register ``millchen calibrate``."""
    parser = commands.add_parser("calibrate", help="measure a table once: camera, lens, field, stones")
    parser.add_argument("name", metavar="NAME", help="what the table is called")
    parser.add_argument(
        "--source",
        type=parse_address,
        metavar="SOURCE",
        help="camera number, address (or @FILE that holds it), or a picture of the empty board",
    )
    parser.add_argument(
        "--step",
        action="append",
        choices=steps.STEPS,
        default=[],
        help="do this step only (may be given again): the lens and the stones in front of the camera are measured so",
    )
    parser.add_argument("--board", choices=sorted(BOARDS), help="the kind of board (default: recognised)")
    parser.add_argument("--corners", type=parse_corners, metavar="X,Y,...", help="corners of the field, if not found")
    side = partial(parse_number, "the side of a field is 20 to 5000 mm long", 20, 5000)
    parser.add_argument("--side", type=side, metavar="MM", help="length of the field's side, in millimetres")
    parser.add_argument(
        "--lens", type=parse_address, metavar="SOURCE", help="folder, video or camera that shows the printed sheet"
    )
    parser.add_argument(
        "--stones", type=Path, metavar="IMAGE", help="the same picture with a few stones of each player"
    )
    parser.add_argument("--players", type=int, choices=range(2, 4), default=2, help="how many colours of stones")
    parser.add_argument("--plot", type=Path, metavar="SVG", help="draw the errors of the lens into this file")
    parser.add_argument("--report", type=Path, metavar="HTML", help="write a report that can be printed")
    add_common(parser)
    parser.set_defaults(run=_calibrate)


def _calibrate(words: argparse.Namespace) -> int:
    tables = ProfileFolder(words.data)
    for file in (words.plot, words.report):
        if file is not None:
            make_writable(file)
    name = checked_table_name(words.name)
    is_known = any(known.casefold() == name.casefold() for known in tables.names())
    before = tables.load(name) if is_known else Profile(name)
    wanted = set(words.step or steps.STEPS)
    source = words.source or (before.camera.source if before.camera else None) or _only_camera()
    with open_source(source) as opened:
        camera = opened if isinstance(opened, LiveCamera) else None
        profile = _Session(words, source, iter(opened), camera).measured(before, wanted)
    saved = replace(profile, saved=datetime.now(UTC).isoformat(timespec="seconds"))
    path = tables.save(saved)
    if words.report is not None:
        words.report.write_text(report_html(saved, words.language), encoding="utf-8")
    print_check(saved, words.language)
    _say(str(path))
    return 0


@dataclass(frozen=True)
class _Session:
    """The steps at one source; ``camera`` is the source itself where it is a live one."""

    words: argparse.Namespace
    source: str
    frames: Iterator[Frame]
    camera: LiveCamera | None

    def measured(self, profile: Profile, wanted: set[str]) -> Profile:
        """Return the profile with the steps that are wanted."""
        camera, words = self.camera, self.words
        seen, fps = probe_source(self.frames, is_live=camera is not None)
        if "camera" in wanted or profile.camera is None:
            settings = camera.lock_settings() if camera is not None else {}
            names = {str(c.number): c.name for c in list_cameras()} if camera is not None else {}
            part = CameraPart(self.source, names.get(self.source, ""), seen.size_px, fps if camera else 0.0, settings)
            profile = steps.with_camera(profile, part)
        if "placement" in wanted:
            profile = steps.with_placement(profile, seen.bgr)
        if "lens" in words.step or (words.lens is not None and not words.step):
            profile = self._with_lens(profile)
        if "field" in wanted:
            profile = self._with_field(profile, seen.bgr)
        if "stones" in words.step or (words.stones is not None and not words.step):
            profile = self._with_stones(profile)
        return profile

    def _with_lens(self, profile: Profile) -> Profile:
        words = self.words
        if self.camera is not None and words.lens in (None, self.source):
            measured = _measure_lens(iter(self.camera), True, False, words.language)
        else:
            with open_source(words.lens or self.source, own_sizes=True) as opened:
                is_live = opened.n_frames is None
                measured = _measure_lens(iter(opened), is_live, opened.is_photo_series, words.language)
        if words.plot is not None:
            drawn = plot_residuals(measured.lens.size_px, measured.errors_px, measured.residuals)
            words.plot.write_text(drawn, encoding="utf-8")
        return steps.with_lens(profile, measured)

    def _with_field(self, profile: Profile, bgr: Image) -> Profile:
        words = self.words
        corners = None if words.corners is None else np.array(words.corners, np.float64)
        boards: Sequence[Board] | None = None if words.board is None else (BOARDS[words.board],)
        found = find_field(bgr, steps.profile_lens(profile), boards, corners)
        if isinstance(found, NotRegistered):
            raise Refused("field.none", reason=found.reason)
        side = words.side or (profile.field.side_mm if profile.field else None)
        return steps.with_field(profile, bgr, found, side)

    def _with_stones(self, profile: Profile) -> Profile:
        if profile.field is None:
            raise Refused("profile.no_field", name=profile.name)
        if self.words.stones is None:
            bgr = next(self.frames).bgr
        else:
            with open_source(str(self.words.stones)) as opened:
                bgr = next(iter(opened)).bgr
        n_players = self.words.players
        tops = stones_step.read_stones(bgr, profile.field.field, decode_jpeg(profile.field.jpeg), n_players)
        return steps.with_stones(profile, bgr, tops, n_players)


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
