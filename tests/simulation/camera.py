"""What a cheap camera makes of a picture, and of a film: exposure, white balance, focus, noise and compression.

``develop`` takes one picture of a picture. ``filmed`` shows pictures through a camera that never quite holds still:
exposure and white balance hunt when a sleeve comes in, the mains flicker, the sun wanders, the focus breathes, the
table shakes when a stone is laid, frames are repeated and left out, and what is coded at a low rate keeps old blocks.
Both are pure: the same pictures, parameters and seed give the same film.
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

FPS, FPS_SHARES = (8.0, 10.0, 12.0, 15.0, 25.0, 30.0), (0.2, 0.25, 0.2, 0.15, 0.12, 0.08)
"""Frames a second of cameras, and how common they are."""

SEARCHING_STOPS = 0.15
"""Change of the picture's brightness from which the focus is searched for anew."""

METERINGS = 5
"""Steps of the exposure's swing between two frames."""

SEARCH_S = 0.9
"""How long that takes, seconds."""

NOISE_CHANGE = 1.33
"""Mean of the greatest of three channels' changes by noise alone, in its standard deviations."""

BLOCK_PX = 16
"""Side of the blocks that a coder keeps, px."""


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
    """A camera and its light; ``random_camera`` draws one.

    Attributes:
        seed: Of noise, of lost frames, and of every phase.
        hunting, balancing: How much of a change of the picture's brightness, and of its colour, is made up for: 0 to 1.
        hunting_s: Period in which the exposure would swing, seconds; it is damped by ``damping``.
        damping: Of that swing: below 1 it overshoots.
        following: Share of what is wanted that exposure and colour make up for at every frame, instead of that swing.
        flicker: Amplitude of the mains' flicker, fraction of the light.
        flicker_hz: Twice the mains' frequency.
        readout_s: How long the sensor takes to read its rows: flicker makes as many bands as it lasts periods.
        sun: Amplitude of the light's slow change, fraction; a soft shadow of that depth wanders over the table besides.
        breath_px: Most blur of a focus that breathes or searches, standard deviation.
        zoom: By how much the picture grows when the focus is at its farthest, fraction.
        refocuses: Whether the focus is searched for after every touch, too.
        shake_px, shake_hz, shake_s: First swing of a table on which a stone is laid, its frequency, and the time in
            which it dies down to a third.
        jitter_px: Standard deviation of the picture's place from frame to frame.
        repeated, dropped: Share of the frames that show the frame before again, and of those that never come.
        shot_noise: Noise that grows with the light, beside ``noise``: times the root of the grey level.
        kept_levels: Mean change above that of the noise, grey levels, up to which a block keeps what it showed: coding
            at a low rate. 0 codes all anew.
        key_frames: Every so many frames all blocks are coded anew.
    """

    seed: int
    fps: float = 10.0
    hunting: float = 0.0
    balancing: float = 0.0
    hunting_s: float = 1.5
    damping: float = 0.6
    following: tuple[float, float] | None = None
    flicker: float = 0.0
    flicker_hz: float = 100.0
    readout_s: float = 0.02
    sun: float = 0.0
    sun_s: float = 30.0
    breath_px: float = 0.0
    zoom: float = 0.0
    refocuses: bool = False
    shake_px: float = 0.0
    shake_hz: float = 8.0
    shake_s: float = 0.25
    jitter_px: float = 0.0
    repeated: float = 0.0
    dropped: float = 0.0
    noise: float = 1.5
    shot_noise: float = 0.0
    jpeg_quality: int = 85
    kept_levels: float = 0.0
    key_frames: int = 30


CHEAP: dict[str, tuple[float, float]] = {
    "hunting": (0.2, 0.9), "balancing": (0.0, 0.6), "hunting_s": (0.9, 3.0), "damping": (0.4, 1.1),
    "flicker": (0.0, 0.05), "flicker_hz": (100.0, 120.0), "readout_s": (0.008, 0.03), "sun": (0.0, 0.12),
    "sun_s": (20, 90), "breath_px": (0.2, 1.6), "zoom": (0.0, 0.004), "shake_px": (0.0, 3.0), "shake_hz": (4, 12),
    "shake_s": (0.1, 0.4), "repeated": (0.0, 0.06), "dropped": (0.0, 0.06), "noise": (1.0, 3.5),
}  # fmt: skip
"""Least and most of what a cheap camera has in a room with windows and lamps; of the mains one or the other."""


def random_camera(seed: int) -> Camera:
    """A cheap camera in a room with windows and lamps."""
    rng = np.random.default_rng((seed, 3))
    fps, coded_low = float(rng.choice(FPS, p=FPS_SHARES)), rng.random() < 0.6
    drawn = {
        name: float(rng.choice(ends) if name == "flicker_hz" else rng.uniform(*ends)) for name, ends in CHEAP.items()
    }
    quality = int(rng.integers(45, 90))
    kept_levels = float(rng.uniform(0.3, 1.2)) if coded_low else 0.0
    key_frames = int(rng.integers(12, 60))
    return Camera(seed, fps, jpeg_quality=quality, kept_levels=kept_levels, key_frames=key_frames, **drawn)


def restless_camera(seed: int, level: int) -> Camera:
    """A camera of 20 frames a second that never rests; level 2 is twice as restless as 1, and level 0 is a good one.

    Codecs are another matter: what it takes is to be written as a film.
    """
    if level == 0:
        return Camera(seed, fps=20.0)
    rng = np.random.default_rng((seed, 8))
    return Camera(
        seed,
        fps=20.0,
        hunting=1.0,
        balancing=1.0,
        following=(0.12 * level, 0.06 * level),
        flicker=0.02 * level,
        flicker_hz=float(rng.choice((101.0, 103.0, 118.0, 121.5))),  # next to the mains': bands that roll
        readout_s=float(rng.uniform(0.015, 0.03)),
        sun=0.10 * level,
        sun_s=float(rng.uniform(15, 60)),
        breath_px=0.6 * level,
        refocuses=True,
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
        lost = rng.random(2)
        if before is not None and lost[0] < camera.dropped:
            continue
        if before is not None and lost[1] < camera.repeated:
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
        self.stops, self.speed = np.zeros(3), np.zeros(3)
        self.shaken_s = self.searching_s = float("-inf")
        self.coded: Image | None = None
        self.n_coded = 0

    def take(self, bgr: Image, time_s: float, touched: bool) -> Image:
        camera = self.camera
        if touched:
            self.shaken_s = time_s
            self.searching_s = time_s if camera.refocuses else self.searching_s
        seen = self._lit(self._moved(bgr, time_s), time_s)
        gains = 2.0 ** self._meter(seen, time_s)
        seen = exposed(seen, 1.0, (float(gains[0]), float(gains[1]), float(gains[2])))
        blur_px = self._blur_px(time_s)
        if blur_px > 0.2:
            seen = cast(Image, cv2.GaussianBlur(seen, (0, 0), blur_px))
        grain = float(gains[1]) ** (1 / GAMMA)
        return self._code(with_noise(seen, camera.noise * grain, self.rng, camera.shot_noise * grain))

    def _moved(self, bgr: Image, time_s: float) -> Image:
        """The picture, swinging after a stone was laid, and larger or smaller as the focus goes."""
        camera = self.camera
        away = camera.shake_px * np.exp(-(time_s - self.shaken_s) / camera.shake_s)
        swing = 2 * np.pi * camera.shake_hz * (time_s - self.shaken_s) if away > 0.1 else 0.0
        right, down = (away * np.sin(swing + self.phase[0]), 0.6 * away * np.sin(1.3 * swing + self.phase[1]))
        if camera.jitter_px:
            right, down = (right, down) + self.rng.normal(0, camera.jitter_px, 2)
        scale = 1 + camera.zoom * self._focus(time_s)
        if not camera.jitter_px and away <= 0.1 and abs(scale - 1) < 2e-4:
            return bgr
        height, width = bgr.shape[:2]
        shift = np.array([[scale, 0, (1 - scale) * width / 2 + right], [0, scale, (1 - scale) * height / 2 + down]])
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

    def _meter(self, bgr: Image, time_s: float) -> NDArray[np.float64]:
        """Stops by which each channel is brighter than at first: what the camera does against a change, late."""
        camera, dt = self.camera, 1 / self.camera.fps / METERINGS
        small = bgr[::16, ::16].astype(np.float64) / 255
        now = np.log2((small**GAMMA).mean(axis=(0, 1)) + 1e-4)
        if self.metered is None:
            self.metered = now
        change = self.metered - now
        grey = change.mean()
        wanted = camera.hunting * grey + camera.balancing * (change - grey)
        if camera.following is not None:
            exposure, balance = camera.following
            made_up = wanted - self.stops
            self.stops = self.stops + exposure * made_up.mean() + balance * (made_up - made_up.mean())
            return self.stops
        pull = 2 * np.pi / camera.hunting_s
        for _ in range(METERINGS):
            self.speed = self.speed + dt * (pull**2 * (wanted - self.stops) - 2 * camera.damping * pull * self.speed)
            self.stops = np.clip(self.stops + dt * self.speed, -1.5, 1.5)
        if abs(grey) > SEARCHING_STOPS and time_s - self.searching_s > 4:
            self.searching_s = time_s
        return self.stops

    def _focus(self, time_s: float) -> float:
        """How far out of focus, 0 to 1: it breathes slowly, and searches when the picture has changed much."""
        breath = 0.3 * (0.5 + 0.5 * np.sin(2 * np.pi * time_s / 7 + self.phase[1])) ** 3
        since = time_s - self.searching_s
        search = np.sin(np.pi * since / SEARCH_S) ** 2 if since < SEARCH_S else 0.0
        return float(max(breath, search))

    def _blur_px(self, time_s: float) -> float:
        return self.camera.breath_px * self._focus(time_s)

    def _code(self, bgr: Image) -> Image:
        """The picture after coding: blocks that have hardly changed show what they showed."""
        camera = self.camera
        if camera.kept_levels and self.coded is not None and self.n_coded % camera.key_frames:
            height, width = bgr.shape[:2]
            apart = cv2.absdiff(bgr, self.coded).max(axis=2)
            small = cv2.resize(apart, (-(-width // BLOCK_PX), -(-height // BLOCK_PX)), interpolation=cv2.INTER_AREA)
            same = (small < camera.kept_levels + NOISE_CHANGE * camera.noise).astype(np.uint8)
            kept = cv2.resize(same, (width, height), interpolation=cv2.INTER_NEAREST)
            bgr = bgr.copy()
            cv2.copyTo(self.coded, kept, bgr)
        self.n_coded += 1
        self.coded = compressed(bgr, camera.jpeg_quality)
        return self.coded


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
