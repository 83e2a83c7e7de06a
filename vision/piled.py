"""Whether a stone was laid on a stone of its own colour: the pixels of a tower, compared with what they were.

Another pebble lies on top now, and higher: its outline and its middle are elsewhere in the picture, if only a little.
``altered`` is made for stones that come and go and finds such a change small; but of towers left alone nearly all show
no change at all, and those that do stand beside one that was touched, whose stones lean over them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.altered import Altered
from vision.field import Field

CHANGED, NATS = (-5.5, -5.0, -4.0, -3.2), (-4.5, -2.0, 2.0, 5.0)
"""Nats of ``altered``, and what they say of a tower with no change beside it: of 73 drawn towers on which a stone of
the same colour was laid one lies under the second, of 2,477 left alone all but 55 do."""

BESIDE = 2.0
"""Spacings within which a tower that was touched may lean over another."""

LEANED_OVER = 1.5
"""Most nats where something beside it has changed as much or more: so do 8 of those 73, and 40 of those 2,477."""

AS_MUCH = 1.0
"""Nats of ``altered`` by which the change beside it may be less."""


def piled(seen: Altered, field: Field) -> NDArray[np.float64]:
    """Say of every point that holds stones whether one was laid on them, or taken from them.

    Parameters
    ----------
    seen : Altered
        What has changed since the last settled look, in the same light.
    field : Field
        Where the points lie, image space.

    Returns
    -------
    float64 array of shape (n_points,)
        ``log p(change | touched) - log p(change | left alone)``, nats; of a bare point it means nothing.
    """
    nats = np.interp(seen.nats, CHANGED, NATS)
    apart = np.linalg.norm(field.points_px[:, None] - field.points_px[None], axis=2)
    beside = (apart < BESIDE * field.spacing_px[:, None]) & (apart > 0)
    most = np.where(beside, seen.nats[None], -np.inf).max(axis=1)
    leaned = (most > seen.nats - AS_MUCH) & (seen.nats > CHANGED[0])
    return np.asarray(np.where(leaned, np.minimum(nats, LEANED_OVER), nats), np.float64)
