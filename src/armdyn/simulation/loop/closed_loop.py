"""An arm under its controller, step after step, as one compiled loop: thousands of arms at once, with gradients.

A controller is a `Function` of the robot, declared as every other. Its arguments are identified by name: ``q`` and
``qd`` are the state, ``t`` the time, ``h`` the length of a step; one that has the name of a result is the controller's
own *state* (an integral, a filter), which the result replaces; all others are *inputs*: references, gains. Its first
result is tau, which is held during the step; results that are neither are *signals*, which can be recorded.

If the robot has flexible joints (`armdyn.actuators.Spring`), the rotors move by themselves: their positions and
velocities at the joints, ``theta`` and ``thetad``, are part of the state, and may be arguments of a controller.

If friction has a state of its own (`armdyn.actuators.LuGre`, `MaxwellSlip`), the bristle deflection is part of the
state, as ``bristles``, in the order of the joints and their laws; it may be an argument of a controller. At a flexible
joint it follows the rotor.

If friction of a rigid joint depends on the load, the loads that were computed last are part of the state, as
``last_loads``, in the order of the joints: the next step's solution begins with them. They change the motion by
rounding errors only.

Joints with dry friction stick and slip (`armdyn.simulation.drivers.time_stepping`), rotors and links of flexible joints
each by itself; if they cannot, a `FrictionWarning` is issued.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.base.advice import answering
from armdyn.base.checks import number, switch, whole_number
from armdyn.base.errors import SettingError, ShapeError, warn_outside
from armdyn.base.imported import exported
from armdyn.base.named_tuples import named_tuple
from armdyn.base.threads import cached_property
from armdyn.constraints.dead_points import DeadPoints
from armdyn.constraints.equations import require_constraints
from armdyn.declaration import Function
from armdyn.functions import RolloutResults
from armdyn.functions.c_notes import said_of
from armdyn.functions.gains import free, kinds_of, single, spread, with_kinds
from armdyn.functions.motion_states import motion_states
from armdyn.functions.pickling import require_picklable
from armdyn.functions.rollout_call import names_of
from armdyn.functions.rollout_runs import Report
from armdyn.program import OperationCounts, Rollout
from armdyn.robot import Robot
from armdyn.simulation.drivers.grid import SaveAt
from armdyn.simulation.elements.bristles import motion_carries
from armdyn.simulation.elements.events import Event, checked_events
from armdyn.simulation.elements.own import refuse_for_states, start_of_states, state_count
from armdyn.simulation.elements.parts import AT_REST, Parts
from armdyn.simulation.elements.stops import Barriers
from armdyn.simulation.errors import DeadPointWarning
from armdyn.simulation.loop.as_trajectory import motion_of, recorded
from armdyn.simulation.loop.call_arguments import ROTORS, CallArguments, law_of, takes_brakes
from armdyn.simulation.loop.controlled_rollout import ControlledRollout
from armdyn.simulation.loop.controller import Controller
from armdyn.simulation.loop.friction import BRAKES, LoopBrakes, LoopFriction
from armdyn.simulation.loop.step import held_controller, step_function
from armdyn.simulation.methods.catalogue import Euler, FixedStep
from armdyn.simulation.other_arguments import OF_LOOPS
from armdyn.simulation.samples import ELEMENTS, checked_save
from armdyn.simulation.within_constraints import spanning_rows
from armdyn.targets.c.notes import Notes

if TYPE_CHECKING:
    from armdyn.motion.trajectory import Trajectory
    from armdyn.targets.c.code import CCode
    from armdyn.targets.cuda.kernel import CudaKernel

MEANINGS = {
    "q": "joint positions, rad or m",
    "qd": "joint velocities, rad/s or m/s",
    "theta": "positions of the rotors at the joints, rad or m",
    "thetad": "velocities of the rotors at the joints, rad/s or m/s",
    "bristles": "bending of friction with a state of its own, rad or m",
    "element_states": "states of elements of a user's own",
    "stop_force": "mean forces of stops during the step, N m or N",
    "contact_force": "mean forces of contacts during the step, N",
    "t": "the time, s",
    "h": "the length of the step, s",
    "tau": "joint forces, N m or N",
    "brakes": "1 of each brake that is engaged, 0 of one that is released",
    "f_tip": "wrench the tip applies, (m, f) in the tip frame, N m and N",
    "work": "of tau and f_tip, less what friction and the damping of springs take, J",
    "heat": "what friction and the damping of springs take, J",
    "last_loads": "what joints transmitted whose friction depends on it, N m or N: where its solution begins",
}
"""Meanings of the loop's own arrays, for comments in exported code."""


class ClosedLoop:
    """A robot, its controller and a fixed-step method, compiled to one loop over steps and arms.

    Args:
        robot: the robot that moves. Rows of its constraints that follow from others at all states are left out, with a
            note in ``loop.robot.notes``, unless the controller has inputs with a number for each row.
        controller: computes tau; without one, tau is an input.
        method: a fixed-step method, whose step is the controller's sample time.
        over_time: inputs with an axis of time before all others, (steps, ..., *shape).
        record: "q", "qd", "tau" and other states and signals, kept when a step begins.
        parameters: of the model, that become inputs, as of `Robot.compile`.
        running_cost: a `Function` of any of the loop's arrays, and of tau, with a scalar result: its integral over
            time, a sum of h times it, is the state "cost".
        energy: true to integrate the energies too: the state "work", J, is the work of tau and f_tip less the energy
            dissipated by friction; if joints have friction, the state "heat", J, is that dissipated energy. The damping
            of springs counts as friction.
        elements: parts of the mechanical system and their settings, as of `armdyn.simulate`. `Stops` and `Contact` push
            the links in the time step's boxed LCP, with restitution; their times are not located. `BrakeSwitches` names
            the brakes that the loop engages and releases: at its times, at those of the input ``brakes``, or, with an
            empty list for each joint, by a result "brakes" of the controller, from 0, released, to 1, engaged. Other
            brakes stay as the robot has them; at a flexible joint a brake holds the rotor.
            ``Constraints(project=True)`` projects q and qd onto the constraints after each step, in the compiled loop.
            An `Element` of your own is a force of positions and velocities; the states of an `ElementWithState` are the
            state ``element_states``, which begins with their own start values.
        require_traced: true to raise an error for a controller that cannot be traced. Otherwise it runs in Python, once
            per step and arm, and an `UntracedControllerWarning` names the line that prevents tracing; derivatives and
            exports refuse it.

    Raises:
        TraceError: a controller that is not a declared function.
        UnknownName: a name that the loop does not have.
        SettingError: a method without steps of one length; brakes that a joint does not have, or that could not hold;
            an element that closed loops do not have.

    A thousand arms that are pulled to the zero configuration:

    >>> robot = armdyn.load("ur5")
    >>> @armdyn.function("(n),(n),(),()->(n)")
    ... def spring(model, q, qd, stiffness, damping):
    ...     return armdyn.algorithms.gravity_forces(model, q) - stiffness * q - damping * qd
    >>> loop = armdyn.ClosedLoop(robot, spring, record=["q"])
    >>> rng = np.random.default_rng(0)
    >>> rolled = loop(rng.uniform(-1, 1, (1000, 6)), steps=500, stiffness=50.0, damping=np.full(1000, 5.0), every=100)
    >>> rolled.rows.q.shape, rolled.final.q.shape
    ((5, 1000, 6), (1000, 6))
    """

    @answering(OF_LOOPS)
    def __init__(
        self,
        robot: Robot,
        controller: Function | None = None,
        *,
        method: FixedStep | None = None,
        over_time: Iterable[str] = (),
        record: Iterable[str] = ("q", "qd"),
        parameters: Iterable[str] = (),
        running_cost: Function | None = None,
        energy: bool = False,
        elements: Sequence[Any] = (),
        require_traced: bool = False,
    ) -> None:
        if not isinstance(robot, Robot):
            raise SettingError(f"robot={robot!r} is not a Robot; armdyn.load('ur5') makes one from a name or a file")
        self.controller = None if controller is None else Controller(controller)
        parts = Parts.of(elements)
        self._elements = parts.settings
        robot = robot.with_elements(*parts.own) if parts.own else robot
        by_row = self.controller is not None and any("constraints" in a.shape for a in self.controller.inputs.values())
        if by_row:
            require_constraints(robot.model)
        else:
            robot = spanning_rows(robot)
        self.brakes = LoopBrakes.of(robot, parts.switches)
        self.robot, robot = robot, self.brakes.robot
        self.barriers = Barriers(robot, parts.stops, parts.contacts) if parts.stops or parts.contacts else None
        self.method = Euler() if method is None else method
        if not isinstance(self.method, FixedStep):
            raise SettingError(
                f"method={method!r} {'is a name' if isinstance(method, str) else 'has no steps of one length'}; "
                "a closed loop needs such as RungeKutta4(step=1e-3)"
            )
        if self.method.scheme.starter is not None:
            raise SettingError(
                f"{self.method} needs rates of steps ago, and a torque that changes with each step does not belong to "
                "them; expected a one-step method such as RungeKutta4(step=1e-3)"
            )
        self._running_cost, self._energy = running_cost, energy
        self._project = parts.constraints.project
        self._require_traced = switch("require_traced", require_traced, error=SettingError)
        _check_parts(robot, parts)
        if state_count(robot.model):
            refuse_for_states(robot, self.method)
        self._flexible = flexible_places(robot.model)
        parameters = (parameters,) if isinstance(parameters, str) else tuple(parameters)
        self.friction = LoopFriction.of(robot, self.method, parameters, self.brakes.joints)
        self._check_brakes(parts.switches)
        self.friction.warn()
        over_time = (over_time,) if isinstance(over_time, str) else tuple(over_time)
        over_time += ("t",) if self.controller is not None and self.controller.uses_time else ()
        over_time += (BRAKES,) if takes_brakes(self.controller, self.brakes) and BRAKES not in over_time else ()
        self.rollout = ControlledRollout(
            robot,
            self._step(self.controller),
            self.controller,
            self._step(held_controller(self.controller, running_cost)),
            over_time=over_time,
            record=record,
            parameters=parameters,
            require_traced=require_traced,
        )
        self._arguments = CallArguments(
            self.robot, self.rollout, self.method, self.brakes, parts.switches, self.barriers
        )

    def _step(self, controller: Controller | None) -> Function:
        """One step under a controller; without one, tau is an input."""
        return step_function(
            self.method.scheme,
            controller,
            self._running_cost,
            energy=self._energy,
            flexible=bool(self._flexible),
            bristles=motion_carries(self.robot, self.method),
            states=state_count(self.robot.model) > 0,
            sticks=self.barriers is not None or self.friction.sticks(energy=self._energy),
            loads=self.friction.loads(energy=self._energy),
            brakes=self.brakes,
            barriers=self.barriers,
            project=self._project,
        )

    @property
    def state(self) -> tuple[str, ...]:
        """Names of the states that are carried from step to step."""
        return self.rollout.state

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs of a call besides the state: references, gains, parameters of the model, f_tip."""
        return self._arguments.inputs

    @property
    def op_counts(self) -> OperationCounts:
        """Operation counts of one step of one arm."""
        return self.rollout.op_counts

    def program(self) -> Rollout:
        """The program of the rollout."""
        return self.rollout.program()

    def to_c(self, **options: Any) -> CCode:
        """One step of the loop as C99, its carried states in a struct, as `armdyn.program.Rollout.to_c` returns it.

        >>> armdyn.ClosedLoop(armdyn.load("ur5"), armdyn.control.pid).to_c(name="arm").functions[0].symbols
        ('arm_init', 'arm_step')
        """
        meanings = MEANINGS | (said_of(self.controller.function) if self.controller else {})
        method, law = str(self.method).partition(",")[0], self._arguments.law
        summary = f"One step of {self.robot.name!r}, {method}, under {law}"
        code: CCode = self.rollout.to_c(**{"notes": Notes(summary, meanings), "states": self._test_states} | options)
        return code

    def _test_states(self) -> dict[str, NDArray[Any]]:
        """States of the loop's motions, for programs that test its exports: its own step, rotors near their links."""
        states = motion_states(self.robot)
        if flexible_places(self.robot.model):
            states.setdefault("q", self.robot.random_configuration(0, 8))
            states.setdefault("qd", np.cos(np.arange(states["q"].size)).reshape(states["q"].shape))
            states |= {"theta": states["q"] + 1e-3 * states["qd"], "thetad": 1.01 * states["qd"]}
        states |= {name: values[None] for name, values in self.start_of_elements.items()}
        return states | {"h": np.array([self.method.step])}

    @property
    def start_of_elements(self) -> dict[str, NDArray[Any]]:
        """The states of elements at the beginning by the name of that state, if elements have some."""
        return {ELEMENTS: start_of_states(self.robot.model)} if state_count(self.robot.model) else {}

    to_fmu = exported("armdyn.fmi.sampled")

    def to_cuda(self, **options: Any) -> CudaKernel:
        """All steps of the loop as a kernel for NVIDIA's GPUs, an arm a thread: see `armdyn.program.Rollout.to_cuda`.

        >>> loop = armdyn.ClosedLoop(armdyn.load("planar_2r"), armdyn.control.pd_gravity, record=["q"])
        >>> loop.to_cuda(dtype="float32")
        <CUDA kernel euler_step_pd_gravity, float32: q (2), qd (2), h (), q_ref (2), qd_ref (2), Kp (2), Kd (2) ->
        q (2), qd (2), q (steps, 2)>
        """
        kernel: CudaKernel = self.rollout.to_cuda(**options)
        return kernel

    def __call__(
        self,
        q0: ArrayLike,
        qd0: ArrayLike | None = None,
        *,
        steps: int,
        every: int = 1,
        out: Mapping[str, NDArray[Any]] | None = None,
        workers: int | None = None,
        report: Report | None = None,
        **inputs: Any,
    ) -> RolloutResults:
        """Run the loop from an initial state.

        Args:
            q0: joint positions, rad or m, shape (..., n).
            qd0: joint velocities, rad/s or m/s, shape (..., n); at rest by default.
            steps: the number of steps.
            every: record every this many steps.
            out: arrays for the recorded quantities, by name, of shape (rows, ..., *shape).
            workers: the number of threads that share the arms; -1: one per core.
            report: called now and then with the fraction that is done.
            inputs: references, gains, parameters of the model ("link_6.mass" as link_6_mass), tau if there is no
                controller; states of the controller that do not begin at zero; h, s, for another step; t0, s, for
                another initial time; for a robot with flexible joints theta and thetad, the initial state of its
                rotors, q0 and qd0 by default; for a loop with brakes that its controller does not switch, brakes,
                switches by joint, e.g. {"joint_2": [(0.5, "engaged")]}, s, or numbers of shape (steps, ..., brakes).

        Returns:
            ``final``, the state after the last step, and ``rows``, the recorded quantities.

        Warns (`armdyn.simulation.StepWarning`) of a step that is too long for the springs of flexible joints, and, if
        "q" is recorded, of dead points of constraints on the way (`armdyn.simulation.DeadPointWarning`).

        Raises:
            RolloutInterrupted: Ctrl-C, a KeyboardInterrupt; ``error.rolled`` contains the results until then. Other
                errors in the middle, of a controller in Python or of ``report``, have it too.
        """
        loop, inputs = self._of_call(q0, qd0, inputs)
        arguments = loop._arguments.of_run(q0, qd0, inputs, steps)
        rolled = loop.rollout(**arguments, steps=steps, every=every, out=out, workers=workers, report=report)
        loop.warn_of_dead_points(rolled)
        return rolled

    def simulate(
        self,
        q0: ArrayLike,
        qd0: ArrayLike | None = None,
        *,
        steps: int,
        every: int = 1,
        save: SaveAt | None = None,
        events: Sequence[Event] = (),
        workers: int | None = None,
        report: Report | None = None,
        **inputs: Any,
    ) -> Trajectory:
        """The motion as a `Trajectory`, like that of `armdyn.simulate`: to be drawn, animated, saved, compared.

        It has q, qd, tau and the energy account; states and results of the controller, and its references, are signals,
        and so are ``stop_force`` and ``contact_force``, the mean forces of stops and contacts during each step.
        qdd follows from these by the equations of motion; for joints that stick and are flexible, have brakes that are
        switched, or friction that depends on the load or has a state, it is the change of qd from one row to the next.
        The last row has the state after the last step, with the forces of that step, and its change of qd.

        Args:
            q0: joint positions, rad or m, shape (..., n).
            qd0: joint velocities, rad/s or m/s, shape (..., n); at rest by default.
            steps: the number of steps.
            every: keep every this many steps.
            save: `SaveAt`, in the place of ``every``: times at which states are kept, s, also within steps. The state
                within a step is that after a step of a part of its length under the forces that it holds.
            events: `JointLimit`, `Plane`, `Crossing` to detect. Each occurrence, located within its step, is in
                ``trajectory.events``; one that is terminal ends the motion.
            workers: the number of threads that share the arms; -1: one per core.
            report: called now and then with the fraction that is done.
            inputs: as of a call, except parameters of the model; t0, s, is the first time of any trajectory.

        Raises:
            SettingError: a loop with parameters as inputs, whose arms are not ``robot``; steps of different lengths; a
                terminal event of a batch.
            ShapeError: a batch without states.
            SimulationInterrupted: Ctrl-C, a KeyboardInterrupt; ``error.trajectory`` has the motion until then. Other
                errors in the middle, of a controller in Python, of an event or of ``report``, have it too.

        >>> loop = armdyn.ClosedLoop(armdyn.load("planar_2r"), armdyn.control.pd_gravity)
        >>> aim = {"q_ref": [0.5, -0.5], "qd_ref": np.zeros(2), "Kp": np.full(2, 60.0), "Kd": np.full(2, 20.0)}
        >>> motion = loop.simulate([0.0, 0.0], steps=500, **aim)
        >>> motion
        <Trajectory of 'planar_2r': 501 times from 0 to 0.5 s, 2 joints; Euler, step 0.001 s>
        >>> sorted(motion.signals)
        ['q_ref', 'qd_ref']

        The motion until the first joint is half way:

        >>> half = armdyn.simulation.Crossing(lambda t, q, qd: q[0] - 0.25, "half", terminal=True)
        >>> motion = loop.simulate([0.0, 0.0], steps=500, events=[half], save=SaveAt(every=0.1), **aim)
        >>> motion.t.round(3), float(abs(motion.q[-1, 0] - 0.25)) < 1e-14
        (array([0.   , 0.1  , 0.2  , 0.3  , 0.331]), True)
        """
        if self.rollout.parameters:
            raise SettingError(
                f"parameters are inputs of this loop, so that its arms are not {self.robot.name!r} itself; make a loop "
                "of the robot that has them for a trajectory"
            )
        whole_number("steps", steps, least=1, error=SettingError)
        whole_number("every", every, least=1, error=ShapeError)
        if 0 in np.shape(q0)[:-1]:
            raise ShapeError(f"q0 holds no state: shape {np.shape(q0)}")
        save = checked_save(save)
        if every != 1 and not (save.times is None and save.every is None):
            raise SettingError(f"every={every!r} and {save!r} are both given; expected one of them")
        options: dict[str, Any] = {"every": every, "workers": workers, "report": report}
        return self._motion(q0, qd0, inputs, steps=steps, save=save, events=checked_events(events), **options)

    def _motion(
        self, q0: ArrayLike, qd0: ArrayLike | None, inputs: dict[str, Any], *, steps: int, **options: Any
    ) -> Trajectory:
        """The motion from an initial state under inputs by name, with the options of `motion_of`."""
        loop, inputs = self._recording._of_call(q0, qd0, inputs)
        t0 = number("t0", inputs.get("t0", 0.0), unit="s", error=SettingError)
        if not (self._arguments.takes_time or self._arguments.takes_brakes):
            inputs = {name: value for name, value in inputs.items() if name != "t0"}
        return motion_of(loop, loop._arguments.of_run(q0, qd0, inputs, steps), t0=t0, steps=steps, **options)

    @cached_property
    def _recording(self) -> ClosedLoop:
        """The loop with its energies, recording everything that a trajectory contains."""
        controller = None if self.controller is None else self.controller.function
        return self._again(controller, {"energy": True, "record": recorded(self)})

    @property
    def flexible(self) -> bool:
        """True if any joint has a spring."""
        return bool(self._flexible)

    def jvp(self, *wrt: str) -> Callable[..., RolloutResults]:
        """The rates of the results if inputs, or the initial state, change: a function called like the loop.

        For every name X it takes one more array ``tangent_X``, the rate of X or a direction, of its shape, like
        `armdyn.functions.CompiledRollout.jvp`.

        Args:
            wrt: names of inputs, or of the state for the initial one; all change together. An argument that a call
                leaves out and that defaults to another changes with that one: theta with q, thetad with qd, t with t0
                    and h.

        Raises:
            UnknownName: a name that the loop does not take.

        >>> @armdyn.function("(n),(n),()->(n)")
        ... def spring(model, q, qd, stiffness):
        ...     return armdyn.algorithms.gravity_forces(model, q) - stiffness * q - 5.0 * qd
        >>> loop = armdyn.ClosedLoop(armdyn.load("ur5"), spring)
        >>> rates = loop.jvp("stiffness")(np.ones(6), steps=100, stiffness=50.0, tangent_stiffness=1.0)
        >>> stiffer, softer = (loop(np.ones(6), steps=100, stiffness=k) for k in (50.01, 49.99))
        >>> bool(np.allclose(rates.final.q, (stiffer.final.q - softer.final.q) / 0.02, atol=1e-8))
        True
        """
        names = self._names_of(wrt) or tuple(name for name in self.rollout.required if name not in ("t", *ROTORS))
        self.rollout.jvp(*self._arguments.derivatives.wrt(names))  # or the error for a name that the loop does not take
        return partial(self._along, names)

    def _along(
        self,
        wrt: tuple[str, ...],
        q0: ArrayLike,
        qd0: ArrayLike | None = None,
        *,
        steps: int,
        **inputs: Any,
    ) -> RolloutResults:
        """The rates of the results, with the options of a call."""
        options = {name: inputs.pop(name) for name in ("every", "out", "workers", "report") if name in inputs}
        loop, inputs = self._of_call(q0, qd0, inputs, wrt)
        own = {name: value for name, value in inputs.items() if name != "tangent_t0" or "t0" not in wrt}
        arguments = loop._arguments.of_call(q0, qd0, own, steps) | self._arguments.derivatives.tangents(
            wrt, inputs, steps
        )
        if "tangent_t" in arguments and "t" not in wrt:
            arguments["tangent_t"] = arguments["tangent_t"].astype(arguments["t"].dtype)
        rates = loop.rollout.jvp(*self._arguments.derivatives.wrt(wrt))
        return rates(**arguments, steps=steps, **options)

    def gradient(
        self,
        cost: Function,
        wrt: Iterable[str],
        /,
        q0: ArrayLike,
        qd0: ArrayLike | None = None,
        *,
        steps: int,
        workers: int | None = None,
        **inputs: Any,
    ) -> Any:
        """A cost of the final state, and its gradients by inputs and by the initial state.

        Args:
            cost: a `Function` of some of the state, with a scalar result.
            wrt: names of inputs, or of the state for the initial one; total derivatives: theta that is left out, and
                not named here, moves with q, thetad with qd, and t with t0 and h.
            q0: joint positions, rad or m, shape (..., n).
            qd0: joint velocities, rad/s or m/s, shape (..., n); at rest by default.
            steps: the number of steps.
            workers: the number of threads that share the arms; -1: one per core.
            inputs: as of a call.

        Returns:
            A named tuple: ``cost``, shape (...), and ``d_X`` for each name X, (..., *shape), or (steps, ..., *shape) of
            an input over time.

        Raises:
            KeyboardInterrupt: Ctrl-C. Gradients are complete when the adjoint has returned to the first step; until
                then nothing is kept.
        """
        names, total = self._names_of(wrt), self._arguments.derivatives
        loop, inputs = self._of_call(q0, qd0, inputs, names)
        arguments = loop._arguments.of_call(q0, qd0, inputs, steps)
        by = loop.rollout.gradient(cost, total.wrt(names), **arguments, steps=steps, workers=workers)
        gradients = total.gradients(names, inputs, dict(zip(total.wrt(names), by[1:], strict=True)))
        words = (f"d_{self._arguments.word(name)}" for name in names)
        return named_tuple("Gradient", ["cost", *words])(by[0], *gradients.values())

    def _names_of(self, wrt: Iterable[str]) -> tuple[str, ...]:
        """Names by which derivatives are requested, without repetition, with "link_6.mass" for "link_6_mass"."""
        names = (wrt,) if isinstance(wrt, str) else tuple(wrt)
        words = {word: name for name, word in self.rollout._inputs.words.items()}
        return names_of([words.get(name, name) for name in names], "differentiated by", self.rollout.function)

    def _of_call(
        self, q0: Any, qd0: Any, inputs: dict[str, Any], wrt: tuple[str, ...] = ()
    ) -> tuple[ClosedLoop, dict[str, Any]]:
        """The loop for gains of these shapes, and the inputs; numbers stay numbers only to differentiate by."""
        self._arguments.refuse_unknown(inputs)
        function = None if self.controller is None else self.controller.function
        if function is None or not free(function):
            return self, inputs
        named = {"q": q0, "qd": qd0} | inputs
        shapes = {name: self.rollout.shape_of(name) for name in named if name in self.rollout._inputs.shapes}
        kinds = kinds_of(function, named, shapes, self.rollout.over_time)
        numbers = [name for name, kind in kinds.items() if kind == "number"]
        dtype, changed = self._arguments.dtype(q0, qd0, inputs), {}
        for name in numbers:
            if name in wrt:
                changed[name] = single(inputs[name])
            else:
                changed[name] = spread(inputs[name], shapes[name][0], dtype)
                del kinds[name]
        return self._of_kinds(kinds), inputs | changed

    def _of_kinds(self, kinds: Mapping[str, str]) -> ClosedLoop:
        """The loop of the controller with gains of chosen kinds, made once."""
        if not kinds or self.controller is None:
            return self
        key = tuple(kinds.items())
        if key not in self._kinds:
            self._kinds[key] = self._again(with_kinds(self.controller.function, kinds), {})
        return self._kinds[key]

    @cached_property
    def _kinds(self) -> dict[tuple[tuple[str, str], ...], ClosedLoop]:
        return {}

    def _again(self, controller: Function | None, changes: Mapping[str, Any]) -> ClosedLoop:
        """The loop with other settings; warnings issued when this one was made are not repeated."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ClosedLoop(self.robot, controller, **(self._settings() | dict(changes)))

    def warn_of_dead_points(self, rolled: RolloutResults) -> None:
        """Warn of recorded motions that pass a dead point; the steps of a loop do not keep branches apart there."""
        rows = getattr(rolled.rows, "q", None)
        if rows is None or not self.robot.model.constraints or self.rollout.parameters:
            return
        path = np.concatenate([rows, np.asarray(rolled.final.q)[None]]).astype(float)
        passing = DeadPoints(self.robot, "error").on_path(path) if path.size else np.zeros(0, dtype=bool)
        if passing.any():
            some = "" if passing.ndim == 0 else f" in {int(passing.sum())} of {passing.size} motions"
            warn_outside(
                f"{self.robot.name!r} passes a dead point of its constraints{some}, where a closed loop may go on "
                "along another branch; armdyn.simulate keeps the branch",
                DeadPointWarning,
            )

    def _check_brakes(self, given: Mapping[str, Any]) -> None:
        """Refuse brakes that would not hold, and a controller whose result switches none."""
        if self.friction.obstacle is not None:
            for what, is_given in (("brakes", bool(self.brakes)), ("stops and contacts", self.barriers is not None)):
                if is_given:
                    raise SettingError(
                        f"{what} of {self.robot.name!r} would not hold their joints, for {self.friction.obstacle}"
                    )
        switches, law = self.controller is not None and BRAKES in self.controller.results, law_of(self.controller)
        if switches and not self.brakes:
            raise SettingError(
                f"{law} has a result {BRAKES!r}, but the loop was given no brakes; name their joints in "
                "ClosedLoop(..., elements=[BrakeSwitches({'joint': []})])"
            )
        if switches and any(given.values()):
            raise SettingError(
                f"{law} has a result {BRAKES!r}, so that BrakeSwitches has no times; give an empty list for each joint"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        controller = None if self.controller is None else self.controller.function
        for function in (controller, self._running_cost):
            require_picklable(function)
        return partial(ClosedLoop, self.robot, controller, **self._settings()), ()

    def _settings(self) -> dict[str, Any]:
        """The settings of the loop, in addition to the robot and the controller."""
        return {
            "method": self.method,
            "over_time": tuple(name for name in self.rollout.over_time if name not in ("t", BRAKES)),
            "record": self.rollout.record,
            "parameters": self.rollout.parameters,
            "running_cost": self._running_cost,
            "energy": self._energy,
            "elements": self._elements,
            "require_traced": self._require_traced,
        }

    def __repr__(self) -> str:
        law = "tau given" if self.controller is None else self.controller.function.name
        return f"<closed loop of {self.robot.name!r}: {law}, {self.method}>"


def _check_parts(robot: Robot, parts: Parts) -> None:
    """Refuse elements that a loop does not have, or that have nothing to act on."""
    if parts.constraints.project and not robot.model.constraints:
        raise SettingError(
            f"Constraints(project=True), but {robot.name!r} has no constraints to project onto; leave it out"
        )
    if parts.constraints.redundant != "auto":
        raise SettingError(
            f"Constraints(redundant={parts.constraints.redundant!r}) is not of closed loops; expected 'auto', which "
            "leaves out rows that follow from others"
        )
    if parts.start is not AT_REST:
        raise SettingError("Start is of one motion; a call of the loop takes theta=, thetad= and bristles=")
