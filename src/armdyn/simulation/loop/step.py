"""One step of a closed loop as a declared function, which `armdyn.functions.CompiledRollout` repeats.

The loads of joints whose friction depends on them are carried from step to step. Newton's method begins with them
(`armdyn.algorithms.load_friction`): they decide how many steps it takes, and the motion to rounding only. The load of a
flexible joint's friction is the force of its spring, which the state gives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.actuators.flexible_joints import flexible_places, parted, stacked
from armdyn.algorithms.elements import without_states
from armdyn.base.errors import ShapeError, TraceError, UnknownName, excerpt
from armdyn.base.fields import set_fields
from armdyn.base.named_tuples import named_tuple
from armdyn.declaration import Argument, Function, MadeFunction, Shape
from armdyn.model.model import Model
from armdyn.program import clip
from armdyn.simulation.drivers.time_stepping import time_step
from armdyn.simulation.elements.bristles import NAME as BRISTLES
from armdyn.simulation.elements.bristles import SIZES
from armdyn.simulation.elements.own import SIZES as ELEMENT_SIZES
from armdyn.simulation.elements.stops import Barriers
from armdyn.simulation.equations import SOURCES
from armdyn.simulation.loop.friction import BRAKES, LoopBrakes
from armdyn.simulation.methods.formulas import Scheme
from armdyn.simulation.samples import ELEMENTS
from armdyn.simulation.system.arm_in_step import moved
from armdyn.simulation.system.frictional_arm import FrictionalArm
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.simulation.loop.controller import Controller

LOADS = "last_loads"
"""Name of the state with the last computed loads of these joints on their links, N m or N, in their order."""


def step_function(
    scheme: Scheme,
    controller: Controller | None,
    running_cost: Function | None,
    *,
    energy: bool,
    flexible: bool = False,
    bristles: bool = False,
    states: bool = False,
    sticks: bool = False,
    loads: bool = False,
    brakes: LoopBrakes | None = None,
    barriers: Barriers | None = None,
    project: bool = False,
) -> Function:
    """One step as a `Function` whose results have the names of the arguments they replace."""
    motion: dict[str, Shape] = {"q": ("n",), "qd": ("n",)}
    motion |= {"theta": ("n",), "thetad": ("n",)} if flexible else {}
    motion |= {BRISTLES: (BRISTLES,)} if bristles else {}
    motion |= {ELEMENTS: (ELEMENTS,)} if states else {}
    own = dict(motion)
    own |= {"work": ()} if energy else {}
    own |= {"heat": ()} if energy and sticks else {}
    own |= {LOADS: (LOADS,)} if loads else {}
    own |= dict(scheme.memory)
    own |= {"cost": ()} if running_cost else {}
    own |= controller.state_beside((*own, "h", "t", "f_tip")) if controller else {}
    arguments = [Argument(name, shape) for name, shape in own.items()]
    arguments += [Argument("h", ())] + ([Argument("t", ())] if controller and controller.uses_time else [])
    inputs = [a for name, a in controller.inputs.items() if name not in motion] if controller else []
    arguments += inputs if controller else [Argument("tau", ("n",))]
    switched = bool(brakes) and (controller is None or BRAKES not in controller.results)
    if switched and BRAKES not in {a.name for a in arguments}:
        arguments += [Argument(BRAKES, (BRAKES,))]
    arguments += [Argument("f_tip", (6,), optional=True)]
    names = _checked_names(arguments, running_cost)
    signals = dict(zip(controller.results, controller.function.outputs, strict=True)) if controller else {}
    results = own | {name: shape for name, shape in signals.items() if name not in own} | pushes_of(barriers)
    kind = named_tuple("Step", results)

    def step(model: Any, *arrays: Any) -> Any:
        values = dict(zip(names, arrays, strict=True))
        values |= rotors_of(model, values) if flexible else {}
        after = {} if controller is None else controller.run(without_states(model), values)
        acting = {**values, "tau": after.get("tau", values.get("tau"))}
        if sticks:
            inputs = clip(after[BRAKES], 0.0, 1.0) if BRAKES in after else values.get(BRAKES)
            arm = brakes.on(model, inputs) if brakes else model
            after |= stuck_or_slipped(scheme, arm, acting, bristles=bristles, project=project, barriers=barriers)
        else:
            after |= moved(scheme, model, acting, bristles=bristles, project=project)
        if running_cost is not None:
            after["cost"] = values["cost"] + values["h"] * running_cost(model, *_arguments_of(running_cost, acting))
        return kind(*(after[name] for name in results))

    parts = [
        "bristles" if bristles else "",
        "stick_slip" if sticks else "",
        "in_contact" if barriers else "",
        f"{scheme.name}_step",
        controller.function.name if controller else "",
        "projected" if project else "",
    ]
    name = "_".join(filter(None, parts))
    step.__name__, step.__doc__ = name, f"One step of {scheme.name} under {name}."
    sizes = dict(controller.function.sizes) if controller else {}
    sizes |= {BRAKES: partial(_count, brakes)} if brakes else {}
    sizes |= (SIZES if bristles else {}) | (ELEMENT_SIZES if states else {}) | ({LOADS: _load_count} if loads else {})
    settings: dict[str, Any] = {"energy": energy, "flexible": flexible, "bristles": bristles, "states": states}
    settings |= {"sticks": sticks, "loads": loads, "brakes": brakes, "barriers": barriers, "project": project}
    remake = partial(step_function, scheme, controller, running_cost, **settings)
    declared = MadeFunction(
        step, name, "closed loop", tuple(arguments), tuple(results.values()), {}, kind, sizes, made=remake
    )
    if controller is None and running_cost is None and not brakes and not barriers:  # a name does not identify these
        set_fields(declared, sources=(*SOURCES, "actuators") if flexible or bristles else SOURCES)
    return declared


def rotors_of(model: Any, values: Mapping[str, Any]) -> dict[str, Array]:
    """theta and thetad of all joints, by name: at rigid joints those of the links, whatever is given."""
    places = flexible_places(model.model)
    pairs = {"theta": "q", "thetad": "qd"}
    return {
        name: parted(stacked(values[of_links], values[name], places), model.dof, places)[1]
        for name, of_links in pairs.items()
    }


def stuck_or_slipped(
    scheme: Scheme,
    model: Any,
    acting: Mapping[str, Any],
    *,
    bristles: bool,
    project: bool,
    barriers: Barriers | None = None,
) -> dict[str, Any]:
    """The state a step later if joints stick and slip, hit stops and contacts."""
    arm = FrictionalArm(model, acting, bristles=bristles, near=acting.get(LOADS))
    energies = np.array([acting.get("work", 0.0), acting.get("heat", 0.0)], dtype=object)
    state = (arm.x, arm.v, energies, *(acting[name] for name in scheme.memory))
    x, v, energies, *later = time_step(scheme, arm, state, acting["h"], barriers)
    memory, states = dict(zip(scheme.memory, later, strict=False)), later[len(scheme.memory) :]
    x, v = arm.projected(x, v) if project else (x, v)
    stops = 0 if barriers is None else barriers.stops
    pushes = {"stop_force": arm.pushes[:stops], "contact_force": arm.pushes[stops:]}
    return arm.later(x, np.concatenate([v, *states]), *energies) | {LOADS: arm.last_loads} | pushes | memory


def pushes_of(barriers: Barriers | None) -> dict[str, Shape]:
    """The mean forces of stops and contacts during a step, results of its function, by name, with their shapes."""
    counts = {} if barriers is None else {"stop_force": barriers.stops, "contact_force": barriers.contacts}
    return {name: (count,) for name, count in counts.items() if count}


def held_controller(controller: Controller | None, running_cost: Function | None) -> Controller | None:
    """A controller whose tau is an input, in the place of another; None if nothing else of that one is needed."""
    if controller is None or running_cost is None:
        return None
    return type(controller)(_held_function(controller, running_cost))


def _held_function(controller: Controller, running_cost: Function) -> Function:
    function, costs = controller.function, {a.name for a in running_cost.arguments} - {"tau"}
    arguments = (Argument("tau", ("n",)), *(a for a in function.arguments if a.name in costs))
    remake = partial(_held_function, controller, running_cost)
    return MadeFunction(_held, "held", "held tau", arguments, (("n",),), {}, None, function.sizes, {}, remake)


def _held(model: Any, tau: Any, *_: Any) -> Any:
    """Joint forces tau, N m or N, shape (..., n), that are held during the step."""
    return tau


def _count(brakes: LoopBrakes, model: Any) -> int:
    """The number of brakes that are inputs."""
    return len(brakes)


def _load_count(model: Model) -> int:
    """The number of rigid joints with friction that depends on the load."""
    rigid = (joint for joint in model.joints if not joint.has_spring)
    return sum(any(law.depends_on_load for law in joint.laws) for joint in rigid)


def _checked_names(arguments: Sequence[Argument], running_cost: Function | None) -> list[str]:
    """The names of the arrays of a loop, whose running cost is one of them and of tau.

    Raises:
        TraceError: a value that is not a declared function.
        UnknownName: an array that the loop does not have.
        ShapeError: a result that is not one scalar.
    """
    names = [a.name for a in arguments]
    if running_cost is None:
        return names
    if not isinstance(running_cost, Function):
        raise TraceError(
            f"running_cost={excerpt(running_cost)} is not a declared function; write @armdyn.function('(n),(n)->()') "
            "above it, with a shape for each array after the model, such as q and tau"
        )
    candidates = list(dict.fromkeys([*names, "tau"]))
    for argument in running_cost.arguments:
        if argument.name not in candidates:
            raise UnknownName.of(
                "array", argument.name, candidates, f"the closed loop that {running_cost.name} is a cost of"
            )
    if running_cost.outputs != ((),):
        shapes = ",".join(f"({','.join(map(str, shape))})" for shape in running_cost.outputs)
        raise ShapeError(f"{running_cost.name} gives {shapes}; expected one scalar, (), the cost of a second")
    return names


def _arguments_of(running_cost: Function, values: Mapping[str, Any]) -> list[Any]:
    arguments = (values[argument.name] for argument in running_cost.arguments)
    return [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
