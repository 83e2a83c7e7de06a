"""How far colours are apart: in daylight, under a lamp, and in eyes that see no red and green.

People pick a colour on a page or measure it in a photograph: ``#rrggbb`` in sRGB, taken as the colour of the thing
in daylight (D65). Functions take and return linear sRGB, float64 arrays whose last axis is red, green, blue.

References:
    IEC 61966-2-1 (sRGB); Machado, Oliveira and Fernandes 2009, A physiologically-based model for simulation of color
    vision deficiency, IEEE TVCG 15(6), table 1, severity 1.0; Sharma, Wu and Dalal 2005, The CIEDE2000 color-difference
    formula, Color Research and Application 30(1).
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from calibration.step_texts import Refused
from vision.imaging.frame import Float64Array

_XYZ_FROM_RGB = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
"""CIE XYZ (D65, Y of white 1) from linear sRGB. Source: IEC 61966-2-1."""

_RGB_FROM_XYZ = np.linalg.inv(_XYZ_FROM_RGB)

_DAYLIGHT_XYZ = np.array([0.95047, 1.0, 1.08883])
"""White in daylight (D65), Y 1. Source: CIE 15."""

EYES = {
    "day": (np.eye(3),),
    "lamp": (np.diag([1.246, 1.0, 0.699]),),
    "red_green": (
        np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
        np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    ),
}
"""Linear sRGB for each kind of eye. A camera balances three quarters, in logs, of the light of a lamp of 2700 K
(2.41, 1, 0.239); people who lack the cones for red, or for green, see otherwise.
Source: CIE 15, Planckian radiator; Machado et al. 2009, table 1, severity 1.0."""


def linear_of(colour: str) -> Float64Array:
    """Return the linear sRGB, 0 to 1, of ``#rrggbb``, shape (3,); Refused when it is not written so."""
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", colour):
        raise Refused("make.colour", colour=colour[:20])
    code = np.frombuffer(bytes.fromhex(colour[1:]), np.uint8) / 255
    return np.asarray(np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4), np.float64)


def encoded(linear: Float64Array) -> Float64Array:
    """Return the levels, 0 to 255 and not rounded, of linear sRGB; what is out of range is clipped."""
    light = np.clip(linear, 0, 1)
    code = np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055)
    return np.asarray(255 * code, np.float64)


def hex_of(linear: Float64Array) -> str:
    """Return linear sRGB as ``#rrggbb``."""
    red, green, blue = (round(float(level)) for level in encoded(linear))
    return f"#{red:02x}{green:02x}{blue:02x}"


def lab_of(linear: Float64Array) -> Float64Array:
    """Return CIELAB (D65) of linear sRGB."""
    xyz = np.maximum(linear @ _XYZ_FROM_RGB.T, 0) / _DAYLIGHT_XYZ
    root = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = np.moveaxis(root, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def linear_of_lab(lab: Float64Array) -> Float64Array:
    """Return linear sRGB of CIELAB (D65); it may lie out of range."""
    y = (lab[..., 0] + 16) / 116
    root = np.stack([y + lab[..., 1] / 500, y, y - lab[..., 2] / 200], axis=-1)
    xyz = np.where(root > 6 / 29, root**3, 3 * (6 / 29) ** 2 * (root - 4 / 29)) * _DAYLIGHT_XYZ
    return np.asarray(xyz @ _RGB_FROM_XYZ.T, np.float64)


def ciede2000(one: Float64Array, other: Float64Array) -> Float64Array:
    """Return the CIEDE2000 difference of CIELAB colours: about 1 is just seen side by side, black and white are 100."""
    (l1, a1, b1), (l2, a2, b2) = np.moveaxis(one, -1, 0), np.moveaxis(other, -1, 0)
    mean_c7 = ((np.hypot(a1, b1) + np.hypot(a2, b2)) / 2) ** 7
    stretch = 1 + 0.5 * (1 - np.sqrt(mean_c7 / (mean_c7 + 25.0**7)))
    c1, c2 = np.hypot(stretch * a1, b1), np.hypot(stretch * a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, stretch * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    coloured = c1 * c2 > 0
    turn = np.where(coloured, (h2 - h1 + 180) % 360 - 180, 0.0)
    d_l, d_c, d_h = l2 - l1, c2 - c1, 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn) / 2)
    l_mean, c_mean = (l1 + l2) / 2, (c1 + c2) / 2
    h_mean = np.radians(np.where(coloured, h1 + turn / 2, h1 + h2))
    t = 1 - 0.17 * np.cos(h_mean - np.pi / 6) + 0.24 * np.cos(2 * h_mean)
    t = t + 0.32 * np.cos(3 * h_mean + np.radians(6)) - 0.20 * np.cos(4 * h_mean - np.radians(63))
    s_l = 1 + 0.015 * (l_mean - 50) ** 2 / np.sqrt(20 + (l_mean - 50) ** 2)
    s_c, s_h = 1 + 0.045 * c_mean, 1 + 0.015 * c_mean * t
    blue_turn = np.radians(30) * np.exp(-(((np.degrees(h_mean) % 360 - 275) / 25) ** 2))
    c7 = c_mean**7
    tilt = -np.sin(2 * blue_turn) * 2 * np.sqrt(c7 / (c7 + 25.0**7))
    l_part, c_part, h_part = d_l / s_l, d_c / s_c, d_h / s_h
    return np.asarray(np.sqrt(l_part**2 + c_part**2 + h_part**2 + tilt * c_part * h_part), np.float64)


@lru_cache(maxsize=4096)
def distance_in(eye: str, one: str, other: str) -> float:
    """Return the CIEDE2000 difference of two colours ``#rrggbb`` for one of the ``EYES``, the least of several."""
    linear = np.array([linear_of(one), linear_of(other)])
    seen = (lab_of(np.clip(linear @ channels.T, 0, 1)) for channels in EYES[eye])
    return min(float(ciede2000(*pair)) for pair in seen)
