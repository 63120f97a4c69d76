"""Selection among the drives that fulfil the task: the Pareto front of mass and loss, and the chosen drive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from armdyn.actuators.motor import Motor
from armdyn.base.errors import ModelError, UnknownName
from armdyn.sizing.catalogue import Catalogue
from armdyn.sizing.gear_entry import CatalogueGear
from armdyn.sizing.history import DriveHistory, drive_history
from armdyn.sizing.judging import CRITERIA, Judgement
from armdyn.sizing.load import JointLoad
from armdyn.sizing.matching import task_matching_ratio
from armdyn.spatial.rotations import Array

PREFERENCES = ("mass", "loss")


@dataclass(frozen=True)
class Choice:
    """A motor and a gear of the catalogue.

    Args:
        motor: name of the motor.
        gear: name of the gear.
        mass: mass of both, kg.
        loss: mean power of I^2 R at the ambient temperature, of friction of the shaft and of the gear, W.
    """

    motor: str
    gear: str
    mass: float
    loss: float


@dataclass(frozen=True, eq=False)
class JointSizing:
    """All pairs of a motor and a gear for one joint.

    Args:
        load: load of the joint over the task.
        catalogue: motors and gears to choose from.
        judgement: values, limits and bounds of all pairs.
        prefer: "mass" or "loss".
    """

    load: JointLoad
    catalogue: Catalogue
    judgement: Judgement
    prefer: str = "mass"

    @property
    def pareto(self) -> list[Choice]:
        """The Pareto-optimal drives in mass and loss, from the lightest to the one with the least loss."""
        mass, loss = self.judgement.mass.ravel(), self.judgement.loss.ravel()
        places = np.flatnonzero(self.judgement.admitted)
        places = places[np.lexsort((loss[places], mass[places]))]
        before = np.minimum.accumulate(np.concatenate([[np.inf], loss[places]]))[:-1]  # least loss of the lighter ones
        return [self._choice(int(place)) for place in places[loss[places] < before]]

    @property
    def best(self) -> Choice | None:
        """The preferred end of the Pareto front; None if no drive fulfils the task."""
        front = self.pareto
        return None if not front else front[0] if self.prefer == "mass" else front[-1]

    def _choice(self, place: int) -> Choice:
        m, g = np.unravel_index(place, self.judgement.shape)
        motor, gear = list(self.catalogue.motors)[m], list(self.catalogue.gears)[g]
        return Choice(motor, gear, float(self.judgement.mass[m, g]), float(self.judgement.loss[m, g]))

    @property
    def reasons(self) -> dict[str, int]:
        """The number of pairs that fail each criterion; a pair may fail several."""
        counts = {name: int(self.judgement.exceeded(name).sum()) for name in CRITERIA}
        return {name: count for name, count in counts.items() if count}

    @property
    def nothing(self) -> str:
        """The reason why the joint has no drive: the criteria, ordered by the number of pairs that fail them."""
        reasons = sorted(self.reasons.items(), key=lambda item: -item[1])
        named = ", ".join(f"{name} ({count})" for name, count in reasons)
        return f"no drive for {self.load.name!r} among {self.judgement.mass.size} pairs; they fail by {named}"

    def why(self, motor: str, gear: str) -> list[str]:
        """The criteria that a pair fails, with the numbers; empty if it fulfils the task.

        Raises:
            UnknownName: a motor or gear that the catalogue does not have.
        """
        m, g = self._place(motor, gear)
        return [
            f"{CRITERIA[name].what} is {value:.4g} {CRITERIA[name].unit}".rstrip() + f", limit {limit:.4g}"
            for name, value, limit in self._exceeded(m, g)
        ]

    def _exceeded(self, m: int, g: int) -> Iterator[tuple[str, float, float]]:
        shape = self.judgement.shape
        for name in CRITERIA:
            if self.judgement.exceeded(name)[m, g]:
                pair = (np.broadcast_to(of[name], shape)[m, g] for of in (self.judgement.values, self.judgement.limits))
                yield (name, *map(float, pair))  # type: ignore[misc]

    def _place(self, motor: str, gear: str) -> tuple[int, int]:
        motors, gears = list(self.catalogue.motors), list(self.catalogue.gears)
        for kind, name, choices in (("motor", motor, motors), ("gear", gear, gears)):
            if name not in choices:
                raise UnknownName.of(kind, name, choices, "the catalogue")
        return motors.index(motor), gears.index(gear)

    def parts(self, choice: Choice | None) -> tuple[Motor, CatalogueGear]:
        """The motor and gear of a choice.

        Raises:
            ModelError: a choice of None, the value of `best` if no drive fulfils the task.
        """
        if choice is None:
            raise ModelError(f"choice is None; {self.nothing if self.best is None else 'expected one of pareto'}")
        return self.catalogue.motors[choice.motor], self.catalogue.gears[choice.gear]

    def history(self, choice: Choice | None) -> DriveHistory:
        """Every quantity of a drive over the task, sample by sample, with the temperatures."""
        return drive_history(self.load, *self.parts(choice))

    def matching_ratio(self, choice: Choice | None) -> float:
        """The gear ratio with the least rms torque of the motor of a choice, with the inertia of its gear."""
        motor, gear = self.parts(choice)
        inertia = motor.rotor_inertia + gear.inertia
        return task_matching_ratio(self.load, inertia) if inertia else np.inf

    def columns(self) -> dict[str, Array]:
        """A table of all pairs: joint, motor, gear, mass, loss, each value, and the failed criteria."""
        motors, gears = list(self.catalogue.motors), list(self.catalogue.gears)
        shape, count = self.judgement.shape, len(motors) * len(gears)
        failed = [""] * count
        for name in CRITERIA:
            for place in np.flatnonzero(self.judgement.exceeded(name)):
                failed[place] += f"{'; ' if failed[place] else ''}{name}"
        values = {name: np.broadcast_to(self.judgement.values[name], shape).ravel() for name in CRITERIA}
        return {
            "joint": np.full(count, self.load.name),
            "motor": np.repeat(motors, len(gears)),
            "gear": np.tile(gears, len(motors)),
            "mass": self.judgement.mass.ravel(),
            "loss": self.judgement.loss.ravel(),
            **values,
            "winding_at_most": np.broadcast_to(self.judgement.winding_at_most, shape).ravel(),
            "fails_by": np.array(failed),
        }
