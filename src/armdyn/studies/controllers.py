"""Controllers that a scenario names. Each compensates the robot as described, not its variations from run to run."""

from __future__ import annotations

from collections.abc import Mapping

from armdyn.simulation.loop.controller import Controller
from armdyn.studies.declared_controllers import declared

NONE = "none"
"""The key of a scenario without a controller: tau is an input, zero if it is not given."""

FORMER: Mapping[str, str] = {"pd": "pd_gravity", "target": "q_ref", "kp": "Kp", "kd": "Kd"}
"""Former keys of scenarios, and the present ones, which are the names in `armdyn.control`."""


def inputs_of_any() -> frozenset[str]:
    """The names of the inputs of all controllers, which an arm without one does not take."""
    return frozenset(name for function in declared().values() for name in Controller(function).inputs)


def offered() -> tuple[str, ...]:
    """The names of all controllers of scenarios."""
    return (NONE, *declared())
