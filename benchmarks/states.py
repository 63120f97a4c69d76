"""Random states, the same for every library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]


@dataclass(frozen=True)
class States:
    """Positions, velocities, accelerations, joint forces, each (count, n), joints in the order of ``joint_names``."""

    joint_names: tuple[str, ...]
    q: Array
    qd: Array
    qdd: Array
    tau: Array

    @classmethod
    def random(cls, joint_names: tuple[str, ...], count: int, seed: int = 2) -> States:
        """General values, none of them special: angles over the whole turn, velocities up to 3 rad/s."""
        rng = np.random.default_rng(seed)
        shape = (count, len(joint_names))
        return cls(
            joint_names,
            q=rng.uniform(-np.pi, np.pi, shape),
            qd=rng.uniform(-3.0, 3.0, shape),
            qdd=rng.uniform(-10.0, 10.0, shape),
            tau=rng.uniform(-50.0, 50.0, shape),
        )

    def head(self, count: int) -> States:
        """The first ``count`` states."""
        return self._map(lambda values: np.ascontiguousarray(values[:count]))

    def ordered(self, joint_names: tuple[str, ...]) -> States:
        """The same states with the joints in another order."""
        columns = [self.joint_names.index(name) for name in joint_names]
        moved = self._map(lambda values: np.ascontiguousarray(values[:, columns]))
        return States(joint_names, moved.q, moved.qd, moved.qdd, moved.tau)

    def astype(self, dtype: type[np.floating]) -> States:
        """The same states in another precision."""
        return self._map(lambda values: values.astype(dtype))

    def __len__(self) -> int:
        return len(self.q)

    def _map(self, change: Callable[[Array], Array]) -> States:
        return States(self.joint_names, change(self.q), change(self.qd), change(self.qdd), change(self.tau))
