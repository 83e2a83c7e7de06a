"""A game and the photographs of its turns in, a film out: the table, and beside it the board and the sentences.

It is WebM with VP8: OpenCV writes that everywhere, and every browser plays it. No browser plays the kind of MP4 (MPEG-4
part 2) that OpenCV can write.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import NamedTuple

import cv2
import numpy as np
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont, ImageOps

from languages import message
from referee.game import Game
from web.drawing.game_gif import GIF_SIDE_PX, TABLE_COLOUR, render_position
from web.drawing.position_svg import draw_position
from web.errors import MillchenError
from web.history.finished_games import GameHistory
from web.journal.data_folder import TurnPhotographs

FILM_SIZE_PX = 1280, 720
SCENE_S = 2.0  # how long a turn is shown, in seconds: its announcement has to be read; the last one is shown twice
TEXT_COLOUR, TEXT_WEIGHT, MARGIN_PX = "#2a211a", 600, 16
LETTERS = ((27, 34), (22, 42), (18, 52), (14, 68))  # sizes of the text in pixels, and the letters of a line in each

_ONE_AT_A_TIME = Lock()  # a film takes most of a processor core


class Scene(NamedTuple):
    """What is shown at a time."""

    photograph: int  # its number
    game: Game
    text: str


def make_film(history: GameHistory, photographs: TurnPhotographs) -> Iterator[tuple[int, int, bytes]]:
    """Make the film; after each scene yield how many of how many are done, and with the last one the film.

    Raises ``MillchenError`` where no turn was photographed.
    """
    return _made(film_scenes(history, photographs), photographs, history.state.colours)


def _made(
    scenes: Sequence[Scene], photographs: TurnPhotographs, colours: tuple[str, ...]
) -> Iterator[tuple[int, int, bytes]]:
    with _ONE_AT_A_TIME, TemporaryDirectory() as folder:
        path = Path(folder) / "film.webm"
        kind = cv2.VideoWriter.fourcc(*"VP80")
        writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, kind, 1 / SCENE_S, FILM_SIZE_PX)
        try:
            for n, scene in enumerate(scenes, start=1):
                picture = draw_scene(scene, photographs.load(scene.photograph), colours)
                bgr = np.ascontiguousarray(np.asarray(picture)[:, :, ::-1])
                writer.write(bgr)
                if n < len(scenes):
                    yield n, len(scenes), b""
            writer.write(bgr)
        finally:
            writer.release()
        yield len(scenes), len(scenes), path.read_bytes()


def film_scenes(history: GameHistory, photographs: TurnPhotographs) -> list[Scene]:
    """Return what was announced, from the first photograph on, each with the newest photograph."""
    scenes, newest = list[Scene](), 0
    for ply in history.plies:
        for record, text in ((ply.record, ply.text), *ply.interim_events):
            newest = record.seq if photographs.has(record.seq) else newest
            if newest and text:
                scenes.append(Scene(newest, ply.game, text))
    if not scenes:
        raise MillchenError(message("game_film.no_photographs"))
    return scenes


def draw_scene(scene: Scene, jpeg: bytes | None, colours: tuple[str, ...]) -> Pillow.Image:
    """Draw the table at the left, the board at the right and what was announced below it."""
    width, height = FILM_SIZE_PX
    picture = Pillow.new("RGB", FILM_SIZE_PX, TABLE_COLOUR)
    left = width - GIF_SIDE_PX
    if jpeg is not None:  # it may have been thrown away meanwhile
        room = left - MARGIN_PX, height - 2 * MARGIN_PX
        table = ImageOps.contain(Pillow.open(BytesIO(jpeg)).convert("RGB"), room)
        picture.paste(table, (MARGIN_PX + (room[0] - table.width) // 2, (height - table.height) // 2))
    board = render_position(draw_position(scene.game, colours))
    picture.paste(Pillow.fromarray(np.ascontiguousarray(board[:, :, ::-1])), (left, 0))
    pen, at = ImageDraw.Draw(picture), (left + MARGIN_PX, GIF_SIDE_PX)
    for size_px, n_letters in LETTERS:
        font = ImageFont.truetype(BytesIO(_letters()), size_px)
        font.set_variation_by_axes([TEXT_WEIGHT])
        lines = "\n".join(textwrap.wrap(scene.text, n_letters))
        box = pen.multiline_textbbox(at, lines, font)
        if box[2] <= width and box[3] <= height - MARGIN_PX:
            break
    pen.multiline_text(at, lines, TEXT_COLOUR, font)
    return picture


@cache
def _letters() -> bytes:
    return files("web").joinpath("static", "fonts", "nunito.woff2").read_bytes()
