"""Beliefs for tests of the decoder: any field of a belief, or of the evidence in it, set by its name."""

from dataclasses import fields, replace
from typing import Any

import numpy as np

from vision.decoding.belief import Belief, RestEvidence, UndecidedRest

OF_REST = {field.name for field in fields(RestEvidence)}


def having(belief: Belief, **given: Any) -> Belief:
    """The belief with some of its fields, or of the fields of its rest, replaced; ``looks``: the mean of its looks."""
    if "looks" in given:
        looks = given.pop("looks")
        given |= {"mean_log_likelihood": looks, "mean_alone": looks}
    rest = replace(belief.rest, **{name: value for name, value in given.items() if name in OF_REST})
    return replace(belief, rest=rest, **{name: value for name, value in given.items() if name not in OF_REST})


def after_undecided(
    belief: Belief, log_posterior: dict[Any, float], rings: np.ndarray | None = None, changes: np.ndarray | None = None
) -> Belief:
    """The belief after a rest that ended without a decision."""
    rings = rings if rings is not None else belief.rest.ring_log_likelihood[:0]
    return replace(
        belief, undecided_rest=UndecidedRest(log_posterior, rings, changes if changes is not None else np.zeros(0))
    )
