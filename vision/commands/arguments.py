"""Parsing and checking of arguments: the game and its options, corners, frame rates, picture files."""

from __future__ import annotations

import argparse
import math
import os
from pathlib import Path

from referee.presets import PRESETS


def parse_corners(text: str) -> list[tuple[float, float]]:
    """Return the four corners, clockwise in the image, px, from text with eight numbers."""
    try:
        numbers = [float(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != 8 or not all(map(math.isfinite, numbers)):
        raise argparse.ArgumentTypeError(f"four corners are eight numbers, x,y,x,y,x,y,x,y, got {text!r}")
    corners = list(zip(numbers[::2], numbers[1::2], strict=True))
    sides = [(x - a, y - b) for (a, b), (x, y) in zip(corners, corners[1:] + corners[:1], strict=True)]
    turns = [ax * by - ay * bx for (ax, ay), (bx, by) in zip(sides, sides[1:] + sides[:1], strict=True)]
    if min(turns) < 1:
        raise argparse.ArgumentTypeError(f"the corners must go round the field clockwise, got {text!r}")
    return corners


def parse_fps(text: str) -> float:
    """Return the frames per second from text, over 0 and at most 1000."""
    try:
        fps = float(text)
    except ValueError:
        fps = 0.0
    if not 0 < fps <= 1000:
        raise argparse.ArgumentTypeError(f"frames a second must be over 0 and at most 1000, got {text!r}")
    return fps


def check_corners_in_picture(corners: list[tuple[float, float]], size_px: tuple[int, int]) -> None:
    """Raise ``ValueError`` when more than two corners lie outside the picture: they belong to another picture."""
    (width, height), inside = size_px, 0
    for x, y in corners:
        inside += 0 <= x < width and 0 <= y < height
    if inside < 2:
        raise ValueError(f"--corners lie outside the picture, which is {width} x {height} pixels")


def unreadable_picture_reason(path: Path) -> str:
    """Return the reason why a file is no picture, as a sentence that a person can act on."""
    try:
        if not path.exists():
            return "there is no such file"
    except OSError as why:  # a name that no file can have
        return f"there is no such file ({why.strerror})"
    if path.is_dir():
        return "this is a folder: name the pictures in it"
    if not path.is_file():
        return "this is a pipe or a device, no picture: name a file"
    if not os.access(path, os.R_OK):
        return "this file may not be read: you lack the right to"
    return "this is no picture, or a damaged one: give a JPEG, PNG or WEBP file"


def parse_option(text: str) -> tuple[str, str]:
    """Return the name and value of an option of the game, from text NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"an option of the game is written NAME=VALUE, got {text!r}")
    return name, value


def add_game_arguments(parser: argparse.ArgumentParser, default: str | None) -> None:
    """Add the arguments for the game, its options and the corners of the field to a command."""
    parser.add_argument(
        "--game",
        required=default is None,
        default=default,
        choices=list(PRESETS),
        metavar="GAME",
        help=f"one of {', '.join(PRESETS)}",
    )
    parser.add_argument(
        "--option",
        type=parse_option,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a rule of the game, as fly=own",
    )
    parser.add_argument(
        "--corners",
        type=parse_corners,
        metavar="X,Y,...",
        help="the four corners of the field in the first frame, clockwise from the one that is to be a7, in pixels",
    )
