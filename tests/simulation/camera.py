"""What a cheap camera makes of a picture, and of a film: exposure, white balance, focus, noise and compression.

``develop`` takes one picture of a picture. ``filmed`` shows pictures through a camera that never quite holds still:
exposure and white balance follow a sleeve that comes in, the mains flicker, the sun wanders, the focus breathes, the
table shakes when a stone is laid, and frames are repeated. Both are pure: the same pictures, parameters and seed give
the same film. Codecs are another matter: what it takes is to be written as a film.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.synthetic.texels import compressed
from vision.imaging.frame import Image

GAMMA = 2.2
"""Exponent between light and grey levels; gains are factors on the light."""

SEARCH_S = 0.9
"""How long the focus is searched for, seconds."""


@dataclass(frozen=True)
class Development:
    """How one picture is made of the light that falls in.

    Attributes:
        gain: Exposure, factor on the light; 2 is a stop more.
        balance: White balance, factors on the light, BGR.
        blur_px: Standard deviation of the blur; 0 is in focus.
        noise: Standard deviation of the sensor's noise at gain 1, grey levels of 255.
    """

    gain: float = 1.0
    balance: tuple[float, float, float] = (1.0, 1.0, 1.0)
    blur_px: float = 0.0
    noise: float = 1.5
    jpeg_quality: int = 88


def develop(bgr: Image, how: Development, rng: np.random.Generator) -> Image:
    """Take a picture of a picture; the same generator gives the same noise.

    Returns:
        uint8 array of shape (H, W, 3)
    """
    seen = exposed(bgr, how.gain, how.balance)
    if how.blur_px > 0.2:
        seen = cast(Image, cv2.GaussianBlur(seen, (0, 0), how.blur_px))
    return compressed(with_noise(seen, how.noise * how.gain ** (1 / GAMMA), rng), how.jpeg_quality)


class View(NamedTuple):
    """What is in front of a camera at a moment.

    Attributes:
        bgr: uint8 array of shape (H, W, 3).
        touched: Whether a stone is laid or taken just now, so that the table shakes.
    """

    bgr: Image
    touched: bool = False


class Taken(NamedTuple):
    """A frame of a film: the picture, the index of the view that it shows, and when it was taken, seconds."""

    bgr: Image
    shows: int
    time_s: float


@dataclass(frozen=True)
class Camera:
    """A camera and its light.

    Attributes:
        seed: Of noise, of repeated frames, and of every phase.
        following: Share of a change of the picture's brightness, and of its colour, that is made up for at every frame.
        flicker: Amplitude of the mains' flicker, fraction of the light.
        flicker_hz: Twice the mains' frequency.
        readout_s: How long the sensor takes to read its rows: flicker makes as many bands as it lasts periods.
        sun: Amplitude of the light's slow change, fraction; a soft shadow of that depth wanders over the table besides.
        breath_px: Most blur of a focus that breathes or is searched for after a touch, standard deviation.
        shake_px, shake_hz, shake_s: First swing of a table on which a stone is laid, its frequency, and the time in
            which it dies down to a third.
        jitter_px: Standard deviation of the picture's place from frame to frame.
        repeated: Share of the frames that show the frame before again.
        shot_noise: Noise that grows with the light, beside ``noise``: times the root of the grey level.
    """

    seed: int
    fps: float = 10.0
    following: tuple[float, float] = (0.0, 0.0)
    flicker: float = 0.0
    flicker_hz: float = 100.0
    readout_s: float = 0.02
    sun: float = 0.0
    sun_s: float = 30.0
    breath_px: float = 0.0
    shake_px: float = 0.0
    shake_hz: float = 8.0
    shake_s: float = 0.25
    jitter_px: float = 0.0
    repeated: float = 0.0
    noise: float = 1.5
    shot_noise: float = 0.0
    jpeg_quality: int = 85


def restless_camera(seed: int, level: int) -> Camera:
    """A camera of 20 frames a second that never rests; level 2 is twice as restless as 1, and level 0 is a good one."""
    if level == 0:
        return Camera(seed, fps=20.0)
    rng = np.random.default_rng((seed, 8))
    return Camera(
        seed,
        fps=20.0,
        following=(0.12 * level, 0.06 * level),
        flicker=0.02 * level,
        flicker_hz=float(rng.choice((101.0, 103.0, 118.0, 121.5))),  # next to the mains': bands that roll
        readout_s=float(rng.uniform(0.015, 0.03)),
        sun=0.10 * level,
        sun_s=float(rng.uniform(15, 60)),
        breath_px=0.6 * level,
        shake_px=1.2 * level * float(np.sqrt(2)),
        shake_hz=float(rng.uniform(4, 9)),
        shake_s=1 / 6,  # gone within ten frames
        jitter_px=0.12 * level,
        repeated=0.02 * level,
        noise=1.2 * level,
        shot_noise=0.14 * level,
        jpeg_quality=95,
    )


def filmed(views: Iterable[View], camera: Camera) -> Iterator[Taken]:
    """Film what is in front of a camera, a view a frame; the index is that of the view, 0 first."""
    filming, rng = _Filming(camera), np.random.default_rng((camera.seed, 4))
    before: Taken | None = None
    for index, view in enumerate(views):
        taken = Taken(filming.take(view.bgr, index / camera.fps, view.touched), index, index / camera.fps)
        if rng.random(2)[1] < camera.repeated and before is not None:
            taken = before._replace(time_s=taken.time_s)
        before = taken
        yield before


class _Filming:
    """What changes in a camera while it films."""

    def __init__(self, camera: Camera) -> None:
        self.camera = camera
        self.rng = np.random.default_rng((camera.seed, 5))
        self.phase = self.rng.uniform(0, 2 * np.pi, 4)
        self.metered: NDArray[np.float64] | None = None  # what it settled on at first, log2 of BGR
        self.stops = np.zeros(3)
        self.touched_s = float("-inf")

    def take(self, bgr: Image, time_s: float, touched: bool) -> Image:
        camera = self.camera
        if touched:
            self.touched_s = time_s
        seen = self._lit(self._moved(bgr, time_s), time_s)
        gains = 2.0 ** self._meter(seen)
        seen = exposed(seen, 1.0, (float(gains[0]), float(gains[1]), float(gains[2])))
        blur_px = camera.breath_px * self._focus(time_s)
        if blur_px > 0.2:
            seen = cast(Image, cv2.GaussianBlur(seen, (0, 0), blur_px))
        grain = float(gains[1]) ** (1 / GAMMA)
        noisy = with_noise(seen, camera.noise * grain, self.rng, camera.shot_noise * grain)
        return compressed(noisy, camera.jpeg_quality)

    def _moved(self, bgr: Image, time_s: float) -> Image:
        """The picture, swinging after a stone was laid."""
        camera = self.camera
        away = camera.shake_px * np.exp(-(time_s - self.touched_s) / camera.shake_s)
        swing = 2 * np.pi * camera.shake_hz * (time_s - self.touched_s) if away > 0.1 else 0.0
        right, down = (away * np.sin(swing + self.phase[0]), 0.6 * away * np.sin(1.3 * swing + self.phase[1]))
        if camera.jitter_px:
            right, down = (right, down) + self.rng.normal(0, camera.jitter_px, 2)
        if not camera.jitter_px and away <= 0.1:
            return bgr
        height, width = bgr.shape[:2]
        shift = np.array([[1.0, 0, right], [0, 1.0, down]])
        return cast(Image, cv2.warpAffine(bgr, shift, (width, height), borderMode=cv2.BORDER_REPLICATE))

    def _lit(self, bgr: Image, time_s: float) -> Image:
        """The picture under mains that flicker and a sun that wanders."""
        camera = self.camera
        height, width = bgr.shape[:2]
        rows = np.linspace(0, 1, height, dtype=np.float32)[:, None]
        light = 1 + camera.flicker * np.sin(
            2 * np.pi * camera.flicker_hz * (time_s + camera.readout_s * rows) + self.phase[2]
        )
        if camera.sun:
            turn = 2 * np.pi * time_s / camera.sun_s + self.phase[3]
            light = light * (1 + camera.sun * 0.5 * np.sin(turn))
            columns = np.linspace(0, 1, width, dtype=np.float32)[None]
            across = np.cos(self.phase[0]) * columns + np.sin(self.phase[0]) * rows - 0.5 * np.sin(0.7 * turn)
            light = light * (1 - camera.sun * np.exp(-((across / 0.25) ** 2)))
        light = np.broadcast_to(light.astype(np.float32) ** (1 / GAMMA), (height, width))
        return cast(Image, cv2.multiply(bgr, cv2.merge([light] * 3), dtype=cv2.CV_8U))

    def _meter(self, bgr: Image) -> NDArray[np.float64]:
        """Stops by which each channel is brighter than at first: what the camera does against a change, late."""
        small = bgr[::16, ::16].astype(np.float64) / 255
        now = np.log2((small**GAMMA).mean(axis=(0, 1)) + 1e-4)
        if self.metered is None:
            self.metered = now
        exposure, balance = self.camera.following
        made_up = self.metered - now - self.stops
        self.stops = self.stops + exposure * made_up.mean() + balance * (made_up - made_up.mean())
        return self.stops

    def _focus(self, time_s: float) -> float:
        """How far out of focus, 0 to 1: it breathes slowly, and searches when something was touched."""
        breath = 0.3 * (0.5 + 0.5 * np.sin(2 * np.pi * time_s / 7 + self.phase[1])) ** 3
        since = time_s - self.touched_s
        search = np.sin(np.pi * since / SEARCH_S) ** 2 if since < SEARCH_S else 0.0
        return float(max(breath, search))


def exposed(bgr: Image, gain: float, balance: tuple[float, float, float]) -> Image:
    """The picture with more or less light, and of another white."""
    levels = np.arange(256) / 255
    curves = [255 * np.clip(gain * channel, 0, None) ** (1 / GAMMA) * levels for channel in balance]
    table = np.clip(np.stack(curves, axis=1), 0, 255).round().astype(np.uint8)[None]
    return cast(Image, cv2.LUT(bgr, table))


def with_noise(bgr: Image, levels: float, rng: np.random.Generator, shot: float = 0.0) -> Image:
    """The picture with a sensor's noise: as strong in grey as in colour, and ``shot`` times the root of each level."""
    noise = np.zeros(bgr.shape, np.int16)
    cv2.setRNGSeed(int(rng.integers(2**31)))
    if shot:
        unit = np.zeros(bgr.shape, np.float32)
        cv2.randn(unit, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
        spread = (levels + shot * np.sqrt(np.arange(256, dtype=np.float32)))[None]
        return cast(Image, cv2.add(bgr, unit * cv2.LUT(bgr, spread), dtype=cv2.CV_8U))
    cv2.randn(noise, (0.0, 0.0, 0.0), (levels, levels, levels))
    return cast(Image, cv2.add(bgr, noise, dtype=cv2.CV_8U))
