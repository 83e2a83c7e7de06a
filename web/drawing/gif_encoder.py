"""A small GIF writer: one palette for all pictures, and of each picture only the rectangle that has changed.

After the GIF89a specification (CompuServe, 1990). OpenCV's own writer stores whole pictures, each with a palette of
its own: forty times as much for a board on which one stone moves.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

N_COLOURS = 256
_CLEAR, _END, _FIRST_FREE, _MOST_CODES = 256, 257, 258, 4096

Picture = NDArray[np.uint8]


def write_gif(pictures: Sequence[Picture], durations_ms: Sequence[int]) -> bytes:
    """The pictures one after the other, for ever.

    Parameters
    ----------
    pictures : sequence of uint8 arrays of shape (H, W, 3), bgr
        All of one size.
    durations_ms : sequence of int
        How long each stays; GIF counts in hundredths of a second.

    Raises
    ------
    ValueError
        When there is no picture, or not one duration for each.
    """
    if not pictures or len(pictures) != len(durations_ms):
        raise ValueError(f"need a duration for each picture, got {len(pictures)} and {len(durations_ms)}")
    palette, shown = _in_one_palette(pictures)
    height, width = shown[0].shape
    parts = [
        b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0),
        palette[:, ::-1].tobytes(),
        b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00",  # again and again
    ]
    before: NDArray[np.uint8] | None = None
    for picture, duration_ms in zip(shown, durations_ms, strict=True):
        top, bottom, left, right = _changed(before, picture)
        part = picture[top:bottom, left:right]
        parts.append(b"\x21\xf9\x04\x04" + struct.pack("<H", round(duration_ms / 10)) + b"\x00\x00")
        parts.append(b"\x2c" + struct.pack("<HHHHB", left, top, right - left, bottom - top, 0))
        parts.append(b"\x08" + b"".join(_blocks(_lzw(part.tobytes()))) + b"\x00")
        before = picture
    return b"".join([*parts, b"\x3b"])


def _in_one_palette(pictures: Sequence[Picture]) -> tuple[Picture, list[NDArray[np.uint8]]]:
    """The most frequent colours, and each picture with every pixel's nearest of them."""
    codes = [(p[..., 0].astype(np.int32) << 16) | (p[..., 1].astype(np.int32) << 8) | p[..., 2] for p in pictures]
    coarse = [code & 0xFCFCFC for code in codes]  # shades that no eye tells apart are one
    found, counts = np.unique(np.concatenate([c.ravel() for c in coarse]), return_counts=True)
    kept = found[np.argsort(counts)[::-1][:N_COLOURS]]
    palette = np.zeros((N_COLOURS, 3), np.uint8)
    palette[: len(kept)] = np.stack([kept >> 16, (kept >> 8) & 255, kept & 255], axis=1)
    rows = np.stack([found >> 16, (found >> 8) & 255, found & 255], axis=1).astype(np.float32)
    used = palette[: len(kept)].astype(np.float32)
    chunks = np.array_split(rows, len(rows) // 512 + 1)
    nearest = np.concatenate([np.argmin(((chunk[:, None] - used) ** 2).sum(axis=2), axis=1) for chunk in chunks])
    nearest = nearest.astype(np.uint8)
    return palette, [nearest[np.searchsorted(found, c)] for c in coarse]


def _changed(before: NDArray[np.uint8] | None, now: NDArray[np.uint8]) -> tuple[int, int, int, int]:
    """Top, bottom, left and right of what has changed; one pixel where nothing has."""
    if before is None:
        return 0, now.shape[0], 0, now.shape[1]
    rows, columns = np.nonzero(before != now)
    if not len(rows):
        return 0, 1, 0, 1
    return int(rows.min()), int(rows.max()) + 1, int(columns.min()), int(columns.max()) + 1


def _lzw(pixels: bytes) -> bytes:
    """Variable-length codes, from 9 bits on, the lowest bits first."""
    out = bytearray()
    bits, n_bits, width = 0, 0, 9

    def put(code: int) -> None:
        nonlocal bits, n_bits
        bits |= code << n_bits
        n_bits += width
        while n_bits >= 8:
            out.append(bits & 255)
            bits >>= 8
            n_bits -= 8

    put(_CLEAR)
    table: dict[int, int] = {}
    free, prefix = _FIRST_FREE, pixels[0]
    for pixel in pixels[1:]:
        key = prefix << 8 | pixel
        known = table.get(key)
        if known is not None:
            prefix = known
            continue
        put(prefix)
        if free < _MOST_CODES:
            table[key] = free
            width += free == 1 << width
            free += 1
        else:
            put(_CLEAR)
            table, free, width = {}, _FIRST_FREE, 9
        prefix = pixel
    put(prefix)
    put(_END)
    if n_bits:
        out.append(bits & 255)
    return bytes(out)


def _blocks(data: bytes) -> Iterator[bytes]:
    for start in range(0, len(data), 255):
        block = data[start : start + 255]
        yield bytes([len(block)]) + block
