"""The phases of a table whose field has been seen, and the triggers that lead from one to the next.

The phase says what the next frame is used for, and it carries the data that only this phase needs::

    Waiting --AT_REST--> Looking --DECIDED--> Understood
       ^                    |                     |
       +-------MOVED--------+--------MOVED--------+

* ``Waiting``: something moves over the field, or did just now: hands pause over what they have done.
* ``Looking``: the table is at rest. Looks are taken until one of them is decided on; where the field is out of sight,
  it is searched for.
* ``Understood``: the table is at rest and decided on. It is left alone until something moves over it.

``TRANSITIONS`` is the only place that says which trigger leads where. A trigger that a phase does not list is a mistake
of the program and raises. People's commands are triggers as well: ``RECHECK`` asks for a new look at a table that was
decided on, ``LEAVE`` asks to leave it alone until something moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any, TypeAlias

from vision.decoding.posterior import Posterior
from vision.imaging.frame import Float32Array, Image
from vision.tracking.occlusion import OcclusionCheck
from vision.watching.looks import TurnedRings


@dataclass(frozen=True, eq=False)
class Waiting:
    """Something moves over the field, or did just now."""


@dataclass(frozen=True, eq=False)
class Looking:
    """The table is at rest and looked at."""

    occlusion: OcclusionCheck | None = None  # the field and what hides it; None asks for a new look
    rings: TurnedRings | None = None  # since the reference; None on boards without
    posterior: Posterior | None = None  # of the newest look
    mean_bgr: Image | Float32Array | None = None  # (H, W, 3), mean picture of the looks in ``belief.rest``


@dataclass(frozen=True, eq=False)
class Understood:
    """The table is at rest and decided on."""

    occlusion: OcclusionCheck | None = None  # None where people said to leave it alone
    posterior: Posterior | None = None  # of the look that was decided on


Phase: TypeAlias = Waiting | Looking | Understood


class Trigger(Enum):
    """The events that lead from one phase to the next."""

    MOVED = auto()  # something moved over the field, or the next photograph of a series was taken
    AT_REST = auto()  # nothing has moved there for long enough to look
    FOUND = auto()  # the field was found, or a person pointed at it
    DECIDED = auto()  # the table is understood
    RECHECK = auto()  # a person changed what is accepted: the table is to be looked at again
    LEAVE = auto()  # a person changed what is accepted: the table follows later, by hand


_ALWAYS: Mapping[Trigger, type[Phase]] = {Trigger.MOVED: Waiting, Trigger.LEAVE: Understood}
_AT_REST: Mapping[Trigger, type[Phase]] = {**_ALWAYS, Trigger.FOUND: Looking, Trigger.RECHECK: Looking}

TRANSITIONS: Mapping[type[Phase], Mapping[Trigger, type[Phase]]] = {
    Waiting: {**_ALWAYS, Trigger.AT_REST: Looking, Trigger.FOUND: Waiting, Trigger.RECHECK: Waiting},
    Looking: {**_AT_REST, Trigger.DECIDED: Understood},
    Understood: _AT_REST,
}


def next_phase(phase: Phase, trigger: Trigger, **data: Any) -> Phase:
    """Return the phase that a trigger leads to, with these of its fields; one that leads back to itself keeps the rest.

    Raises ``LookupError`` when the phase does not expect the trigger.
    """
    target = TRANSITIONS[type(phase)].get(trigger)
    if target is None:
        raise LookupError(f"{type(phase).__name__} does not expect {trigger.name}")
    return replace(phase, **data) if isinstance(phase, target) else target(**data)
