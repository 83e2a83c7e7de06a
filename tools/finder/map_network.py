"""Train the network of maps: what of a picture is a joint, a point, a hole, a stroke, a stone, the board or its cover.

    python tools/finder/map_network.py train MADE LESSONS LESSONS MORE_LESSONS --workers 15
    python tools/finder/map_network.py train MADE LESSONS MORE_LESSONS --steps 6500 --from WEIGHTS --again 0 6e-4
    python tools/finder/map_network.py export MADE/board_maps.onnx MADE

Needs ``torch``, ``onnx`` and ``onnxscript`` beside the project's own libraries; nothing in the project needs this file.
``train`` goes on from the checkpoint in MADE. The weights that count are a mean over the last steps.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset

sys.path[:0] = [str(Path(__file__).resolve().parents[up]) for up in (1, 2)]

import export_network  # noqa: E402
from export_network import fold_batch_norms, weights_of  # noqa: E402
from map_lessons import BOARD, COVER, STONE, UNKNOWN, Lesson  # noqa: E402

from referee.boards import BOARDS, with_holes  # noqa: E402
from vision.imaging.frame import Float64Array, Image  # noqa: E402
from vision.imaging.homography import apply_homography, fit_homography  # noqa: E402
from vision.networks.heat_maps import (  # noqa: E402
    FROM_ABOVE_PX,
    MAPS,
    MARGIN,
    N_PROBABILITIES,
    SEEN_FROM_MAP,
    SEEN_PX,
    STRIDE,
    letterbox,
    relative_colours,
    seen_part,
)

Array = NDArray[np.float32]

PART_PX, WHOLE_FROM = (256, 160), 0.85
"""Width and height of the part that it sees at first, and from which share of the steps it sees whole pictures."""

CENTRED = 0.75
"""Share of the parts that have the board in their middle; the others show the middle of the picture."""

NEARER, PART_NEARER = (0.7, 1.7), (0.45, 1.3)
"""How much nearer a lesson is seen than as a whole picture, at least and at most."""

FROM_ABOVE = 0.35
"""Share of the boards that are seen as from above: so each is looked at before it counts."""

SPOT_PX = 1.1
"""Width (standard deviation) of a spot, pixels of a map."""

N_SPOTS = 3
"""Maps of spots."""

RARE, RARE_STROKE = 12.0, 3.0
"""How much more a spot, and a stroke, counts than ground: there is far more of that."""

OF_DIRECTION = 0.1
"""Weight of the error of the directions, which lie in -1 to 1."""

CHANNELS = (16, 32, 64, 96, 128)
"""Of the layers at half the size, a quarter and so on."""

FASTEST, MEAN_OVER = 2e-3, 0.998

# ------------------------------------------------------------------ the network


def convolution(n_in: int, n_out: int, side: int = 3, stride: int = 1) -> nn.Sequential:
    """A convolution, its output normalised over the batch and rectified."""
    return nn.Sequential(
        nn.Conv2d(n_in, n_out, side, stride, side // 2, bias=False), nn.BatchNorm2d(n_out), nn.ReLU(inplace=True)
    )


class MapNetwork(nn.Module):
    """A U-Net (Ronneberger et al. 2015) that never goes back to the full size: maps (b, 9, h / 2, w / 2)."""

    def __init__(self) -> None:
        super().__init__()
        one, two, three, four, five = CHANNELS
        self.stem = convolution(3, one, 5, 2)
        pairs = zip(CHANNELS, CHANNELS[1:], strict=False)
        self.down = nn.ModuleList(nn.Sequential(convolution(a, b, 3, 2), convolution(b, b)) for a, b in pairs)
        self.up = nn.ModuleList(
            convolution(a, b) for a, b in ((five + four, four), (four + three, 48), (48 + two, two), (two + one, one))
        )
        self.maps = nn.Conv2d(one, len(MAPS), 1)

    def forward(self, seen: Tensor) -> Tensor:
        """Log odds, and the two parts of the direction, from (b, 3, h, w) as ``relative_colours`` makes it."""
        layers = [self.stem(seen)]
        for down in self.down:
            layers.append(down(layers[-1]))
        x = layers.pop()
        for up in self.up:
            x = up(torch.cat([functional.interpolate(x, scale_factor=2.0, mode="nearest"), layers.pop()], 1))
        return self.maps(x)  # type: ignore[no-any-return]


def loss(answers: Tensor, truth: Tensor) -> Tensor:
    """Cross entropy of the seven maps and squared error of the directions on strokes; what is unknown is NaN."""
    y = truth[:, :N_PROBABILITIES]
    weight = 1 - y.isnan().to(y.dtype)
    y = y.nan_to_num(0.0)
    weight[:, :N_SPOTS] += RARE * y[:, :N_SPOTS]
    weight[:, N_SPOTS] += RARE_STROKE * y[:, N_SPOTS]
    each = functional.binary_cross_entropy_with_logits(answers[:, :N_PROBABILITIES], y, reduction="none")
    crossed = (each * weight).mean((0, 2, 3))
    on_stroke = y[:, N_SPOTS : N_SPOTS + 1] * (y[:, :1] < 0.3)  # at a joint there is no one direction
    off = ((answers[:, N_PROBABILITIES:] - truth[:, N_PROBABILITIES:]) ** 2 * on_stroke).sum((0, 2, 3)) / (
        on_stroke.sum() + 1
    )
    return crossed.sum() + OF_DIRECTION * off.sum()


# ------------------------------------------------------------------ lessons


def truth_maps(lesson: Lesson, seen_from_image: NDArray[np.float64], mask: NDArray[np.uint8]) -> Array:
    """The maps that a lesson should have, (9, h / 2, w / 2); ``mask`` as it is seen, (h, w)."""
    height, width = mask.shape[0] // STRIDE, mask.shape[1] // STRIDE
    out = np.zeros((len(MAPS), height, width), np.float32)
    to_map = np.linalg.inv(SEEN_FROM_MAP)
    for which, places in enumerate((lesson.joints, lesson.points, lesson.holes)):
        for x, y in apply_homography(to_map @ seen_from_image, places.astype(np.float64)) if len(places) else ():
            _spot(out[which], float(x), float(y))
    line = np.zeros(mask.shape, np.uint8)
    ways = np.zeros((height, width, 2), np.float32)
    for stroke in lesson.strokes:
        at = apply_homography(seen_from_image, stroke.astype(np.float64))
        cv2.polylines(line, [np.round(at * 16).astype(np.int32)], False, 255, 2, cv2.LINE_AA, 4)
        pixels = np.clip(np.round((at + 0.5) / STRIDE - 0.5), -99, 999).astype(int).tolist()
        angle = 2 * np.arctan2(*np.diff(at, axis=0).T[::-1])
        for a, b, way in zip(
            pixels, pixels[1:], np.column_stack([np.cos(angle), np.sin(angle)]).tolist(), strict=False
        ):
            cv2.line(ways, a, b, way, 3)
    out[3] = cv2.resize(line, (width, height), interpolation=cv2.INTER_AREA) / 255
    for which, bit in enumerate((STONE, BOARD, COVER), 4):
        part = ((mask & bit) > 0).astype(np.uint8) * 255
        out[which] = cv2.resize(part, (width, height), interpolation=cv2.INTER_AREA) / 255
    for which in (4, 6):
        out[which, mask[::STRIDE, ::STRIDE] & UNKNOWN > 0] = np.nan
    out[N_PROBABILITIES:] = ways.transpose(2, 0, 1)
    return out


def _spot(heat: Array, x: float, y: float) -> None:
    reach = 4
    left, top = max(0, int(x) - reach), max(0, int(y) - reach)
    part = heat[top : max(0, int(y) + reach + 2), left : max(0, int(x) + reach + 2)]
    if not part.size or x < -1 or y < -1:
        return
    column = np.arange(left, left + part.shape[1]) - x
    row = np.arange(top, top + part.shape[0]) - y
    np.maximum(part, np.exp(-(column[None] ** 2 + row[:, None] ** 2) / (2 * SPOT_PX**2)), out=part)


# ------------------------------------------------------------------ other light, other cameras


def look(rng: np.random.Generator, lesson: Lesson, size_px: tuple[int, int], seen_px: tuple[int, int]) -> Float64Array:
    """Seen from a picture, as another camera would: shifted, turned, nearer or farther, mirrored, a little aslant.

    A part of what the network sees mostly has the board in its middle, if there is one. Some boards are seen as from
    above, as ``look_from_above`` does.
    """
    if len(lesson.points) and rng.random() < FROM_ABOVE:
        return from_above(rng, lesson, seen_px)
    turn = rng.normal(0, np.deg2rad(6)) if rng.random() < 0.7 else rng.uniform(0, 2 * np.pi)
    low, high = NEARER if seen_px == SEEN_PX else PART_NEARER
    size, wide = np.exp(rng.uniform(np.log(low), np.log(high))), np.exp(rng.normal(0, 0.06))
    c, s = np.cos(turn) * size, np.sin(turn) * size
    mirror = np.diag([rng.choice([-1.0, 1.0]) * wide, 1, 1])
    lean = np.array([[1, 0, 0], [0, 1, 0], [*rng.normal(0, 0.0004, 2), 1]])
    about = lean @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ mirror
    middle = (np.array(SEEN_PX) - 1) / 2
    if seen_px != SEEN_PX and len(lesson.points) and rng.random() < CENTRED:
        middle = apply_homography(letterbox(size_px), lesson.points.mean(0).clip((0, 0), size_px))
    onto = (np.array(seen_px) - 1) / 2 + rng.normal(0, 0.1, 2) * seen_px
    to, back = (np.array([[1, 0, x], [0, 1, y], [0, 0, 1]]) for x, y in (onto, -middle))
    return np.asarray(to @ about @ back @ letterbox(size_px))


def from_above(rng: np.random.Generator, lesson: Lesson, seen_px: tuple[int, int]) -> Float64Array:
    """Seen from a picture, its board straightened, turned any way, as large as ``look_from_above`` shows it.

    Of a go board a part of some cells, so that its lines are as far apart as those of a mill board.
    """
    kind, *size = lesson.name.split()
    if kind == "go":
        rows, columns = map(int, size)
        cells = int(np.exp(rng.uniform(np.log(2), np.log(rows))))
        places = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1).reshape(-1, 2)
        corner = rng.uniform(0, np.maximum([columns, rows], cells + 1) - cells, 2)
        unit = (places - corner) / cells - 0.5
        return _straightened(rng, lesson.points, unit, seen_px)
    board = BOARDS[kind]
    n = len(lesson.points)
    if board.rings:  # each is turned by itself: the outermost one says how the discs lie
        board, n = with_holes(board, n // len(board.rings)), n // len(board.rings)
    return _straightened(rng, lesson.points[:n], np.array(board.xy[:n]) - 0.5, seen_px)


def _straightened(
    rng: np.random.Generator, points: Array, unit: Float64Array, seen_px: tuple[int, int]
) -> Float64Array:
    """Seen from a picture, with places (n, 2) of the unit square round 0 in the middle."""
    board_from_image = fit_homography(points.astype(np.float64), unit)
    turn, side = rng.uniform(0, 2 * np.pi), FROM_ABOVE_PX * (1 - 2 * MARGIN) * np.exp(rng.normal(0, 0.12))
    c, s = np.cos(turn) * side, np.sin(turn) * side
    x, y = (np.array(seen_px) - 1) / 2 + rng.normal(0, 0.06, 2) * seen_px
    mirror = np.diag([rng.choice([-1.0, 1.0]) * np.exp(rng.normal(0, 0.03)), 1, 1])
    lean = np.array([[1, 0, 0], [0, 1, 0], [*rng.normal(0, 0.03, 2), 1]])
    return np.array([[c, -s, x], [s, c, y], [0, 0, 1]]) @ mirror @ lean @ board_from_image


def altered(picture: Image, mask: NDArray[np.uint8], rng: np.random.Generator) -> Image:
    """Things laid over the board, and another light, lens, sensor and codec; ``picture`` and ``mask`` are changed."""
    if rng.random() < 0.15:
        _cover(picture, mask, rng)
    if rng.random() < 0.3:  # the edge of a shadow, hard or soft
        outline = rng.uniform(-0.3, 1.3, (int(rng.integers(3, 5)), 2)) * mask.shape[::-1]
        shade = np.full(mask.shape, 255, np.uint8)
        cv2.fillPoly(shade, [np.round(outline).astype(np.int32)], float(rng.uniform(75, 205)), cv2.LINE_AA)
        soft = cv2.GaussianBlur(shade, (0, 0), float(rng.choice([0.7, 2, 8])))
        picture = np.asarray(cv2.multiply(picture, cv2.merge([soft] * 3), scale=1 / 255), np.uint8)
    if rng.random() < 0.3:  # more colour, or less
        grey = cv2.cvtColor(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
        share = float(rng.uniform(0, 1.6))
        picture = np.asarray(cv2.addWeighted(picture, share, grey, 1 - share, 0), np.uint8)
    if rng.random() < 0.3:  # other paints
        picture = np.ascontiguousarray(picture[..., rng.permutation(3)])
    gain, gamma = np.exp(rng.normal(0, 0.12, 3)), np.exp(rng.normal(0, 0.25))
    levels = np.clip(255 * np.clip(np.arange(256)[:, None] * gain / 255, 0, 1) ** gamma, 0, 255).astype(np.uint8)
    picture = np.asarray(cv2.LUT(picture, levels[None]), np.uint8)
    if rng.random() < 0.4:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.3, 1.3))), np.uint8)
    if rng.random() < 0.1:  # the camera moved
        length, way = int(rng.integers(3, 7)), rng.uniform(0, np.pi)
        kernel = np.zeros((7, 7), np.float32)
        ends = [(round(3 + k * length / 2 * np.cos(way)), round(3 + k * length / 2 * np.sin(way))) for k in (-1, 1)]
        cv2.line(kernel, ends[0], ends[1], 1.0)
        picture = np.asarray(cv2.filter2D(picture, -1, kernel / kernel.sum()), np.uint8)
    if rng.random() < 0.6:
        noise = np.zeros(picture.shape, np.int16)
        cv2.setRNGSeed(int(rng.integers(2**31)))
        cv2.randn(noise, 0.0, float(rng.uniform(0, 12)))
        if rng.random() < 0.3:  # its grain is coarse
            noise = cv2.GaussianBlur(noise, (0, 0), 1.0) * 2
        picture = np.asarray(cv2.add(picture, noise, dtype=cv2.CV_8U), np.uint8)
    if rng.random() < 0.4:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(20, 90))]
        picture = np.asarray(cv2.imdecode(cv2.imencode(".jpg", picture, quality)[1], cv2.IMREAD_COLOR), np.uint8)
    return picture


def _cover(picture: Image, mask: NDArray[np.uint8], rng: np.random.Generator) -> None:
    """Lay one to three sheets, books or lids somewhere."""
    for _ in range(int(rng.integers(1, 4))):
        place = (float(rng.uniform(0, mask.shape[1])), float(rng.uniform(0, mask.shape[0])))
        size = float(rng.uniform(10, 80)), float(rng.uniform(10, 60))
        shape = np.zeros(mask.shape, np.uint8)
        if rng.random() < 0.4:
            cv2.ellipse(shape, (place, (size[0], size[0] * float(rng.uniform(0.6, 1))), 0), 1, -1)
        else:
            box = cv2.boxPoints((place, size, float(rng.uniform(0, 180))))
            cv2.fillPoly(shape, [np.round(box).astype(np.int32)], 1)
        picture[shape > 0] = rng.uniform(5, 250, 3).astype(np.uint8)
        mask[shape > 0] = (mask[shape > 0] & BOARD) | COVER


@dataclass(frozen=True, eq=False)
class Unpacked:
    """A lesson with its picture and its mask as arrays of uint8, (360, 640, 3) and (360, 640)."""

    lesson: Lesson
    bgr: Image
    mask: NDArray[np.uint8]


def unpacked(lesson: Lesson) -> Unpacked:
    """Decode the pictures of a lesson."""
    bgr = np.asarray(cv2.imdecode(np.frombuffer(lesson.picture, np.uint8), cv2.IMREAD_COLOR), np.uint8)
    mask = np.asarray(cv2.imdecode(np.frombuffer(lesson.mask, np.uint8), cv2.IMREAD_GRAYSCALE), np.uint8)
    return Unpacked(lesson, bgr, mask)


def sample(taught: Unpacked, rng: np.random.Generator, seen_px: tuple[int, int] = SEEN_PX) -> tuple[Array, Array]:
    """What the network sees of a lesson this time, and the maps that it should tell."""
    lesson, bgr, mask = taught.lesson, taught.bgr, taught.mask
    h = look(rng, lesson, (bgr.shape[1], bgr.shape[0]), seen_px)
    picture, inside = seen_part(bgr, h, seen_px)
    mask = np.asarray(cv2.warpPerspective(mask, h, seen_px, flags=cv2.INTER_NEAREST), np.uint8)
    picture = altered(picture, mask, rng)
    return relative_colours(picture, inside).transpose(2, 0, 1), truth_maps(lesson, h, mask)


# ------------------------------------------------------------------ training


def _read(path: Path) -> list[Lesson]:
    return pickle.loads(path.read_bytes())  # type: ignore[no-any-return]


class Steps(Dataset[tuple[Tensor, Tensor]]):
    """The samples of every step, each step's from its number alone.

    Every folder teaches as often, one that is named twice twice as often.

    It keeps a megabyte a lesson: to decode each anew would take a third of the time.
    """

    def __init__(self, folders: Sequence[Path], whole_from: int, at_once: int) -> None:
        with ThreadPoolExecutor() as pool:
            of_folder = {
                folder: list(pool.map(unpacked, (one for path in sorted(folder.glob("*.pkl")) for one in _read(path))))
                for folder in set(folders)
            }
        self.lessons = [of_folder[folder] for folder in folders if of_folder[folder]]
        self._whole_from, self._at_once = whole_from, at_once

    def __getitem__(self, step: int) -> tuple[Tensor, Tensor]:
        """Return what is seen (n, 3, h, w) and the maps that it should tell (n, 9, h / 2, w / 2), in half precision."""
        cv2.setNumThreads(1)
        rng = np.random.default_rng([step, 3902])
        seen_px = PART_PX if step < self._whole_from else SEEN_PX
        chosen = [self.lessons[i] for i in rng.integers(0, len(self.lessons), self._at_once)]
        samples = [sample(lessons[int(rng.integers(len(lessons)))], rng, seen_px) for lessons in chosen]
        x, y = (torch.from_numpy(np.stack(part).astype(np.float16)) for part in zip(*samples, strict=True))
        return x, y


def train(
    made: Path,
    folders: Sequence[Path],
    cycle: tuple[int, int, float],
    at_once: int,
    n_workers: int,
    weights: Path | None = None,
) -> None:
    """AdamW (Loshchilov and Hutter 2019) with a rate that rises, then falls as a cosine, from where it stopped.

    ``cycle`` is the step before its first one, its last one, and its highest rate. ``weights`` are those of the first
    step, else random ones. It runs on a GPU where there is one.
    """
    before, steps, fastest = cycle
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    half = device.type == "cuda" or "AVX512" in torch.backends.cpu.get_cpu_capability()
    torch.manual_seed(3)
    torch.set_num_threads(1)
    network, mean = (MapNetwork().to(device, memory_format=torch.channels_last) for _ in range(2))
    mean.load_state_dict(network.state_dict())
    optimiser = torch.optim.AdamW(network.parameters(), FASTEST, weight_decay=1e-4)
    path, first = made / "checkpoint.pt", 0
    if path.exists():
        stored = torch.load(path)
        network.load_state_dict(stored["network"])
        mean.load_state_dict(stored["mean"])
        optimiser.load_state_dict(stored["optimiser"])
        first = stored["step"]
    taught = Steps(folders, int(WHOLE_FROM * steps), at_once)
    print(f"lessons of each folder: {[len(lessons) for lessons in taught.lessons]}", flush=True)
    if weights is not None and not first:
        unfold(network, weights, torch.cat([taught[steps + k][0].float() for k in range(4)]).to(device))
        mean.load_state_dict(network.state_dict())
    numbers = range(first + 1, steps + 1)
    batches = DataLoader(
        taught, batch_size=None, sampler=numbers, num_workers=n_workers, pin_memory=device.type == "cuda"
    )
    losses, start = torch.zeros(100, device=device), time.time()
    for t, batch in zip(numbers, batches, strict=True):
        x, y = (part.to(device, non_blocking=True).float() for part in batch)
        for group in optimiser.param_groups:
            group["lr"] = float(
                fastest * min(1, t / 200) * (0.5 * (1 + np.cos(np.pi * (t - before) / (steps - before))) + 0.01)
            )
        with torch.autocast(device.type, torch.bfloat16, enabled=half):
            answers = network(x.to(memory_format=torch.channels_last))
        value = loss(answers.float(), y)
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
        with torch.no_grad():
            pairs = list(zip(mean.state_dict().values(), network.state_dict().values(), strict=True))
            floats = [pair for pair in pairs if pair[0].dtype.is_floating_point]
            torch._foreach_lerp_([a for a, _ in floats], [b for _, b in floats], 1 - min(MEAN_OVER, t / (t + 10)))
            losses[t % len(losses)] = value.detach()
        if t % 500 == 0 or t == steps:
            print(f"{t}: loss {float(losses.mean()):.4f}, {time.time() - start:.0f} s", flush=True)
            stored = {"network": network, "mean": mean, "optimiser": optimiser}
            torch.save({name: part.state_dict() for name, part in stored.items()} | {"step": t}, made / "draft.pt")
            (made / "draft.pt").rename(path)


def trained(made: Path) -> MapNetwork:
    """The mean network of a checkpoint, ready to tell."""
    network = MapNetwork()
    network.load_state_dict(torch.load(made / "checkpoint.pt", map_location="cpu")["mean"])
    return network.eval()


class ToldMaps(nn.Module):
    """The network as it ships: what it tells are probabilities, and the two parts of the direction."""

    def __init__(self, network: MapNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, seen: Tensor) -> Tensor:
        """Maps (b, 9, h / 2, w / 2) from (b, 3, h, w)."""
        told = self.network(seen)
        return torch.cat([torch.sigmoid(told[:, :N_PROBABILITIES]), told[:, N_PROBABILITIES:]], 1)


def unfold(network: MapNetwork, weights: Path, x: Tensor) -> None:
    """Give a network the weights of a file that ``export`` wrote; what each layer tells of ``x`` normalises it."""
    stored = {name.removeprefix("network."): value for name, value in weights_of(weights).items()}

    def normalise(layer: nn.Sequential, given: tuple[Tensor, ...], told: Tensor) -> Tensor:
        raw = layer[0](given[0])
        mean, norm = raw.mean((0, 2, 3)), layer[1]
        variance = raw.var((0, 2, 3), correction=0)
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)
        norm.weight.copy_(torch.sqrt(variance + norm.eps))
        norm.bias.copy_(layer.bias + mean)
        return torch.relu(norm(raw))

    with torch.no_grad():
        hooks = []
        for name, layer in network.named_modules():
            if isinstance(layer, nn.Sequential) and isinstance(layer[0], nn.Conv2d):
                layer[0].weight.copy_(stored[f"{name}.0.weight"])
                layer.bias = stored[f"{name}.0.bias"].to(x.device)  # type: ignore[assignment]
                hooks.append(layer.register_forward_hook(normalise))  # type: ignore[arg-type]
        network.maps.load_state_dict({end: stored[f"maps.{end}"] for end in ("weight", "bias")})
        network.eval()(x)
        for hook in hooks:
            hook.remove()
        network.train()


def export(out: Path, network: MapNetwork) -> None:
    """Write the network as ``vision.networks`` runs it."""
    fold_batch_norms(network)
    rows, columns = (32 * torch.export.Dim(name, min=2, max=99) for name in ("rows", "columns"))
    seen = ((2, 3, 64, 96), {0: torch.export.Dim("pictures", min=1, max=99), 2: rows, 3: columns})
    export_network.export(out, ToldMaps(network), {"seen": seen}, ["maps"])


def main() -> None:
    """Run the command."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = ask.add_subparsers(dest="what", required=True)
    training = what.add_parser("train")
    training.add_argument("made", type=Path)
    training.add_argument("lessons", type=Path, nargs="+")
    training.add_argument(
        "--from", dest="weights", type=Path, help="file of weights to begin with, that which ships, say"
    )
    training.add_argument("--steps", type=int, default=17000)
    training.add_argument(
        "--again",
        type=float,
        nargs=2,
        metavar=("STEP", "RATE"),
        default=(0, FASTEST),
        help="a gentler cycle over new lessons, after STEP",
    )
    training.add_argument("--at-once", type=int, default=32, help="samples of a step")
    training.add_argument("--workers", type=int, default=0, help="processes that make samples beside it")
    exporting = what.add_parser("export")
    exporting.add_argument("out", type=Path)
    exporting.add_argument("made", type=Path)
    given = ask.parse_args()
    given.made.mkdir(parents=True, exist_ok=True)
    if given.what == "train":
        before, fastest = given.again
        train(
            given.made, given.lessons, (int(before), given.steps, fastest), given.at_once, given.workers, given.weights
        )
    else:
        export(given.out, trained(given.made))


if __name__ == "__main__":
    main()
