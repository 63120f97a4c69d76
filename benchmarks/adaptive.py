"""Motions with error control: compiled loops beside SciPy's solver, heyoka, diffrax, and state by state.

A UR5 falls from rest for three seconds at rtol = atol = 1e-10 and keeps 1001 states, alone and with 1000 states side by
side; then with viscous and Coulomb friction at every joint; with gears that lose power, springs between links and
rotors with friction, and both; with its tip in a plane, with and without that friction; with its tip on a floor; and
with bristles in one joint beside dry friction, by Runge-Kutta steps of 1 ms. The error is that of q at the end, against
Taylor series to rounding; with friction, against the compiled loop at 1e-12.

- SciPy: `scipy.integrate.solve_ivp`, DOP853, around armdyn's compiled accelerations.
- by SciPy's solver: `armdyn.simulate` with its compiled loops turned off; Python then looks for events in each step.
- MuJoCo: Runge-Kutta 4 in steps of 1 ms by ``mujoco.rollout``, for it has no error control; friction as
  ``frictionloss``, by which joints creep where armdyn's rest.
- heyoka: ``taylor_adaptive`` of the program of accelerations at a tolerance of 1e-10, propagated to the saved times;
  in batch mode with as many states as a vector register has lanes.
- diffrax: Dopri8 with `PIDController` under vmap, of armdyn's accelerations as a JAX function, compiled.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from armdyn.simulation import SaveAt
from benchmarks.cases import Case
from benchmarks.timing import quiet

DURATION, TOLERANCE, SAVED = 3.0, 1e-10, 1001
MANY, FEW, STARTS = 1000, 16, 20
"""States side by side; states of those that take long, whose time is proportional to their number."""

DAMPING, FRICTION = 1.0, 2.0
ROTOR, GEAR, EFFICIENCY, STIFFNESS = 1e-5, 100.0, 0.8, 1e4
STEP = 1e-3
BY_SOLVER, SLOW = "by SciPy's solver", 1.0
"""The way of Python; it is timed once if that takes longer than this, s."""

Calls = dict[str, tuple[Callable[[], Any], int]]


@dataclass(frozen=True)
class AdaptiveSpeed:
    """Milliseconds of processor time a motion, its ratio to armdyn's, and the error of q at the end, rad."""

    robot: str
    motion: str
    way: str
    ms: float
    ratio: float
    error: float


def adaptive_speeds(case: Case, rounds: int) -> Iterator[AdaptiveSpeed]:
    """One motion and many, bare and with friction; and one call of `armdyn.simulate` for one short step."""
    import armdyn

    bare = armdyn.Robot.from_urdf(case.urdf, check_inertia=False)
    dry = bare.with_friction({joint.name: (DAMPING, FRICTION) for joint in bare.joints})
    q = np.random.default_rng(11).uniform(-1.0, 1.0, (MANY, bare.dof))
    q[0] = 0.0
    saved = SaveAt(every=DURATION)
    exact = _end(armdyn.simulate(bare, q[:2], duration=DURATION, method="taylor", save=saved))
    of_dry = _exact(dry, q[:2])
    yield from _compared(case.name, "one falls", _bare(bare, q[:1]) | _mujoco(case, bare, q[:1]), exact[:1], rounds)
    yield from _compared(case.name, f"{MANY} fall", _bare(bare, q), exact, rounds)
    yield from _errors(case.name, bare)
    beside = _mujoco(case, bare, q[:1], friction=True)
    yield from _compared(case.name, "one with friction", _by_solver(dry, q[:1]) | beside, of_dry[:1], rounds)
    yield from _compared(case.name, f"{MANY} with friction", _own(dry, q), of_dry, rounds)
    for what, robot in _geared(bare).items():
        yield from _compared(case.name, f"one with {what}", _by_solver(robot, q[:1]), _exact(robot, q[:1]), rounds)
    for what, (robot, options) in _with_tip_on_plane(bare, dry, q[0]).items():
        fixed = "method" in options
        end = None if fixed else _exact(robot, q[:1], **options)
        yield from _compared(case.name, what, _by_solver(robot, q[:1], **options), end, rounds)
    saved = SaveAt(times=[0.0, 1e-3])
    short = {"armdyn": (lambda: armdyn.simulate(bare, q[0], duration=1e-3, save=saved), 1)}
    yield from _compared(case.name, "one short step", short, None, 20 * rounds)


def _geared(bare: Any) -> dict[str, Any]:
    """Arms whose joints have rotors behind gears that lose power, behind springs, and both."""
    from armdyn.actuators import Actuator, Coulomb, Gear, Motor, Spring, Viscous

    motor, friction = Motor(rotor_inertia=ROTOR), [Viscous(DAMPING), Coulomb(FRICTION)]
    lossy, spring = Gear(GEAR, efficiency=EFFICIENCY), Spring(STIFFNESS, damping=1.0)
    drives = {
        "lossy gears": Actuator(motor, lossy, friction),
        "flexible joints": Actuator(motor, Gear(GEAR), friction, spring=spring),
        "both": Actuator(motor, lossy, friction, spring=spring),
    }
    return {what: bare.with_actuators({joint.name: drive for joint in bare.joints}) for what, drive in drives.items()}


def _with_tip_on_plane(bare: Any, dry: Any, q: Any) -> dict[str, tuple[Any, dict[str, Any]]]:
    """Arms whose tip a plane guides or holds up, and one with bristles; with the options of their simulation."""
    from armdyn.actuators import Actuator, LuGre
    from armdyn.constraints import PointOnPlane
    from armdyn.simulation import Constraints, Contact, RungeKutta4

    through = np.asarray(bare.forward_kinematics(q))[:3, 3]
    tip = bare.frame_names[-1] if bare.tip is None else bare.tip
    plane, floor = PointOnPlane(tip, (0.2, 0.1, 1.0), through), PointOnPlane(tip, (0, 0, 1), through - [0, 0, 0.1])
    bent = dry.with_actuators({bare.joint_names[-1]: Actuator(friction=LuGre(1e3, 10.0, 0.5, 1.5, 1.0, 0.1))})
    projects = [Constraints(project=True)]
    return {
        "one in a plane, projected": (bare.with_constraints(plane), {"elements": projects}),
        "one in a plane with friction": (dry.with_constraints(plane), {}),
        "one on a floor with friction": (dry, {"elements": [Contact(floor)]}),
        "one in a plane, steps of 1 ms": (
            dry.with_constraints(plane),
            {"elements": projects, "method": RungeKutta4(STEP)},
        ),
        "one with bristles, steps of 1 ms": (bent, {"method": RungeKutta4(STEP)}),
    }


def _exact(robot: Any, q: Any, **options: Any) -> Any:
    """The end by the compiled loop at a hundredth of the tolerance."""
    import armdyn

    method = armdyn.simulation.Adaptive(rtol=1e-2 * TOLERANCE, atol=1e-2 * TOLERANCE)
    return _end(armdyn.simulate(robot, q, duration=DURATION, method=method, save=SaveAt(every=DURATION), **options))


def _errors(name: str, robot: Any) -> Iterator[AdaptiveSpeed]:
    """The median error over random starts: those of two starts differ by a factor of three."""
    import armdyn

    q = np.random.default_rng(3).uniform(-1.0, 1.0, (STARTS, robot.dof))
    exact = _end(armdyn.simulate(robot, q, duration=DURATION, method="taylor", save=SaveAt(every=DURATION)))
    calls = {**_own(robot, q), "SciPy, DOP853": _scipy(robot, q)}
    for way, (call, _) in calls.items():
        error = float(np.median(np.abs(np.asarray(call()) - exact).max(axis=-1)))
        yield AdaptiveSpeed(name, f"median of {STARTS} starts", way, float("nan"), float("nan"), error)


def _end(motion: Any) -> Any:
    return motion.q[-1]


def _compared(robot: str, what: str, calls: Calls, exact: Any, rounds: int) -> Iterator[AdaptiveSpeed]:
    """The median time of each, in turns; the ratio is the median over the rounds, or that of the medians."""
    ends, first = {}, {}
    for name, (call, _) in calls.items():
        began = time.process_time()
        ends[name] = np.asarray(call()) if exact is not None else None
        first[name] = time.process_time() - began
    once = {name for name in calls if name == BY_SOLVER and first[name] > SLOW}
    with quiet():
        seconds_of = _interleaved({name: call for name, (call, _) in calls.items() if name not in once}, rounds)
    each = {name: [s / calls[name][1] for s in found] for name, found in seconds_of.items()}
    own, each = each["armdyn"], each | {name: [first[name] / calls[name][1]] for name in once}
    for name, seconds in each.items():
        pairs = [(median(own), seconds[0])] if name in once else zip(own, seconds, strict=True)
        ratio = median(b / a for a, b in pairs)
        end = ends[name]
        error = float("nan") if end is None else float(np.abs(end[: len(exact)] - exact[: len(end)]).max())
        yield AdaptiveSpeed(robot, what, name, 1e3 * median(seconds), ratio, error)


def _interleaved(calls: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """Seconds of processor time of every call in every round, A B C A B C: other programs do not count."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            began = time.process_time()
            call()
            seconds[name].append(time.process_time() - began)
    return seconds


def _bare(robot: Any, q: Any) -> Calls:
    calls = {**_own(robot, q), **_own(robot, q, "RK45"), "SciPy, DOP853": _scipy(robot, q[:FEW])}
    if importlib.util.find_spec("heyoka") is not None:
        calls |= _heyoka(robot, q)
    if importlib.util.find_spec("diffrax") is not None:
        calls["diffrax, Dopri8"] = _diffrax(robot, q)
    return calls


def _own(robot: Any, q: Any, pair: str = "DOP853", **options: Any) -> Calls:
    import armdyn

    save = SaveAt(times=np.linspace(0.0, DURATION, SAVED))
    method = armdyn.simulation.Adaptive(rtol=TOLERANCE, atol=TOLERANCE, scipy_method=pair)
    name = "armdyn" if pair == "DOP853" else f"armdyn, {pair}"
    given = {"method": method, "save": SaveAt(every=STEP) if "method" in options else save, **options}
    return {name: (lambda: _end(armdyn.simulate(robot, q, duration=DURATION, **given)), len(q))}


def _by_solver(robot: Any, q: Any, **options: Any) -> Calls:
    """Its compiled loops, and SciPy's solver in their place."""
    own, few = _own(robot, q, **options), q[:FEW]
    (call, _) = _own(robot, few, **options)["armdyn"]

    def slow() -> Any:
        with _without_loops():
            return call()

    return {**own, BY_SOLVER: (slow, len(few))}


@contextmanager
def _without_loops() -> Iterator[None]:
    """Turn the compiled loops off."""
    from armdyn.simulation.drivers import compiled_segments, side_by_side, sticking_side_by_side

    loops: tuple[Any, ...] = (side_by_side, sticking_side_by_side)
    segments: Any = compiled_segments.Segments
    kept = *(loop.has_loop for loop in loops), vars(segments)["of"]
    for loop in loops:
        loop.has_loop = lambda *_: False
    segments.of = lambda *_: None
    try:
        yield
    finally:
        segments.of = kept[-1]
        for loop, has_loop in zip(loops, kept, strict=False):
            loop.has_loop = has_loop


def _scipy(robot: Any, q: Any) -> tuple[Callable[[], Any], int]:
    from scipy.integrate import solve_ivp

    n, tau, accelerations = robot.dof, np.zeros(robot.dof), robot.forward_dynamics
    times = np.linspace(0.0, DURATION, SAVED)

    def rates(t: float, y: Any) -> Any:
        return np.concatenate([y[n:], accelerations(y[:n], y[n:], tau)])

    def run() -> Any:
        options = {"method": "DOP853", "t_eval": times, "rtol": TOLERANCE, "atol": TOLERANCE}
        return [solve_ivp(rates, (0.0, DURATION), [*one, *np.zeros(n)], **options).y[:n, -1] for one in q]

    return run, len(q)


def _heyoka(robot: Any, q: Any) -> Calls:
    """One state, and a register of states, at the saved times."""
    import heyoka

    from armdyn.program.replay import ARITHMETIC
    from armdyn.simulation.drivers.taylor import SAME_NAMES

    n, times = robot.dof, np.linspace(0.0, DURATION, SAVED)
    program = robot.forward_dynamics.program()
    y = heyoka.make_vars(*(f"y{k}" for k in range(2 * n)))
    operations = ARITHMETIC | {name: getattr(heyoka, name) for name in SAME_NAMES}
    (qdd,) = program.replay([*y, *([0.0] * n)], operations, heyoka.expression)
    system = list(zip(y, [*y[n:], *qdd], strict=True))
    one = heyoka.taylor_adaptive(system, np.zeros(2 * n), tol=TOLERANCE, compact_mode=True)
    few = q[:FEW]

    def alone() -> Any:
        ends = []
        for state in few:
            one.time = 0.0
            one.state[:] = [*state, *np.zeros(n)]
            ends.append(one.propagate_grid(times)[-1][-1][:n])
        return np.array(ends)

    calls: Calls = {"heyoka, taylor_adaptive": (alone, len(few))}
    size = heyoka.recommended_simd_size()
    if len(q) < size:
        return calls
    several = heyoka.taylor_adaptive_batch(system, np.zeros((2 * n, size)), tol=TOLERANCE, compact_mode=True)
    grid = np.repeat(times[:, None], size, axis=1)

    def side_by_side() -> Any:
        ends = []
        for first in range(0, FEW, size):
            several.set_time(0.0)
            several.state[:n], several.state[n:] = q[first : first + size].T, 0.0
            ends.append(several.propagate_grid(grid)[-1][-1][:n].T)
        return np.concatenate(ends)

    return {**calls, f"heyoka, batches of {size}": (side_by_side, FEW // size * size)}


def _diffrax(robot: Any, q: Any) -> tuple[Callable[[], Any], int]:
    import diffrax
    import jax

    jax.config.update("jax_enable_x64", True)
    n, accelerations = robot.dof, robot.forward_dynamics.to_jax()
    tau, few = jax.numpy.zeros(n), jax.numpy.asarray(q[: max(len(q) // 10, 1)])
    saved = diffrax.SaveAt(ts=jax.numpy.linspace(0.0, DURATION, SAVED))
    control = diffrax.PIDController(rtol=TOLERANCE, atol=TOLERANCE)
    term = diffrax.ODETerm(lambda t, y, _: (y[1], accelerations(y[0], y[1], tau)))

    def one(start: Any) -> Any:
        state = (start, jax.numpy.zeros(n))
        solution = diffrax.diffeqsolve(
            term,
            diffrax.Dopri8(),
            0.0,
            DURATION,
            None,
            state,
            saveat=saved,
            stepsize_controller=control,
            max_steps=4096,
        )
        return solution.ys[0]

    run = jax.jit(jax.vmap(one))
    return lambda: np.asarray(run(few).block_until_ready())[:, -1], len(few)


def _mujoco(case: Case, robot: Any, q: Any, *, friction: bool = False) -> Calls:
    if importlib.util.find_spec("mujoco") is None:
        return {}
    import mujoco
    from mujoco import rollout

    from benchmarks.peers.mujoco_peer import MujocoPeer

    peer = MujocoPeer(case)
    model, order = peer.model, [robot.joint_names.index(name) for name in peer.joint_names]
    model.opt.timestep, model.opt.integrator = STEP, mujoco.mjtIntegrator.mjINT_RK4
    model.opt.gravity[:] = robot.model.gravity
    if friction:
        model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        model.dof_damping[:], model.dof_frictionloss[:] = DAMPING, FRICTION
    state = np.zeros((len(q), mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    state[:, 1 : 1 + model.nq] = q[:, order]
    data = mujoco.MjData(model)

    def run() -> Any:
        found = rollout.rollout(model, data, state, nstep=round(DURATION / STEP))[0]
        return found[:, -1, 1 : 1 + model.nq][:, np.argsort(order)]

    return {"MuJoCo, Runge-Kutta 4": (run, len(q))}
