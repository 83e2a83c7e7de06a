"""Rendered games and photographs from folders outside the repository, as the golden replay shows them.

The folder of scenes holds ``clips/*/frames.json`` and ``stills/*.json`` with their pictures; beside it may lie
``photos`` with ``stills/*.json`` and ``hand_sequence/*.jpg``.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from tests.golden import extract

FPS = 6
"""Frames a second of the clips, as in the bundled demos."""

HANDS_FPS = 10
"""Frames a second of the pictures of real hands."""

HOLD_S = {"hand": 0.4, "settled": 0.7, "empty": 0.8}
"""How long each rendered picture of a clip is on screen."""

END_S = 2.5
"""How long the last one is."""

JPEG_QUALITY = 88
MOST_PICTURES = 50
"""So much of a clip is shown: its first pictures, ten turns or so."""

HANDS_CORNERS_PX = np.array([[30.0, 30], [470, 30], [470, 470], [30, 470]])
"""Where a board is said to lie in the pictures of real hands, which show another board: hands are hands."""


def names_in(scenes: Path) -> dict[str, list[str]]:
    """What a folder of scenes has: the names of each set.

    Raises:
        ValueError: With one sentence, when it has neither clips nor stills.
    """
    clips = [path.parent.name for path in sorted(scenes.glob("clips/*/frames.json"))]
    stills = [path.stem for path in sorted(scenes.glob("stills/*.json"))]
    if not clips and not stills:
        raise ValueError(f"--scenes: {str(scenes)!r} has no clips/*/frames.json and no stills/*.json")
    empty = [name for name in stills if json.loads((scenes / "stills" / f"{name}.json").read_text())["empty_image"]]
    photos = scenes.parent / "photos"
    hands = ["hand_sequence"] if any(photos.glob("hand_sequence/*.jpg")) else []
    return {
        "clips": clips,
        "stills": stills,
        "stills_empty": empty,
        "photos": [path.stem for path in sorted(photos.glob("stills/*.json"))],
        "hands": hands,
    }


def show(scenes: Path, kind: str, name: str) -> Iterator[extract.Seen]:
    """What is known after every frame of a film, or once what a photograph shows."""
    if kind == "clips":
        yield from _watch_clip(scenes / "clips" / name)
    elif kind == "hands":
        paths = sorted((scenes.parent / "photos" / name).glob("*.jpg"))
        yield from extract.watch_images(map(extract.picture, paths), HANDS_FPS, "millchen", HANDS_CORNERS_PX)
    else:
        folder = (scenes.parent / "photos" if kind == "photos" else scenes) / "stills"
        truth = json.loads((folder / f"{name}.json").read_text())
        empty = extract.picture(folder / truth["empty_image"]) if kind == "stills_empty" else None
        yield extract.read_photograph(extract.picture(folder / truth["image"]), empty)


def _watch_clip(folder: Path) -> Iterator[extract.Seen]:
    truth: dict[str, Any] = json.loads((folder / "frames.json").read_text())
    game = "millchen" if truth["board"] == "nine_mens_morris" else truth["board"]
    yield from extract.watch_images(_screened(folder, truth), FPS, game)


def _screened(folder: Path, truth: dict[str, Any]) -> Iterator[extract.Image]:
    """The pictures of a clip as a camera shows them: each held for a while, with fresh noise, as JPEG.

    Yields uint8 arrays of shape (H, W, 3), BGR.
    """
    rng = np.random.default_rng(truth["seed"])
    frames = truth["frames"][:MOST_PICTURES]
    for frame in frames:
        still = cv2.imread(str(folder / frame["file"])).astype(np.float32)
        kind = "hand" if frame["hand"] else "empty" if frame["phase"] == "empty" else "settled"
        hold_s = END_S if frame is frames[-1] else HOLD_S[kind]
        for _ in range(round(hold_s * FPS)):
            grain = np.float32(1.6) * rng.standard_normal(still.shape[:2], np.float32)
            noisy = still * np.float32(1 + rng.normal(0, 0.004)) + grain[..., None]
            pixels = np.clip(noisy, 0, 255).astype(np.uint8)
            _, packed = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
            yield cv2.imdecode(packed, cv2.IMREAD_COLOR)
