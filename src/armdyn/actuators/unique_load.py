"""Check that friction laws together leave one load for each force of the drive."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.base.errors import ModelError
from armdyn.model.friction import FrictionLaw

SIZES = 10.0 ** np.arange(-3, 7)
"""Sizes of the sampled loads, N m or N; friction is a straight line of the load, or steepest at large ones."""

RATES = np.array([1e-9, 1e-3, 1.0, 1e3])
"""Sampled velocities, rad/s or m/s, in both directions."""


def check_unique_load(laws: Sequence[FrictionLaw]) -> None:
    """Refuse laws whose sum falls as fast as the load rises: l + f(l) would be equal at several loads l.

    Each law of this library is above that by itself, so one alone is not checked.

    Raises:
        ModelError: the message has the slope of each law at the lowest sum.
    """
    by_load = [law for law in laws if law.depends_on_load]
    if len(by_load) < 2:
        return
    slopes = np.array(
        [
            [float(law.slopes(way * rate, load).by_load) for law in by_load]
            for rate in RATES
            for way in (-1.0, 1.0)
            for load in np.concatenate([-SIZES, SIZES])
        ]
    )
    lowest = slopes[np.argmin(slopes.sum(axis=1))]
    if lowest.sum() > -1.0:
        return
    parts = ", ".join(f"{type(law).__name__} {-slope:.3g}" for slope, law in zip(lowest, by_load, strict=True))
    raise ModelError(
        f"friction of Actuator takes {-lowest.sum():.3g} of a load that drives the joint ({parts}); expected less than "
        "1 in all. The losses of a gear are given once: by Gear(efficiency=...), or by a law of friction"
    )
