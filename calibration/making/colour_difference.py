"""Colours ``#rrggbb`` in, how far apart they look out: in daylight, under a lamp, to eyes without red or green.

People pick a colour on a page or measure it in a photograph: sRGB, taken as the colour of the thing in daylight (D65).

References:
    IEC 61966-2-1 (sRGB); Machado, Oliveira and Fernandes 2009, A physiologically-based model for simulation of color
    vision deficiency, IEEE TVCG 15(6), table 1, severity 1.0; Sharma, Wu and Dalal 2005, The CIEDE2000 color-difference
    formula, Color Research and Application 30(1).
"""

from __future__ import annotations

import re
from functools import lru_cache

import cv2
import numpy as np

from calibration.step_texts import Refused
from vision.imaging.frame import Float64Array

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

GAMMA_END, GAMMA_SLOPE, GAMMA_OFFSET, GAMMA = 0.04045, 12.92, 0.055, 2.4
"""The curve of sRGB: end and slope of its straight part, offset and exponent of the rest. Source: IEC 61966-2-1."""

HUE_TERMS = ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.20, 4, -63))
"""Terms of the weight of a hue: factor, multiple of the hue, degrees added. Source: Sharma et al. 2005."""

LIGHTNESS_GROWTH, CHROMA_GROWTH, HUE_GROWTH = 0.015, 0.045, 0.015
"""How fast each scale grows with lightness and chroma. Source: Sharma et al. 2005."""


def lab_of(colour: str) -> Float64Array:
    """Return the CIELAB (D65) of ``#rrggbb``, shape (3,); Refused when it is not written so."""
    (lab,) = _lab_of_linear(_linear_of(colour)[None])
    return np.asarray(lab, np.float64)


def hex_of_lab(lab: Float64Array) -> str:
    """Return CIELAB (D65), shape (3,), as ``#rrggbb``; what no screen can show is clipped."""
    rgb = cv2.cvtColor(np.array(lab, np.float32).reshape(1, 1, 3), cv2.COLOR_Lab2RGB)
    red, green, blue = np.rint(255 * rgb[0, 0]).astype(int).tolist()
    return f"#{red:02x}{green:02x}{blue:02x}"


def _linear_of(colour: str) -> Float64Array:
    """Return the linear sRGB, 0 to 1, of ``#rrggbb``, shape (3,)."""
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", colour):
        raise Refused("make.colour", colour=colour[:20])
    code = np.frombuffer(bytes.fromhex(colour[1:]), np.uint8) / 255
    curved = ((code + GAMMA_OFFSET) / (1 + GAMMA_OFFSET)) ** GAMMA
    return np.asarray(np.where(code <= GAMMA_END, code / GAMMA_SLOPE, curved), np.float64)


def _lab_of_linear(linear: Float64Array) -> Float64Array:
    """Return the CIELAB (D65) of linear sRGB, both of shape (n, 3)."""
    return np.asarray(cv2.cvtColor(linear.astype(np.float32)[None], cv2.COLOR_LRGB2Lab)[0], np.float64)


def ciede2000(one: Float64Array, other: Float64Array) -> Float64Array:
    """Return the CIEDE2000 difference of CIELAB colours: about 1 is just seen side by side, black and white are 100."""
    (l1, a1, b1), (l2, a2, b2) = np.moveaxis(one, -1, 0), np.moveaxis(other, -1, 0)
    mean_c7 = ((np.hypot(a1, b1) + np.hypot(a2, b2)) / 2) ** 7
    stretch = 1 + (1 - np.sqrt(mean_c7 / (mean_c7 + 25**7))) / 2
    c1, c2 = np.hypot(stretch * a1, b1), np.hypot(stretch * a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, stretch * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    coloured = c1 * c2 > 0
    turn = np.where(coloured, (h2 - h1 + 180) % 360 - 180, 0.0)
    d_l, d_c, d_h = l2 - l1, c2 - c1, 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn) / 2)
    c_mean, off_grey = (c1 + c2) / 2, ((l1 + l2) / 2 - 50) ** 2
    hue = np.where(coloured, h1 + turn / 2, h1 + h2)
    weight = 1 + sum(factor * np.cos(np.radians(times * hue + shift)) for factor, times, shift in HUE_TERMS)
    l_part = d_l / (1 + LIGHTNESS_GROWTH * off_grey / np.sqrt(20 + off_grey))
    c_part, h_part = d_c / (1 + CHROMA_GROWTH * c_mean), d_h / (1 + HUE_GROWTH * c_mean * weight)
    blue_turn = np.radians(30) * np.exp(-(((hue % 360 - 275) / 25) ** 2))
    tilt = -np.sin(2 * blue_turn) * 2 * np.sqrt(c_mean**7 / (c_mean**7 + 25**7))
    return np.asarray(np.sqrt(l_part**2 + c_part**2 + h_part**2 + tilt * c_part * h_part), np.float64)


@lru_cache(maxsize=4096)
def distance_in(eye: str, one: str, other: str) -> float:
    """Return the CIEDE2000 difference of two colours ``#rrggbb`` for one of the ``EYES``, the least of several."""
    linear = np.array([_linear_of(one), _linear_of(other)])
    pairs = (_lab_of_linear(np.clip(linear @ channels.T, 0, 1)) for channels in EYES[eye])
    return min(float(ciede2000(*pair)) for pair in pairs)
