"""Fit what the tops of towers say of a stone laid on its like between two photographs, for ``cover_change.py``.

    python -m tools.evidence.fit_cover FIRST_SEED N_SERIES [--on-like 0.4]

Drawn series of Trialectic are followed with the truth in hand. A logistic regression on all towers that may grow and
show the paint that they had; printed are the constants, less the log odds of a covered tower, and what it says of
series that were left out. Needs scipy beside the project's own libraries.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from tools.evidence.collect import drawn_series_frames, followed
from vision.change.cover_change import against_other_towers, cover_features
from vision.stones.tower_heights import cut_tall_patches, predict_towers
from vision.watching.gather_cues import compared_tops

PENALTY = 0.5
"""Factor on the squared weights, in standard deviations of their features. Source: chosen."""


def towers_of(seed: int, on_like: float) -> Iterator[tuple[NDArray[np.float64], NDArray[np.bool_]]]:
    """Yield the features of the towers of each picture of a series, and which of them were covered."""
    variant, frames = drawn_series_frames(seed, "trialectic", on_like)
    for state, look, cues, tops, heights in followed(variant, True, frames):
        tall = cut_tall_patches(look.frame.bgr, look.field)
        compared = compared_tops(state, look, tall, predict_towers(tall))
        if compared is None or not state.reference.displaced:
            continue
        before, now, then, appearance, taller = compared
        grown = heights - np.array(state.belief.shown_position.heights)
        towers = np.flatnonzero((then > 0) & (tops == then) & (grown >= 0) & cues.visible)
        if len(towers):
            yield (
                cover_features(before[towers], now[towers], then[towers], appearance, taller[towers]),
                grown[towers] > 0,
            )


def regression(features: NDArray[np.float64], covered: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the weights and the bias, less the log odds of covered towers, that make the truth likeliest."""
    spread, sign = features.std(axis=0), np.where(covered, -1.0, 1.0)
    scaled = np.column_stack([features / spread, np.ones(len(features))])

    def cost(w: NDArray[np.float64]) -> float:
        return float(np.logaddexp(0, sign * (scaled @ w)).sum() + PENALTY * (w[:-1] ** 2).sum())

    w = minimize(cost, np.zeros(scaled.shape[1]), method="BFGS").x
    return np.append(w[:-1] / spread, w[-1] - np.log(covered.mean() / (1 - covered.mean())))


def main() -> None:
    """Fit, leave out, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=int)
    parser.add_argument("n", type=int)
    parser.add_argument("--on-like", type=float, default=0.4)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    series, pictures = [], []
    for seed in range(given.first, given.first + given.n):
        for picture in towers_of(seed, given.on_like):
            series += [seed] * len(picture[1])
            pictures.append(picture)
    of_series, covered = np.array(series), np.concatenate([truth for _, truth in pictures])
    usual = np.concatenate([features for features, _ in pictures]).mean(axis=0)
    against = [against_other_towers(features, usual) for features, _ in pictures]
    features, nats = np.concatenate(against), np.zeros(len(covered))
    for seed in np.unique(of_series):
        out = of_series == seed
        w = regression(features[~out], covered[~out])
        nats[out] = features[out] @ w[:-1] + w[-1]
    w = regression(features, covered)
    print(f"{len(covered)} towers of {given.n} series, {int(covered.sum())} of them covered")
    print(
        "COVER_WEIGHTS", np.round(w[:-1], 2), "COVER_BIAS", round(float(w[-1]), 2), "USUAL_FEATURES", np.round(usual, 2)
    )
    for name, part in (("covered", nats[covered]), ("left alone", nats[~covered])):
        print(f"{name}, left out: nats at 10, 50, 90, 100 %", np.round(np.percentile(part, [10, 50, 90, 100]), 1))


if __name__ == "__main__":
    main()
