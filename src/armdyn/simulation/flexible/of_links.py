"""The projection of arms with flexible joints onto their constraints, which say nothing of rotors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.simulation.drift import Corrector
from armdyn.spatial.rotations import Array


@dataclass(frozen=True)
class OfLinks:
    """A `Corrector` of stacked positions, of links and behind them of rotors, and of their rates.

    Args:
        corrector: of the links.
        dof: how many links' positions there are.
    """

    corrector: Corrector
    dof: int

    @classmethod
    def of(cls, corrector: Corrector | None, dof: int) -> OfLinks | None:
        """That of a corrector, if there is one."""
        return None if corrector is None else cls(corrector, dof)

    def after_step(
        self, x: Array, xd: Array, held: Array | None = None, /, *, since: Array | None = None
    ) -> tuple[Array, Array]:
        """The state that a step is followed by."""
        links = x[..., : self.dof], xd[..., : self.dof], self._of_links(held)
        before = None if since is None else since[..., : self.dof]
        return self._behind(x, xd, *self.corrector.after_step(*links, since=before))

    def onto(self, x: Array, xd: Array, held: Array | None = None, /) -> tuple[Array, Array]:
        """The same of a state between two steps."""
        links = x[..., : self.dof], xd[..., : self.dof], self._of_links(held)
        return self._behind(x, xd, *self.corrector.onto(*links))

    def _of_links(self, held: Array | None) -> Array | None:
        """The rows that are held and say something of links."""
        if held is None:
            return None
        rows = held[:, : self.dof]
        return rows[rows.any(axis=1)]

    def _behind(self, x: Array, xd: Array, q: Array, qd: Array) -> tuple[Array, Array]:
        rotors, rates = x[..., self.dof :], xd[..., self.dof :]
        return np.concatenate([q, rotors], axis=-1), np.concatenate([qd, rates], axis=-1)
