"""Product-of-exponentials lists, in the form of Modern Robotics: home poses, spatial inertias, space screw axes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array
from armdyn.base.errors import ModelError, ShapeError
from armdyn.base.exact import exact, norm, unit
from armdyn.formats.given import TOLERANCE, names_of_joints, pose_problems
from armdyn.model.assembly import assemble
from armdyn.model.bounds import LARGEST, largest_problem
from armdyn.model.inertia import Inertia
from armdyn.model.inertia_matrices import spatial_inertia_problems
from armdyn.model.model import STANDARD_GRAVITY, Frame, Model
from armdyn.model.parts import JointPart, LinkPart
from armdyn.model.selection import Selection
from armdyn.spatial.mass_properties import parts_of_spatial_inertia
from armdyn.spatial.rotations import Array, adjoint, cross, inverse_rigid, rigid


def read_screws(
    Mlist: ArrayLike,
    Glist: ArrayLike,
    Slist: ArrayLike,
    *,
    gravity: Sequence[float] = STANDARD_GRAVITY,
    name: str = "screws",
    joint_names: Sequence[str] | None = None,
    check_inertia: bool = True,
) -> Model:
    """Build a serial arm from Modern Robotics' product-of-exponentials lists (Modern Robotics 8.3).

    The frames of the lists, at the links' centres of mass, keep the names "link_1", ..., "link_n" and the end-effector
    is "tip". Each link's own frame has the same axes but lies on its joint axis, and is called "link_1_on_axis", ...

    Args:
        Mlist: M_01, M_12, ..., M_{n,n+1}: home pose of each centre-of-mass frame in the one before, then of the
            end-effector frame in the last, shape (n + 1, 4, 4).
        Glist: spatial inertia of each link in its frame, angular part first, shape (n, 6, 6).
        Slist: space screw axes at home, one per column, angular part first, shape (6, n).
        gravity: acceleration of free fall in base axes, m/s^2.
        name: of the robot.
        joint_names: "joint_1", ... by default.
        check_inertia: refuse inertias that no rigid body has; otherwise accept them unchanged, with a note.

    Raises:
        ModelError: lists that do not describe an arm, all problems at once.
    """
    M, G, S = _arrays(Mlist, Glist, Slist)
    n = len(G)
    names = names_of_joints(joint_names, n)
    problems = [p for i, T in enumerate(M) for p in pose_problems(T, f"Mlist[{i}]")]
    problems += [*_inertia_problems(G), *_screw_problems(S)]
    if problems:
        raise ModelError(problems)
    links, joints, frames = [LinkPart("base")], [], []
    M, S = exact(M), exact(S)
    home = exact(np.eye(4))  # M_0i
    previous_shift = exact(np.eye(4))  # from the previous link's frame on its axis to its centre-of-mass frame
    for i in range(n):
        home = home @ M[i]
        A = adjoint(inverse_rigid(home)) @ S[:, i]  # A_i = Ad(M_i^-1) S_i, Modern Robotics 8.3.2
        revolute = norm(A[:3]) > 0.5
        axis, on_axis = (A[:3], cross(A[:3], A[3:])) if revolute else (A[3:], exact(np.zeros(3)))
        link = f"link_{i + 1}_on_axis"
        to_com_frame = rigid(p=-on_axis)
        placement = previous_shift @ M[i] @ rigid(p=on_axis)
        parent = links[-1].name
        links.append(LinkPart(link, _inertia(G[i]).seen_from(to_com_frame)))
        kind = "revolute" if revolute else "prismatic"
        joints.append(JointPart(names[i], kind, parent, link, placement, unit(axis)))  # type: ignore[arg-type]
        frames.append(Frame(f"link_{i + 1}", link, to_com_frame))
        previous_shift = to_com_frame
    model = assemble(name, links, joints, Selection(gravity=gravity, check_inertia=check_inertia))
    frames.append(Frame("tip", links[-1].name, previous_shift @ M[n]))
    return model.replace(frames=(*model.frames, *frames), tip="tip")


def _arrays(Mlist: ArrayLike, Glist: ArrayLike, Slist: ArrayLike) -> tuple[Array, Array, Array]:
    M, G = (
        array("Mlist", Mlist, None, "(n + 1, 4, 4)", finite=ModelError),
        array("Glist", Glist, None, "(n, 6, 6)", finite=ModelError),
    )
    S = array("Slist", Slist, None, "(6, n)", finite=ModelError)
    n = S.shape[1] if S.ndim == 2 else 0
    for name, values, expected in (("Slist", S, (6, n)), ("Glist", G, (n, 6, 6)), ("Mlist", M, (n + 1, 4, 4))):
        if n == 0 or values.shape != expected:
            raise ShapeError(
                f"{name} has shape {values.shape}; for n joints expected Mlist (n + 1, 4, 4), "
                f"Glist (n, 6, 6), Slist (6, n), here with n = {n}"
            )
    for name, values in (("Mlist", M), ("Glist", G), ("Slist", S)):
        if (largest := float(np.abs(values).max())) > LARGEST:
            raise ModelError(f"{name} holds {largest:.3g}; expected numbers below {LARGEST:g}.")
    return M, G, S


def _inertia_problems(G: Array) -> Iterator[str]:
    for i, Gi in enumerate(G):
        problems = list(spatial_inertia_problems(Gi, size=1.0)) or list(_body_problems(Gi))
        yield from (f"Glist[{i}]: {problem}." for problem in problems)


def _body_problems(G: Array) -> Iterator[str]:
    try:
        yield from _inertia(G).problems()
    except ModelError as error:
        yield str(error).removesuffix(".")


def _screw_problems(S: Array) -> Iterator[str]:
    for i, screw in enumerate(S.T):
        w, v = screw[:3], screw[3:]
        length, speed = math.hypot(*w), math.hypot(*v)
        if length < TOLERANCE:
            if abs(speed - 1.0) > TOLERANCE:
                yield f"Slist column {i}: a prismatic axis (0, v) needs |v| = 1, here {speed:.9g}."
        elif abs(length - 1.0) > TOLERANCE:
            yield f"Slist column {i}: a revolute axis (w, v) needs |w| = 1, here {length:.9g}."
        elif fault := largest_problem(speed, "prismatic"):
            yield f"Slist column {i}: v = -w x p is {fault}."
        elif abs(float(w @ v)) > TOLERANCE * max(1.0, speed):
            yield f"Slist column {i}: pitch w.v = {w @ v:.3g} m/rad; expected 0, helical joints are not modelled."


def _inertia(G: Array) -> Inertia:
    """m, c and I_c from G = [[I_c + m [c][c]^T, m [c]], [m [c]^T, m 1]] (Modern Robotics 8.32 for c = 0)."""
    m, c, tensor = parts_of_spatial_inertia(exact(G))
    return Inertia(m, c, tensor)
