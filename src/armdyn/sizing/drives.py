"""Motors and gears for the joints of an arm: evaluated and chosen repeatedly, with their masses on the links."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.actuators import Actuator
from armdyn.base.advice import option
from armdyn.base.checks import choice as one_of
from armdyn.base.checks import number, switch, whole_number
from armdyn.base.errors import DTypeError, ModelError, UnknownName, excerpt
from armdyn.base.extras import extra
from armdyn.base.tabular import Tabulated, TextTable
from armdyn.robot import Robot
from armdyn.sizing.arm_loads import joint_loads, with_masses
from armdyn.sizing.catalogue import Catalogue
from armdyn.sizing.choosing import PREFERENCES, Choice, JointSizing
from armdyn.sizing.judging import judge
from armdyn.sizing.pairs import Gears, Motors, Pairs
from armdyn.sizing.task import MotionCycle
from armdyn.sizing.unsaid import notes_on_motor, notes_on_task

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_ROUNDS = 20

LEAST_LEAD = 1e-9
"""Smallest lead of a screw, m per turn."""

Selection = tuple[Choice | None, ...]


@dataclass(frozen=True, eq=False)
class Sizing(Tabulated):
    """Drives for the joints of an arm.

    Args:
        robot: the given arm.
        task: the motion of the arm.
        joints: evaluation of each joint in the last round, by name.
        rounds: the choices of each round, in the order of the joints; None if no drive fulfils the task.
        settled: True if the last two rounds made equal choices, so that the drives carry their own masses.
        notes: remarks on the result, one sentence each.
        turns: ratio of the screws of prismatic joints, rad/m.
        mounts: by joint, the frame whose origin is the position of its drive.
    """

    robot: Robot
    task: MotionCycle
    joints: Mapping[str, JointSizing]
    rounds: tuple[Selection, ...]
    settled: bool
    notes: tuple[str, ...]
    turns: Mapping[str, float]
    mounts: Mapping[str, str]

    @property
    def best(self) -> dict[str, Choice | None]:
        """The choice of the last round by joint; None if no drive fulfils the task."""
        return dict(zip(self.joints, self.rounds[-1], strict=True))

    @property
    def pareto(self) -> dict[str, list[Choice]]:
        """The Pareto-optimal drives in mass and loss, by joint."""
        return {name: joint.pareto for name, joint in self.joints.items()}

    @property
    def mass(self) -> float:
        """Mass of the chosen drives, kg."""
        return sum(choice.mass for choice in self.rounds[-1] if choice is not None)

    def robot_with_drives(self) -> Robot:
        """The arm with the chosen drives: their masses on the links, their motors and gears at the joints.

        Springs and brakes of its joints are preserved.
        """
        chosen = {name: choice for name, choice in self.best.items() if choice is not None}
        loaded = with_masses(self.robot, {name: choice.mass for name, choice in chosen.items()}, self.mounts)
        actuators, of_joints = {}, {}
        for name, choice in chosen.items():
            motor, gear = self.joints[name].parts(choice)
            turns = self.turns.get(name, 1.0)
            joint = self.robot.model.joint(name)
            before = joint.actuator if isinstance(joint.actuator, Actuator) else Actuator(friction=())
            actuators[name] = Actuator(
                motor, gear.gear(turns), before.friction or (), spring=before.spring, brake=before.brake
            )
            of_joints[name] = joint.damping, joint.friction  # these act on the link side if there is a spring
        return loaded.with_armature(dict.fromkeys(actuators, 0.0)).with_actuators(actuators).with_friction(of_joints)

    def columns(self) -> dict[str, Any]:
        """A table of all pairs of all joints, with the columns of `JointSizing.columns`."""
        parts = [joint.columns() for joint in self.joints.values()]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def table(self) -> TextTable:
        """The chosen drives, one row per joint: mass, loss, and the requirements of the task."""
        headings: tuple[str, ...] = ("joint", "motor", "gear", "mass [kg]", "loss [W]", "torque [N m]", "speed [rad/s]")
        headings += ("rms current [A]", "voltage [V]", "winding [°C]", "ratio", "least-torque ratio")
        rows: list[tuple[Any, ...]] = []
        for name, joint in self.joints.items():
            choice = joint.best
            if choice is None:
                rows.append((name, "none", *[None] * 10))
                continue
            history, (_, gear) = joint.history(choice), joint.parts(choice)
            winding = float(history.winding.max())
            rows.append(
                (
                    *(name, choice.motor, choice.gear, choice.mass, choice.loss),
                    *(float(abs(values).max()) for values in (history.torque, history.speed)),
                    history.rms_current,
                    float(max(abs(history.cold_voltage).max(), abs(history.voltage).max())),
                    None if math.isnan(winding) else winding,  # NaN without a thermal model
                    *(gear.ratio, joint.matching_ratio(choice)),
                )
            )
        notes = tuple(f"note: {note}" for note in self.notes)
        return TextTable.of(headings, rows, title=repr(self), below=notes, digits=4)

    def to_dataframe(self) -> DataFrame:
        """All pairs of motors and gears of all joints as a ``pandas.DataFrame``; `table` contains the chosen drives.

        Raises:
            MissingLibrary: pandas is not installed.
        """
        return extra("pandas", "to_dataframe").DataFrame(self.columns())

    def __repr__(self) -> str:
        result = sum(choice is not None for choice in self.rounds[-1])
        state = "settled" if self.settled else "not settled"
        return (
            f"<Sizing of {self.robot.name!r}: drives for {result} of {len(self.joints)} joints, {self.mass:.4g} kg, "
            f"{state} after {len(self.rounds)} round{'s' * (len(self.rounds) != 1)}>"
        )


def size(
    robot: Robot,
    task: MotionCycle,
    catalogue: Catalogue | None = None,
    *,
    joints: Sequence[str] | None = None,
    prefer: str = "mass",
    voltage: float | None = None,
    current: float | None = None,
    inertia_ratio: float = math.inf,
    leads: Mapping[str, float] | None = None,
    mounts: Mapping[str, str] | None = None,
    carry_masses: bool = True,
    rounds: int = MOST_ROUNDS,
    progress: Callable[[float], None] | None = None,
) -> Sizing:
    """Motors and gears that fulfil a task, for each joint of an arm, from all pairs of a catalogue.

    The criteria for a pair are peak and rms torque, speed, voltage, peak and rms current, steady-state temperature of
    the winding if the task is repeated forever, torque and input speed of the gear, and the ratio of inertias;
    `JointSizing.why` returns the criteria that a pair fails. Torque is k_t I = (I_rotor + I_gear) G qdd + L/G +
    friction of the shaft, with L = tau_link/eta if the joint drives its link and eta_b tau_link if it is driven (Modern
    Robotics 8.9.2). Voltage is that of 8.103 without the inductance, cold and warm.

    The masses of the chosen drives are then added to the links as points at their joints, on the parent link, and the
    evaluation is repeated until the choice no longer changes. A choice that recurs after others is a cycle, which
    ``notes`` reports.

    Args:
        robot: the arm, without the masses of the drives; its motors, gears and armatures are ignored.
        task: one cycle of motion of all joints.
        catalogue: motors and gears; the bundled catalogue by default.
        joints: names of the joints to size; all by default.
        prefer: the preferred Pareto-optimal drive, that with the least "mass", or the least "loss".
        voltage: voltage of the supply, V, instead of the motors' nominal one.
        current: current of the amplifiers, A, instead of the motors' peak one.
        inertia_ratio: the largest inertia of the links over G^2 (I_rotor + I_gear).
        leads: leads of the screws of prismatic joints, m per turn.
        mounts: by joint, the frame whose origin is the position of its drive.
        carry_masses: True to add the masses to the links; otherwise there is a single round.
        rounds: the largest number of rounds.
        progress: callback with the completed fraction of a round.

    Raises:
        UnknownName: a joint or frame that the robot does not have.
        ShapeError: a task of another number of joints.
        Unsupported: coupled joints, loops; a prismatic joint without a lead.

    >>> t = np.linspace(0.0, 2.0, 101)
    >>> swing = 0.4 * np.sin(np.pi * t)[:, None] * np.ones(6)
    >>> speed = 0.4 * np.pi * np.cos(np.pi * t)[:, None] * np.ones(6)
    >>> task = armdyn.sizing.MotionCycle(t, swing, speed, -np.pi**2 * swing)
    >>> found = armdyn.sizing.size(armdyn.load("ur5"), task, joints=["wrist_3_joint"])
    >>> found.best["wrist_3_joint"].gear, found.settled
    ('maxon GP 22 A 134173', True)
    """
    if not isinstance(robot, Robot):
        raise DTypeError(f"robot is {excerpt(robot)}; expected an armdyn.Robot, such as armdyn.load('ur5')")
    if not isinstance(task, MotionCycle):
        raise DTypeError(f"task is {excerpt(task)}; expected an armdyn.sizing.MotionCycle")
    prefer = one_of("prefer", prefer, PREFERENCES)
    carry_masses, most = switch("carry_masses", carry_masses), whole_number("rounds", rounds, least=1)
    inertia_ratio = number("inertia_ratio", inertia_ratio, above=0.0, infinite=True)
    turns, mounts = _screws(robot, leads), _by_joint("mounts", robot, mounts)
    for frame in mounts.values():
        robot.mechanism.frame(frame)
    stock = _supplied(Catalogue.bundled() if catalogue is None else catalogue, voltage, current)
    pairs = Pairs(Motors.of(list(stock.motors.values())), Gears.of(list(stock.gears.values())))

    def judged(arm: Robot) -> dict[str, JointSizing]:
        loads = joint_loads(arm, task, joints, turns)
        result = {}
        for k, (name, load) in enumerate(loads.items()):
            judgement = judge(load, pairs, stock.motors, stock.gears, inertia_ratio=inertia_ratio)
            result[name] = JointSizing(load, stock, judgement, prefer)
            if progress is not None:
                progress((k + 1) / len(loads))
        return result

    result = judged(robot)
    chosen: list[Selection] = [_best(result)]
    notes: list[str] = []
    settled = not carry_masses
    stays = False
    while carry_masses and not stays and any(chosen[-1]):
        if len(chosen) >= most:
            notes.append(f"not settled after {most} rounds; give more by rounds=")
            break
        masses = {name: choice.mass for name, choice in zip(result, chosen[-1], strict=True) if choice is not None}
        result = judged(with_masses(robot, masses, mounts))
        following = _best(result)
        stays = _same_drives(following, chosen[-1])
        returns = next((k for k, before in enumerate(chosen[:-1]) if _same_drives(before, following)), None)
        chosen.append(following)
        if returns is not None and not stays:
            notes.append(
                f"the choices of rounds {returns + 1} to {len(chosen) - 1} come again and again: none of them is the "
                f"best for an arm that carries it; give others by {option('mounts')}, or a catalogue without one of "
                "them"
            )
            break
    settled = settled or (stays and None not in chosen[-1])
    notes += _on_choices(result, carry_masses=carry_masses)
    notes += notes_on_task(task, robot.joint_names)
    return Sizing(robot, task, result, tuple(chosen), settled, tuple(notes), turns, mounts)


def _by_joint(quantity: str, robot: Robot, values: Mapping[str, Any] | None) -> dict[str, Any]:
    """Values by joint; raises UnknownName for joints that the robot does not have."""
    if not isinstance(values, Mapping | None):
        raise DTypeError(f"{quantity} are {excerpt(values)}; expected a mapping from joints")
    for name in values or {}:
        if name not in robot.joint_names:
            raise UnknownName.of("joint", name, robot.joint_names, f"{quantity} of {robot.name!r}")
    return dict(values or {})


def _screws(robot: Robot, leads: Mapping[str, float] | None) -> dict[str, float]:
    """Ratios of the screws of prismatic joints, rad/m."""
    turns = {}
    for name, lead in _by_joint("leads", robot, leads).items():
        if robot.model.joint(name).kind != "prismatic":
            raise ModelError(f"leads names {name!r}, which turns; a screw is for a joint that slides")
        turns[name] = 2.0 * math.pi / number(f"leads[{name!r}]", lead, above=LEAST_LEAD, unit="m a turn")
    return turns


def _on_choices(sizings: Mapping[str, JointSizing], *, carry_masses: bool) -> Iterator[str]:
    """Remarks on the choices of the last round."""
    without = [name for name, joint in sizings.items() if joint.best is None]
    for name in without:
        yield sizings[name].nothing
    if without and carry_masses and len(without) < len(sizings):
        yield f"the others are judged without the mass of a drive of {', '.join(without)}"
    motors = {joint.best.motor: joint.parts(joint.best)[0] for joint in sizings.values() if joint.best is not None}
    for name, motor in motors.items():
        yield from notes_on_motor(name, motor)


def _best(sizings: Mapping[str, JointSizing]) -> Selection:
    return tuple(joint.best for joint in sizings.values())


def _same_drives(one: Selection, other: Selection) -> bool:
    return [c and (c.motor, c.gear) for c in one] == [c and (c.motor, c.gear) for c in other]


def _supplied(catalogue: Catalogue, voltage: float | None, current: float | None) -> Catalogue:
    """The catalogue with the limits of a supply and of amplifiers instead of the motors' own."""
    if not isinstance(catalogue, Catalogue):
        raise DTypeError(f"catalogue is {excerpt(catalogue)}; expected an armdyn.sizing.Catalogue")
    changes = {}
    if voltage is not None:
        changes["voltage"] = number("voltage", voltage, above=0.0, unit="V")
    if current is not None:
        changes["current"] = number("current", current, above=0.0, unit="A")
    if not changes:
        return catalogue
    motors = {}
    for name, motor in catalogue.motors.items():
        limits = changes | {
            "continuous_current": min(motor.limits.continuous_current, changes.get("current", math.inf))
        }
        motors[name] = replace(motor, limits=replace(motor.limits, **limits))
    return replace(catalogue, motors=motors)
