"""Printed templates on drawn tables: how many the eyes find and name, and how exactly.

Every template is written as PDF, each page is drawn by another program (PDFium), the sheets are glued along their seams
as a person would, discs are cut out and put on their axle, and a drawn camera looks at it: at its usual size and at
three others, with a few stones or without.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import cv2
import numpy as np
import pypdfium2
from numpy.typing import NDArray

from calibration.making.board_template import TemplateChoice, board_pieces, choose_template, discs, span
from calibration.making.tiles import OVERLAP_MM, template_sheets
from calibration.sheets import Mark, Sheet, Window, sheets_pdf
from languages import Message
from referee.board import Board
from referee.boards import BOARDS, board_family, few_holes_first, with_holes
from tests.simulation.drawings import DrawnPicture, Outcome, is_kind, judged, outcome
from tests.synthetic import Scene, TableSpec, random_spec, scattered
from tests.synthetic.cloth import Cloth
from tests.synthetic.spec import TABLES, Strokes, Surface, lab_distance
from tests.synthetic.surfaces import clouds
from tests.synthetic.texels import MARGIN, PX_PER_SIDE, SIDE_PX, texel
from vision.detection.confidence import CERTAIN_CONFIDENCE
from vision.imaging.field import NotRegistered, Registration
from vision.imaging.frame import Image
from vision.imaging.homography import apply_homography

FLAT_SIZE_PX = (1280, 720)
FLAT_SHARES = (0.1, 0.2, 0.4)  # of the picture's width that a board is wide
GROUNDS = {"scan": (255, 255, 255), "wood": (110, 150, 185), "cloth": (60, 45, 40)}
TURNED_DEG = (8.0, 37.0)  # least and greatest turn of what does not lie square
PAPER = np.array([238.0, 241.0, 243.0], np.float32)
INK = np.array([34.0, 32.0, 30.0], np.float32)
PX_PER_MM = 8.0
SIZES_CM = (14.0, 24.0, 45.0)
HOLE_SHADE = 0.5  # of the light that a hole in card keeps
POINTS_PER_INCH, MM_PER_INCH = 72, 25.4


@dataclass(frozen=True, eq=False)
class GluedPiece:
    """A piece of a template as it came from the printer: grey picture, and where the piece's corner lies in it (mm)."""

    grey: NDArray[np.uint8]
    corner_mm: tuple[float, float]

    @property
    def size_mm(self) -> tuple[float, float]:
        height, width = self.grey.shape
        return width / PX_PER_MM, height / PX_PER_MM


def printed_pages(pdf: bytes) -> list[NDArray[np.uint8]]:
    """Every page as PDFium draws it, grey."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        scale = PX_PER_MM * MM_PER_INCH / POINTS_PER_INCH
        return [page.render(scale=scale, grayscale=True).to_numpy().copy() for page in document]
    finally:
        document.close()


def glued_pieces(sheets: Iterable[Sheet], pages: Iterable[NDArray[np.uint8]]) -> list[GluedPiece]:
    """The sheets of each piece, each cut along its upper and left seam and laid over its neighbours."""
    pieces: dict[tuple[Mark, ...], list[tuple[Window, NDArray[np.uint8]]]] = {}
    for sheet, page in zip(sheets, pages, strict=True):
        window = sheet.marks[0]
        assert isinstance(window, Window)
        pieces.setdefault(window.marks, []).append((window, page))
    found = []
    for own in pieces.values():
        first = own[0][0]
        left, top = first.box[0] - first.at[0], first.box[1] - first.at[1]
        placed = []
        for window, page in own:
            x, y = window.box[0] - window.at[0] - left, window.box[1] - window.at[1] - top
            cut_x = window.at[0] + OVERLAP_MM / 2 if window.box[0] > first.box[0] + 1e-6 else 0.0
            cut_y = window.at[1] + OVERLAP_MM / 2 if window.box[1] > first.box[1] + 1e-6 else 0.0
            a, b = round(cut_x * PX_PER_MM), round(cut_y * PX_PER_MM)
            placed.append((round(x * PX_PER_MM) + a, round(y * PX_PER_MM) + b, page[b:, a:]))
        width = max(x + part.shape[1] for x, _, part in placed)
        height = max(y + part.shape[0] for _, y, part in placed)
        grey = np.full((height, width), 255, np.uint8)
        for x, y, part in placed:
            grey[y : y + part.shape[0], x : x + part.shape[1]] = part
        found.append(GluedPiece(grey, (-left, -top)))
    return found


def printed_cloth(choice: TemplateChoice, rng: np.random.Generator, *, is_cut: bool = True) -> Cloth:
    """The printed template as it lies on a table; holes of discs are cut out, or only printed."""
    sheets = template_sheets(choice).values()
    glued = glued_pieces(sheets, printed_pages(sheets_pdf(sheets)))
    grain = (1 + 0.004 * clouds(rng, (SIDE_PX, SIDE_PX), 3))[..., None]
    if choice.board.rings:
        picture, inside = _stacked_discs(choice, glued, is_cut)
        angle = np.deg2rad(np.arange(360.0))
        reach = discs(choice)[0].radius_mm / choice.unit_mm
        outline = 0.5 + reach * np.stack([np.sin(angle), -np.cos(angle)], axis=1)
    else:
        piece = glued[0]
        middle = _middle_of_piece(choice)
        picture = _laid(piece.grey, middle, choice.unit_mm, piece.corner_mm, 255)
        inside = _laid(np.full_like(piece.grey, 255), middle, choice.unit_mm, piece.corner_mm, 0)
        low = (-np.array(piece.corner_mm) - middle) / choice.unit_mm + 0.5
        high = low + np.array(piece.size_mm) / choice.unit_mm
        low, high = np.maximum(low, -MARGIN + 0.01), np.minimum(high, 1 + MARGIN - 0.01)
        outline = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
    share = picture[..., None] / 255
    alpha = inside[..., None] / 255
    colour = (INK * (1 - share) + PAPER * share) * grain * alpha
    bgra = np.dstack([np.clip(colour, 0, 255), 255 * alpha]).round().astype(np.uint8)
    return Cloth(bgra, np.array(choice.board.xy, np.float64), outline)


def _middle_of_piece(choice: TemplateChoice) -> NDArray[np.float64]:
    """Where the middle of board space lies on the first piece, mm: from the points, which say where they are."""
    points = np.array(board_pieces(choice)[0].points_mm)
    xy = (np.array(choice.board.xy) - 0.5) * choice.unit_mm
    xy[:, 0] *= -1 if choice.is_mirrored else 1
    return np.asarray((points - xy).mean(axis=0))


def _laid(
    grey: NDArray[np.uint8], middle_mm: NDArray[np.float64], unit_mm: float, corner_mm: tuple[float, float], beyond: int
) -> NDArray[np.float32]:
    """A glued piece as it lies in the flat picture of the board, float32 (SIDE_PX, SIDE_PX), 0 to 255."""
    scale = PX_PER_SIDE / unit_mm / PX_PER_MM
    step = max(1, int(0.7 / scale))  # a linear remap of a much finer picture would leave lines out
    small = cv2.resize(grey, None, fx=1 / step, fy=1 / step, interpolation=cv2.INTER_AREA) if step > 1 else grey
    across, down = grey.shape[1] / small.shape[1], grey.shape[0] / small.shape[0]
    at = texel(np.array([0.5, 0.5])) - (np.array(corner_mm) + middle_mm) * PX_PER_SIDE / unit_mm
    matrix = np.array([[scale * across, 0, at[0]], [0, scale * down, at[1]]])
    matrix[:, 2] += 0.5 * np.array([scale * across, scale * down]) - 0.5
    laid = cv2.warpAffine(small, matrix, (SIDE_PX, SIDE_PX), flags=cv2.INTER_LINEAR, borderValue=beyond)
    return laid.astype(np.float32)


def _stacked_discs(
    choice: TemplateChoice, glued: Sequence[GluedPiece], is_cut: bool
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Discs on their axle, the smallest on top, each with its shadow on the one below."""
    rows, columns = np.mgrid[:SIDE_PX, :SIDE_PX].astype(np.float32)
    middle_px = texel(np.array([0.5, 0.5]))
    away = np.hypot(columns - middle_px[0], rows - middle_px[1])
    picture = np.full((SIDE_PX, SIDE_PX), 255, np.float32)
    whole = np.zeros((SIDE_PX, SIDE_PX), np.float32)
    for disc, piece, ring, part in zip(discs(choice), glued, choice.board.rings, board_pieces(choice), strict=True):
        middle = np.array(part.points_mm).mean(axis=0)
        laid = _laid(piece.grey, middle, choice.unit_mm, piece.corner_mm, 255)
        if is_cut:
            holes = np.zeros((SIDE_PX, SIDE_PX), np.uint8)
            radius = disc.hole_mm / 2 / choice.unit_mm * PX_PER_SIDE
            for place in texel(np.array([choice.board.xy[k] for k in ring])):
                cv2.circle(
                    holes, np.round(place * 16).astype(int).tolist(), round(radius * 16), 255, -1, cv2.LINE_AA, 4
                )
            share = cv2.GaussianBlur(holes, (0, 0), 1.0).astype(np.float32) / 255
            laid = laid * (1 - share) + 255 * HOLE_SHADE * share
        inside = np.clip(disc.radius_mm / choice.unit_mm * PX_PER_SIDE - away + 0.5, 0, 1)
        under = (1 - inside) * (1 - 0.3 * cv2.GaussianBlur(inside, (0, 0), 4))
        picture = picture * under + laid * inside
        whole = np.maximum(whole, inside)
    return picture, 255 * whole


def printed_spec(rng: np.random.Generator, choice: TemplateChoice, size_px: tuple[int, int]) -> TableSpec:
    """A table as people have it, with white paper on it."""
    paper = (float(PAPER[0]), float(PAPER[1]), float(PAPER[2]))
    spec = random_spec(rng, choice.board, drawing=choice.drawing, hardness=float(rng.uniform(0, 0.6)), size_px=size_px)
    table = spec.table
    if lab_distance(table.colour, paper) < 22 or lab_distance(table.second, paper) < 22:
        ground = next(TABLES[i] for i in rng.permutation(len(TABLES)) if lab_distance(TABLES[i], paper) > 22)
        table = replace(table, colour=ground, second=ground, pattern="plain")
    return replace(
        spec,
        cloth=Surface(paper, paper, "plain", 0.1, 0.0),
        table=table,
        strokes=Strokes("print", (30.0, 32.0, 34.0), 0.01, 0, 0, 0),
        shape="square",
        point_error=0.0,
        wrinkles=0.0,
    )


def printed_picture(
    seed: int, number: int, choice: TemplateChoice, size_px: tuple[int, int] = (960, 540)
) -> DrawnPicture:
    """The photograph of a number of a printed template, half of them with a few stones."""
    rng = np.random.default_rng([seed, number])
    scene = Scene(printed_spec(rng, choice, size_px), printed_cloth(choice, rng, is_cut=bool(number % 2 == 0)))
    share = float(rng.uniform(0.1, 0.3)) if rng.random() < 0.5 else 0.0
    bgr, truth = scene.render(scattered(rng, len(choice.board.points), 2, share), rng=rng)
    return DrawnPicture(choice.board, choice.drawing, choice.drawing, bgr, truth.points_px, truth.tops)


class FlatTemplate(NamedTuple):
    """A printed template that lies flat in a picture without stones: its share of the width, its ground, its turn."""

    number: int
    picture: DrawnPicture
    share: float
    ground: str
    turn: str  # "square" or "turned"


def flat_templates(every: int = 1, first: int = 0) -> Iterator[FlatTemplate]:
    """Every template at every size, on every ground, square and turned; or every so manieth of them."""
    ways = list(itertools.product(FLAT_SHARES, GROUNDS, ("square", "turned")))
    for k, (board, drawing) in enumerate(boards_and_drawings()):
        numbers = [n for n in range(len(ways) * k, len(ways) * (k + 1)) if n % every == first]
        cloth = printed_cloth(choose_template(board, drawing), np.random.default_rng(k)).bgra if numbers else None
        for number in numbers:
            assert cloth is not None
            share, ground, turn = ways[number - len(ways) * k]
            rng = np.random.default_rng([number, 31])
            angle = float(rng.uniform(*TURNED_DEG)) if turn == "turned" else 0.0
            bgr, at = _flat_on(cloth, share / span(board, drawing), ground, angle, rng)
            points_px = apply_homography(at, texel(np.array(board.xy)))
            picture = DrawnPicture(board, drawing, drawing, bgr, points_px, (0,) * len(points_px))
            yield FlatTemplate(number, picture, share, ground, turn)


def _flat_on(
    bgra: Image, side_share: float, ground: str, angle_deg: float, rng: np.random.Generator
) -> tuple[Image, NDArray[np.float64]]:
    """A cloth, the side of its board a share of the picture's width, and the homography from texels to the picture."""
    width, height = FLAT_SIZE_PX
    scale = side_share * width / PX_PER_SIDE
    side_px = round(SIDE_PX * scale)
    small = cv2.resize(bgra, (side_px, side_px), interpolation=cv2.INTER_AREA)
    room = np.maximum(np.array(FLAT_SIZE_PX) - 1.4 * side_share * width, 0) / 2
    middle = (side_px - 1) / 2
    matrix = cv2.getRotationMatrix2D((middle, middle), angle_deg, 1.0)
    matrix[:, 2] += np.array(FLAT_SIZE_PX) / 2 + rng.uniform(-1, 1, 2) * room - middle
    over = cv2.warpAffine(small, matrix, FLAT_SIZE_PX, flags=cv2.INTER_LINEAR).astype(np.float32)
    under = np.array(GROUNDS[ground], np.float32)
    if ground == "wood":
        under = under + 6 * clouds(rng, (height, width), 12)[..., None]
    bgr = over[..., :3] + under * (1 - over[..., 3:] / 255)
    if ground == "scan":
        bgr *= 1.1  # paper is as white as white can be
    else:
        bgr += rng.normal(0, 3 if ground == "wood" else 7, bgr.shape)
    shrunk = np.array([[scale, 0, (scale - 1) / 2], [0, scale, (scale - 1) / 2], [0, 0, 1.0]])
    return np.clip(bgr, 0, 255).round().astype(np.uint8), np.vstack([matrix, [0, 0, 1.0]]) @ shrunk


def verdict(picture: DrawnPicture, answer: Registration | NotRegistered) -> str:
    """What an answer is: "found" with its kind and every point, "one of two" of which one is right, or neither."""
    if isinstance(answer, Registration):
        return "found" if judged(picture, answer).right else "wrong"
    assert isinstance(answer.reason, Message)
    named = [str(name).split(" (")[0] for name in answer.reason.values.values()]
    is_named = any(is_kind(name, picture.board.name, picture.drawing) for name in named)
    return "one of two" if answer.reason.key == "sight.two_boards" and is_named else "refused"


def boards_and_drawings() -> Iterator[tuple[Board, str]]:
    """Every board with each of its drawings; discs with three numbers of holes."""
    for board in BOARDS.values():
        for each in [with_holes(board, n) for n in (8, 12, 16)] if board.rings else [board]:
            for drawing in each.drawings:
                yield each, drawing.name


def searched(picture: DrawnPicture) -> Outcome:
    """What ``read`` finds: cold where the eyes look for the board unasked, else as with its name in ``--board``."""
    board, found = picture.board, list[Outcome]()
    for group in (None,) if board == BOARDS[board.name] else few_holes_first(board_family(board.name)):
        found.append(outcome(picture, group))
        if found[-1].confidence > CERTAIN_CONFIDENCE:
            break
    return max(found, key=lambda one: one.confidence)
