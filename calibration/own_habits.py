"""A measured table and its settled cases in, the table's own habits out: its profile keeps them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, replace

import numpy as np

from calibration.profile import Profile
from calibration.profile_folder import ProfileFolder
from calibration.step_texts import Refused, phrase
from vision.cases.table_habits import MIN_CASES, CaseLook, HabitFit, fit_habits, look_of_case

NEAR = 0.5  # distance from a point of the table within which that point of a case lies, spacings: no other is nearer


def learn_habits(
    tables: ProfileFolder,
    name: str,
    cases: Iterable[bytes],
    look_of: Callable[[bytes], CaseLook | None] = look_of_case,
    fit: Callable[[list[CaseLook]], HabitFit] = fit_habits,
) -> HabitFit:
    """Learn a table's habits, and keep them in its profile where they are better in cases that were left out.

    Raises Refused where the table is not known, or too few settled cases are of it.
    """
    profile, looks = tables.load(name), list[CaseLook]()
    for case in cases:
        with suppress(ValueError):  # of another version
            if (look := look_of(case)) is not None and _is_of(profile, look):
                looks.append(look)
    if len(looks) < MIN_CASES:
        raise Refused("habits.too_few", name=profile.name, n=len(looks), needed=MIN_CASES)
    outcome = fit(looks)
    if outcome.is_better:
        tables.save(replace(profile, habits=outcome))
    return outcome


def forget_habits(tables: ProfileFolder, name: str) -> None:
    """Referee a table by what holds for every table again. Raises Refused where it is not part."""
    tables.save(replace(tables.load(name), habits=None))


def habits_text(outcome: HabitFit, language: str) -> str:
    """Return what was found as a sentence, with its figures."""
    return phrase("habits.kept" if outcome.is_better else "habits.not_kept", language, **asdict(outcome))


def _is_of(profile: Profile, look: CaseLook) -> bool:
    """Return whether the board of a case lay where the table's lies."""
    part, case_px = profile.field, look.points_px
    if part is None or part.size_px != look.size_px or len(part.field.points_px) != len(case_px):
        return False
    apart = np.linalg.norm(part.field.points_px[:, None] - case_px[None], axis=2).min(axis=1)
    return bool((apart < NEAR * part.field.spacing_px).all())
