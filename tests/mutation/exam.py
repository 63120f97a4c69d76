"""The exam: robots, states, and what others say of them."""

import pickle
from collections.abc import Iterable, Iterator

import numpy as np

import armdyn
from mutation import answers
from mutation.added_forces import of_held, of_tables, sprung, twisted
from mutation.choice import of_choice
from mutation.constrained import (
    constrained_robots,
    of_constraints,
    of_coupled_losses,
    of_losses,
    of_one_row,
    of_servos,
    on_a_curve,
    refused_robots,
    with_losses,
)
from mutation.counting import count
from mutation.driven import driven_robots, of_columns
from mutation.in_flight import of_flight
from mutation.known import Known, known_robots
from mutation.question import Exam, Question, Refusal
from mutation.without_robot import of_algebra, of_calculus, of_curves, of_task_rows, of_zeros
from oracles.flying import RATES, TWISTS, Flying
from oracles.states import random_states

COUNTED = (
    "inverse_dynamics", "mass_matrix", "forward_dynamics", "potential_energy", "kinetic_energy", "jacobian",
    "forward_kinematics",
)  # fmt: skip
"""Of every robot."""

COUNTED_TOO = (
    "coriolis_matrix", "mass_matrix_dot", "inverse_dynamics_derivatives", "regressor", "lagrangian_gradient_regressor",
    "inverse_mass_matrix", "momentum_matrix",
)  # fmt: skip
"""Of two of them."""

FRAMES_OF_TASKS = {"ur5": "tool0", "random_tree": "tool", "panda_fingers": "panda_leftfinger"}


def exam() -> Exam:
    """All questions."""
    robots = known_robots()
    flights = {f"flying {seed}": Flying(seed, right_angled) for seed, right_angled in ((161, False), (162, True))}
    held, refused = constrained_robots(robots), refused_robots()
    models = {name: pickle.dumps(x.robot.model) for name, x in (robots | flights | held).items()}
    nothing = armdyn.Robot.from_links([armdyn.Part("hand", "base", "revolute", axis=(0, 0, 1))])
    models["nothing"] = pickle.dumps(nothing.model)
    models |= {name: pickle.dumps(robot.model) for name, (robot, _, _) in refused.items()}
    questions = [*of_algebra(), *of_zeros(), *of_curves(), *of_task_rows(), *of_calculus()]
    questions += [q for name, some in robots.items() for q in asked(name, of_robot(some))]
    for name, flying in flights.items():
        q, qd, qdd, tau, _ = next(zip(*random_states(6, 1, seed=133), strict=True))
        questions += asked(name, of_flight(flying, q, qd, qdd, tau, TWISTS[0], RATES[0]))
    for name, frame in FRAMES_OF_TASKS.items():
        q, qd, *_ = next(zip(*random_states(robots[name].n, 1, seed=142), strict=True))
        questions += asked(name, answers.of_tasks(robots[name], q, qd, frame))
    for name, some in held.items():
        state = next(zip(*random_states(some.n, 1, seed=144), strict=True))
        questions += asked(name, of_constraints(some, *state), "constraints")
    lossy, rotors = with_losses(robots["ur5"])
    models["losses"] = pickle.dumps(lossy.robot.model)
    questions += asked(
        "losses", of_losses(lossy, rotors, *next(zip(*random_states(6, 1, seed=144), strict=True))), "constraints"
    )
    for name, (robot, wanted) in driven_robots(robots).items():
        models[name] = pickle.dumps(robot.model)
        questions += asked(name, wanted)
    for name, robot, wanted in (("sprung", *sprung(robots["ur5"])), ("twisted", *twisted(robots["ur5"]))):
        models[name] = pickle.dumps(robot.model)
        questions += asked(name, wanted)
    questions += [q for name in ("geared", "coupled") for q in of_held(name, robots[name])]
    questions += [*of_tables("ur5", robots["ur5"]), *of_columns("with rotors"), *of_choice(robots)]
    for name, answer in (("rubbing", 1.0), ("rubbing by laws", 1.0), ("on a slide", 0.0)):
        questions.append(Question(name, "mutation.driven.rubs", {}, [], np.array(answer)))
    on_curve, found = on_a_curve(robots["random_tree"], random_states(robots["random_tree"].n, 8, seed=145).q)
    of_robots = [
        ("on a curve", on_curve.robot, found),
        *of_servos(),
        ("coupled losses", *of_coupled_losses()),
    ]
    for name, robot, asked_for in (*of_robots, *of_one_row()):
        models[name] = pickle.dumps(robot.model)
        questions += asked(name, asked_for, "constraints")
    questions.append(Question("nothing", "armdyn.algorithms.quicker_method.least_part", {}, [], np.array(0.0)))
    no_centre = Refusal("ModelError", "has mass, so they have no centre")
    questions.append(Question("nothing", "armdyn.algorithms.center_of_mass", {}, [np.ones(1)], no_centre))
    unmoved = Refusal("ModelError", "hold it with locked={'joint_of_hand': 0.0}.")
    questions.append(Question("nothing", "armdyn.algorithms.forward_dynamics", {}, [np.ones(1)] * 3, unmoved))
    for name, (robot, function, refusal) in refused.items():
        questions.append(Question(name, f"armdyn.constraints.{function}", {}, [np.ones(robot.dof)], refusal))
    by_joint = Refusal(
        "Unsupported",
        "nor where joints are passive. Use robot.with_independent_constraints(q), armatures in the place of rotors, or "
        "friction that depends on velocities alone",
    )
    questions.append(
        Question("coupled losses", "armdyn.constraints.under_load.coordinates_under_load", {}, [], by_joint)
    )
    questions += refusals()
    return Exam(models, [*questions, *lengths(robots)])


def lengths(robots: dict[str, Known]) -> Iterator[Question]:
    """What the true source makes functions cost."""
    asked_for = [(name, function, {}) for name in robots for function in COUNTED]
    asked_for += [(name, function, {}) for name in ("ur5", "random_tree") for function in COUNTED_TOO]
    asked_for += [(name, "forward_dynamics", {"method": "mass_matrix"}) for name in ("ur5", "random_tree", "coupled")]
    for name, function, options in asked_for:
        answer = count(robots[name].robot.mechanism, function, **options)
        yield Question(name, "mutation.counting.count", options, [function], answer)


def asked(robot: str, of: Iterable[answers.Answer], package: str = "algorithms") -> Iterator[Question]:
    """Questions of one robot."""
    for function, options, arguments, answer in of:
        yield Question(robot, f"armdyn.{package}.{function}", options, arguments, answer)


def of_robot(some: Known) -> Iterator[answers.Answer]:
    """Everything of one robot in two states."""
    states = zip(*random_states(some.n, 2, seed=131), strict=True)
    for q, qd, qdd, tau, f_tip in states:
        yield from answers.of_dynamics(some, q, qd, qdd, tau, f_tip)
        yield from answers.of_frames(some, q, qd, f_tip)
    yield from answers.of_structure(some, q, qd, qdd, np.array(tau) / 10.0)
    yield from answers.of_derivatives(some, q, qd, qdd, tau, f_tip)
    yield from answers.of_momentum(some, q, qd, qdd)
    yield from answers.of_links(some, q, qd, qdd, f_tip)
    yield from answers.of_regressors(some, q, qd, qdd)
    yield from answers.of_closed_form(some, q, qd, qdd, f_tip)


def refusals() -> Iterator[Question]:
    """What makes no sense, and what is said of it."""
    q, motion, wrench = np.ones(2), [np.ones(2)] * 3, np.ones(6)
    at = {"frame": "tip", "expressed_in": "tip"}
    rest = {"expressed_in": "rest"}
    for function, arguments, options, error, words in (
        ("forward_dynamics", motion, {"method": "aba"}, "UnknownName", "no method 'aba'"),
        ("jacobian", [q], rest, "UnknownName", "no way 'rest'"),
        ("jacobian_dot", [q, q], rest, "UnknownName", "no way 'rest'"),
        ("bias_acceleration", [q, q], rest, "UnknownName", "no way 'rest'"),
        ("link_motion", motion, rest, "UnknownName", "no way 'rest'"),
        ("joint_reactions", motion, rest, "UnknownName", "no way 'rest'"),
        ("joint_reactions", motion, {"collar": "tip"}, "UnknownName", "no collar 'tip'"),
        ("momentum", [q, q], {"about": "tip"}, "UnknownName", "no point 'tip'"),
        ("external_wrench", [q, wrench], at, "UnknownName", "no way 'tip'"),
        ("external_wrench", [q, wrench], {"frame": None, "expressed_in": "body"}, "UnknownName", "name the frame"),
        ("task_space", [q, q], {"components": ("vx", "vy", "wz")}, "SingularTask", "only 2 joints"),
        ("task_space", [q, q], {"components": ("vx", "wz"), "frame": "link_1"}, "SingularTask", "only 1 joint ("),
        ("task_space", [q, q], {"components": "vz"}, "SingularTask", "along vz; leave"),
        ("task_space", [q, q], {"components": ("wz", "vz")}, "SingularTask", "along vz independently of wz;"),
        ("task_space", [q, q], {"components": "wz", "frame": "base"}, "SingularTask", "is welded to the base"),
    ):
        yield Question("planar_2r", f"armdyn.algorithms.{function}", options, arguments, Refusal(error, words))
