#!/usr/bin/env python3
"""Make a bundled demo, a video file, from a clip of rendered frames.

    python tools/make_demo.py CLIP_FOLDER web/demo --game millchen --noise 0 --first 1
    python tools/make_demo.py CLIP_FOLDER web/demo --game roman_mill --width 800

The clip folder has ``frames.json`` and one picture a frame; every picture stays on screen as long as a player would
look at it. OpenCV alone writes the video (MPEG-4 part 2 in .mp4), so that every OpenCV wheel can read it. OpenCV gives
no say in the quality, so the size is kept small by what is fed to it: where a picture differs from the one before by
no more than its noise, the old pixels stay.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import cv2
import numpy as np

HOLD_S = {"hand": 0.4, "settled": 0.8, "empty": 1.2, "foul": 3.5}
"""How long each picture stays, by what it shows."""

FPS = 6
NOISE_LEVELS = 7.0
"""Difference of two pictures, after a blur, that is noise and not a change; grey levels."""

BLUR_PX = 1.5
"""Standard deviation of that blur."""


def main() -> int:
    """Write the demo; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clip", type=Path, help="folder with frames.json")
    parser.add_argument("target", type=Path, help="folder for the demo")
    parser.add_argument("--game", required=True, help="name of the game, as on the command line")
    parser.add_argument("--first", type=int, default=0, help="first picture")
    parser.add_argument("--last", type=int, default=None, help="last picture (default: the clip's)")
    parser.add_argument("--noise", type=float, default=0.6, help="fresh sensor noise, grey levels (default 0.6)")
    parser.add_argument("--width", type=int, default=None, help="of the film, pixels (default: the pictures')")
    given = parser.parse_args()

    meta = json.loads((given.clip / "frames.json").read_text())
    given.target.mkdir(parents=True, exist_ok=True)
    video = given.target / f"{given.game}.mp4"
    width, height = meta["size"]
    size = (given.width or width, height * (given.width or width) // width)
    out = cv2.VideoWriter(str(video), cv2.CAP_FFMPEG, cv2.VideoWriter_fourcc(*"mp4v"), FPS, size)
    if not out.isOpened():
        print("this OpenCV cannot write MPEG-4", file=sys.stderr)
        return 1
    rng = np.random.default_rng(meta["seed"])
    foul_frames = {move["settled_frame"] for move in meta["moves"] if not move.get("legal", True)}
    n_written, last_image = 0, None
    for frame in meta["frames"][given.first : given.last]:
        image = cv2.imread(str(given.clip / frame["file"]))
        if image is None:
            print(f"no picture: {given.clip / frame['file']}", file=sys.stderr)
            return 1
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        if last_image is not None:
            apart = cv2.GaussianBlur(cv2.absdiff(image, last_image).max(axis=2).astype(np.float32), (0, 0), BLUR_PX)
            image = np.where((apart > NOISE_LEVELS)[..., None], image, last_image)
        last_image = image
        kind = "hand" if frame["hand"] else "empty" if frame["phase"] == "empty" else "settled"
        if frame["i"] in foul_frames and not frame["hand"]:
            kind = "foul"  # the players listen to the referee
        for _ in range(round(HOLD_S[kind] * FPS)):
            noisy = image + rng.normal(0, given.noise, image.shape[:2])[..., None]
            out.write(np.clip(noisy, 0, 255).astype(np.uint8))
            n_written += 1
    out.release()
    print(f"{video}: {n_written / FPS:.0f} s, {video.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
