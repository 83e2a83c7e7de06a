"""What stands or reaches over the board: a hand with its sleeve, and a cup that somebody puts down."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.synthetic.spec import Bgr, Light
from tests.synthetic.stones import Stone, lamp
from tests.synthetic.viewpoint import Array, Viewpoint

LENGTH = 0.5  # from the wrist to the fingertips, sides: 18 cm over a board of 36 cm
_SUB = 16  # cv2 draws at 1/16 px when told shift=4
NEAREST = 0.45  # fraction of the camera's height; an arm nearer to the lens than this is out of the picture anyway


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand over the table.

    Attributes:
        target: Place under the fingertips, board space.
        from_deg: Where the arm comes from, as ``Viewpoint``'s azimuth: 0 is the first player's side, 180 the second's.
        height: Of the fingertips over the table, sides.
        carries: A pebble in the fingers; it is on no point.
        skin, sleeve: BGR, 0 to 255.
    """

    target: tuple[float, float]
    from_deg: float = 0.0
    height: float = 0.07
    carries: Stone | None = None
    skin: Bgr = (105, 135, 195)
    sleeve: Bgr = (75, 45, 40)


@dataclass(frozen=True, eq=False)
class HandPicture:
    """A hand as the camera sees it.

    Attributes:
        bgr: uint8 array of shape (h, w, 3). In even light.
        mask, shadow: uint8 arrays of shape (h, w). 255 where the hand is, and where it takes all direct light.
        corner: Column and row of the upper left pixel.
    """

    bgr: NDArray[np.uint8]
    mask: NDArray[np.uint8]
    shadow: NDArray[np.uint8]
    corner: tuple[int, int]


def _limbs(hand: Hand) -> list[tuple[str, Array, Array]]:
    """Material, spine (n, 3) in world space and half widths (n,) of every part, farthest from the lens first."""
    turn = np.deg2rad(hand.from_deg)
    back = np.array([np.sin(turn), np.cos(turn), 0.0])
    side = np.array([back[1], -back[0], 0.0])
    tip = np.array([hand.target[0] - 0.5, hand.target[1] - 0.5, -hand.height])
    unit = LENGTH

    def place(along: float, across: float, rise: float) -> Array:
        spot: Array = tip + unit * (along * back + across * side) - np.array([0, 0, unit * rise])
        return spot

    limbs: list[tuple[str, Array, Array]] = []
    for finger, (across, reach) in enumerate(((-0.15, 0.12), (-0.05, 0.03), (0.05, 0.0), (0.14, 0.07))):
        joints = [place(reach, across * 0.5, 0.0), place(reach + 0.22, across * 0.85, 0.12), place(0.52, across, 0.16)]
        limbs.append((f"finger{finger}", np.array(joints), unit * np.array([0.038, 0.047, 0.055])))
    thumb = [place(0.06, 0.03, 0.02), place(0.3, 0.2, 0.08), place(0.6, 0.2, 0.12)]
    limbs.append(("thumb", np.array(thumb), unit * np.array([0.042, 0.055, 0.07])))
    palm = [place(0.42, 0, 0.16), place(0.6, 0.01, 0.17), place(0.85, 0.0, 0.17), place(1.15, 0, 0.18)]
    limbs.append(("palm", np.array(palm), unit * np.array([0.19, 0.22, 0.17, 0.14])))
    spine = np.array([place(1.05 + 0.25 * k, 0.02 * np.sin(k), 0.19 + 0.035 * k) for k in range(40)])
    limbs.append(
        ("sleeve", spine, unit * (0.2 + 0.012 * np.minimum(np.arange(40), 12) + 0.012 * np.cos(np.arange(40) * 2.1)))
    )
    return limbs


def _strip(spine: Array, half: Array) -> Array:
    """Outline (n, 3) of a flat band around a spine, with a round tip."""
    way = np.gradient(spine[:, :2], axis=0)
    way /= np.linalg.norm(way, axis=1, keepdims=True) + 1e-9
    across = np.column_stack([-way[:, 1], way[:, 0], np.zeros(len(spine))]) * half[:, None]
    ahead = np.append(-way[0], 0.0) * half[0]
    turn = np.linspace(np.pi / 2, -np.pi / 2, 9)[1:-1]
    cap = spine[0] + np.cos(turn)[:, None] * ahead + np.sin(turn)[:, None] * (-across[0])
    outline: Array = np.vstack([(spine + across)[::-1], cap, spine - across])
    return outline


def _outlines(hand: Hand, view: Viewpoint, fall: Array | None) -> list[tuple[str, Array]]:
    """Material and image outline of every part; ``fall`` (3,) throws them on the table as shadows."""
    found = []
    nearest = NEAREST * -view.centre[2]
    for material, spine, half in _limbs(hand):
        depth = (spine - view.centre) @ view.camera_from_world[2]
        fallen = spine if fall is None else spine - (spine[:, 2:] / fall[2]) * fall
        seen = (depth > nearest) & (-spine[:, 2] < 0.5 * -view.centre[2])
        seen &= (fallen - view.centre) @ view.camera_from_world[2] > nearest / 2
        seen &= view.is_imaged(fallen)
        seen = np.cumprod(seen).astype(bool)
        if seen.sum() < 2:
            continue
        outline = _strip(spine[seen], half[seen])
        if fall is not None:
            outline = outline - (outline[:, 2:] / fall[2]) * fall
        found.append((material, view.project(outline)))
    return found


def _fill(mask: NDArray[np.uint8], outline: Array, corner: Array) -> None:
    places = np.clip((outline - corner) * _SUB, -(2**19), 2**19).round().astype(np.int32)
    cv2.fillPoly(mask, [places], 255, cv2.LINE_AA, 4)


def draw_hand(hand: Hand, view: Viewpoint, light: Light, cloth_noise: NDArray[np.float32]) -> HandPicture | None:
    """The hand's picture, or None where it is not in sight.

    Args:
        light: Only its direction and the softness of its shadows matter here.
        cloth_noise: float32 array of shape (H, W). Texture of skin and sleeve, mean 0, standard deviation 1; at least
            as large as the picture.
    """
    parts, fallen = _outlines(hand, view, None), _outlines(hand, view, -lamp(light))
    if not parts:
        return None
    width, height = view.size_px
    soft = max(1.0, 1.5 * light.softness * view.focal_px / float(np.linalg.norm(view.centre)))
    everything = np.vstack([outline for _, outline in parts + fallen])
    low = np.clip(np.floor(everything.min(axis=0) - 3 * soft), 0, (width, height)).astype(int)
    high = np.clip(np.ceil(everything.max(axis=0) + 3 * soft), 0, (width, height)).astype(int)
    columns, rows = (int(n) for n in high - low)
    if columns <= 0 or rows <= 0:
        return None
    shadow, mask = np.zeros((rows, columns), np.uint8), np.zeros((rows, columns), np.uint8)
    for _, outline in fallen:
        _fill(shadow, outline, low)
    shadow = _blurred(shadow, soft)
    shades = np.zeros((rows, columns), np.float32)
    sleeve = np.zeros((rows, columns), np.uint8)
    for material, outline in parts:
        part = np.zeros((rows, columns), np.uint8)
        _fill(part, outline, low)
        if material == "sleeve":
            sleeve = part
        mask |= part
        depth = cv2.distanceTransform((part > 127).astype(np.uint8), cv2.DIST_L2, 3)
        round_px = max(float(depth.max()), 1.0)
        # A limb is round: it darkens towards its edge, which also draws the gaps between the fingers.
        np.copyto(shades, 0.62 + 0.4 * np.sqrt(np.minimum(depth / round_px, 1)), where=part > 127)
    noise = cloth_noise[low[1] : high[1], low[0] : high[0]]
    is_sleeve = (sleeve > 127)[..., None]
    colour = np.where(is_sleeve, np.array(hand.sleeve, np.float32), np.array(hand.skin, np.float32))
    rough = np.where(is_sleeve[..., 0], np.float32(0.10), np.float32(0.035))
    picture = colour * (shades * (1 + rough * noise))[..., None]
    return HandPicture(np.clip(picture, 0, 255).astype(np.uint8), mask, shadow, (int(low[0]), int(low[1])))


def _blurred(mask: NDArray[np.uint8], sigma_px: float) -> NDArray[np.uint8]:
    size = 2 * round(1.2 * sigma_px) + 1
    return cv2.blur(cv2.blur(mask, (size, size)), (size, size)).astype(np.uint8)


@dataclass(frozen=True, slots=True)
class Cup:
    """A cup on the board: an upright cylinder, seen along the true rays.

    Attributes:
        place: Of its middle, board space.
        radius, height: Sides of the board; a mug of 8 cm on a board of 36 cm.
        colour, inside: BGR.
    """

    place: tuple[float, float]
    radius: float = 0.1
    height: float = 0.2
    colour: Bgr = (190, 150, 90)
    inside: Bgr = (30, 45, 70)


def draw_cup(
    picture: NDArray[np.uint8], cup: Cup, ground: Array, view: Viewpoint, light_at: NDArray[np.floating]
) -> NDArray[np.uint8]:
    """Draw a cup into ``picture`` (which is changed); return what it hides, uint8 (H, W), 255 there.

    Args:
        picture: uint8 array of shape (H, W, 3).
        ground: float64 array of shape (2,). World place of its middle.
        light_at: float array of shape (3,). The light there.
    """
    around = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    rim = np.stack([np.cos(around), np.sin(around)], axis=1)
    foot, top, well = (
        view.project(np.column_stack([ground + share * cup.radius * rim, np.full(48, -height)]))
        for share, height in ((0.85, 0.0), (1.0, cup.height), (0.88, cup.height))
    )
    mask = np.zeros(picture.shape[:2], np.uint8)
    side = cv2.convexHull(np.vstack([foot, top]).astype(np.float32)).reshape(-1, 2)
    lit = [float(c) for c in light_at]
    for outline, colour, bright in ((side, cup.colour, 0.7), (top, cup.colour, 1.0), (well, cup.inside, 0.9)):
        places = np.clip(outline * _SUB, -(2**19), 2**19).round().astype(np.int32)
        shade = tuple(min(255.0, c * bright * light) for c, light in zip(colour, lit, strict=True))
        cv2.fillPoly(picture, [places], shade, cv2.LINE_AA, 4)
        cv2.fillPoly(mask, [places], 255, cv2.LINE_AA, 4)
    return mask
