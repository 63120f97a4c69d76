"""Denavit-Hartenberg tables, modified (Craig's, frames at the near end) and standard (frames at the far end).

Both step from frame to frame with the same four numbers, in two orders:

    modified  T_{i-1,i} = Rx(alpha_{i-1}) Tx(a_{i-1}) Rz(theta_i) Tz(d_i)    joint i turns about z_i (Craig 3.6)
    standard  T_{i-1,i} = Rz(theta_i) Tz(d_i) Tx(a_i) Rx(alpha_i)            joint i turns about z_{i-1}

So link i's own frame, the one on its joint's axis, is frame i of the modified convention; in the standard one it is
frame i without its last two steps.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.advice import option
from armdyn.base.checks import as_float, is_one_of, listed, switch
from armdyn.base.errors import ModelError, ShapeError, Unsupported, excerpt
from armdyn.base.exact import ONE, ZERO, cos_and_sin, exact
from armdyn.formats.given import (
    KINDS,
    collar_problems,
    kind_problems,
    names_of_joints,
    numbers,
    one_each,
    pose_problems,
)
from armdyn.model.assembly import assemble
from armdyn.model.inertia import Inertia
from armdyn.model.joint import Collar
from armdyn.model.limits import UNLIMITED, Limits
from armdyn.model.messages import did_you_mean
from armdyn.model.model import STANDARD_GRAVITY, Frame, Model
from armdyn.model.parts import JointPart, LinkPart, mechanics
from armdyn.model.selection import Selection
from armdyn.spatial.rotations import Array, Z, rigid

Convention = Literal["modified", "standard"]

CONVENTIONS: Mapping[str, str] = {
    "modified": "Rx(alpha) Tx(a) Rz(theta) Tz(d), as Craig",
    "standard": "Rz(theta) Tz(d) Tx(a) Rx(alpha), as Paul and Spong",
}

MOTOR_WORDS = ("Jm", "G", "gear_ratio", "rotor_inertia", "Im")
"""Fields of tables that describe motors, which a DH row has as armature."""


@dataclass(frozen=True)
class DHRow:
    """One row of a Denavit-Hartenberg table: a joint, and the link that it moves.

    Args:
        a: length of the common normal, m: a_{i-1} in the modified convention, a_i in the standard one.
        alpha: angle between the joint axes about it, rad (or degrees, by an option of `armdyn.Robot.from_dh`).
        d: distance of the common normals along the joint axis, m; for a prismatic joint, its value at q = 0.
        theta: angle between the common normals, rad; for a revolute joint, its value at q = 0: the offset of q.
        kind: "revolute" (q is added to theta) or "prismatic" (q is added to d).
        inertia: of the link, in DH frame i: mass, centre of mass, and the tensor about it in the frame's axes.
        limits: of q, and of its speed and force.
        damping: viscous friction, N m s/rad or N s/m.
        friction: Coulomb friction, N m or N.
        collar: the link that carries the collar of a slide, "parent" or "child".
        armature: reflected inertia of the joint's rotor, kg m^2 or kg.

    >>> DHRow(a=0.4318, alpha=0.0, d=-0.0934, theta=0.0).kind
    'revolute'
    """

    a: float
    alpha: float
    d: float
    theta: float
    kind: Literal["revolute", "prismatic"] = "revolute"
    inertia: Inertia = field(default_factory=Inertia)
    limits: Limits = UNLIMITED
    damping: float = 0.0
    friction: float = 0.0
    collar: Collar = "child"
    armature: float = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class DHTable:
    """A whole arm as a Denavit-Hartenberg table; ``Robot.from_dh(**table.arguments())`` reads it.

    ``print`` shows it in m and degrees, and so do notebooks; `to_latex` writes it for a paper.

    Args:
        rows: one `DHRow` per joint.
        convention: "modified" or "standard".
        base: T_{base,0}, pose of DH frame 0 in the base link's frame, shape (4, 4).
        tool: T_{n,tip}, pose of the tip in the last DH frame, shape (4, 4).
        joint_names: one name per row.
        gravity: acceleration of free fall in base axes, m/s^2, shape (3,).
        name: of the robot.
    """

    rows: tuple[DHRow, ...]
    convention: Convention
    base: Array
    tool: Array
    joint_names: tuple[str, ...]
    gravity: Array
    name: str

    def arguments(self) -> dict[str, Any]:
        """The arguments of `armdyn.Robot.from_dh` that give this arm."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}

    def to_latex(self) -> str:
        r"""The table as a LaTeX ``tabular``, lengths in m, angles in degrees.

        >>> print(armdyn.load("planar_2r").to_dh("modified").to_latex())
        \begin{tabular}{rlrrrr}
        \hline
        $i$ & joint & $a_{i-1}$ [m] & $\alpha_{i-1}$ [$^\circ$] & $d_i$ [m] & $\theta_i$ [$^\circ$] \\
        \hline
        1 & joint\_1 & 0 & 0 & 0 & $q_{1}$ \\
        2 & joint\_2 & 1 & 0 & 0 & $q_{2}$ \\
        \hline
        \end{tabular}
        """
        from armdyn.formats.dh_printed import dh_table  # noqa: PLC0415 - it needs this class

        return dh_table(self, latex=True).latex()

    def _repr_html_(self) -> str:
        from armdyn.formats.dh_printed import dh_table  # noqa: PLC0415 - it needs this class

        return dh_table(self).html()

    def __str__(self) -> str:
        from armdyn.formats.dh_printed import dh_table  # noqa: PLC0415 - it needs this class

        return str(dh_table(self))

    def __repr__(self) -> str:
        return f"<DHTable of {self.name!r}: {len(self.rows)} rows, {self.convention}; print shows it>"


COLUMNS = ("a", "alpha", "d", "theta")
NUMBERS = (*COLUMNS, "damping", "friction", "armature")
NAMES = tuple(f.name for f in dataclasses.fields(DHRow))


def read_dh(
    rows: Sequence[DHRow | Mapping[str, Any] | Sequence[Any]],
    *,
    convention: str | None = None,
    inertias: Sequence[Inertia] | None = None,
    limits: Sequence[Limits] | None = None,
    base: ArrayLike | None = None,
    tool: ArrayLike | None = None,
    degrees: bool = False,
    gravity: ArrayLike = STANDARD_GRAVITY,
    name: str = "dh",
    joint_names: Sequence[str] | None = None,
    check_inertia: bool = True,
) -> Model:
    """Build a serial arm from a Denavit-Hartenberg table (Craig 3.6, or the standard convention).

    Frame i of the table is the frame "link_i" of the robot, "link_0" is frame 0, and "tip" is the tool. In the standard
    convention, which puts frame i at the far end of its link, the links themselves are called "link_1_on_axis", ...

    Args:
        rows: one per joint: (a, alpha, d, theta), with "prismatic" after it if the joint slides; or a dict of these
            names; or an `armdyn.DHRow`, which holds inertia, limits, friction and armature too. Lengths in m, angles in
            rad. q is added to theta, or to d of a prismatic joint: the value given there is its offset.
        convention: "modified" (Craig: a and alpha of the link before) or "standard"; it must be given.
        inertias: one `armdyn.Inertia` per row, in DH frame i, if the rows hold none.
        limits: one `armdyn.Limits` per row, if the rows hold none.
        base: pose of DH frame 0 in the base frame, shape (4, 4).
        tool: pose of the tip in the last DH frame, shape (4, 4).
        degrees: True if alpha and theta are in degrees.
        gravity: acceleration of free fall in base axes, m/s^2.
        name: of the robot.
        joint_names: "joint_1", ... by default.
        check_inertia: refuse inertias that no rigid body has; otherwise accept them unchanged, with a note.

    Raises:
        ModelError: rows that do not describe an arm, all problems at once, each with its row.
        ShapeError: rows, inertias or poses that are not such lists.
        Unsupported: a row that holds the inertia of a motor.

    >>> rows = [(0, 0, 0, 0), (0, -90, 0.2435, 0), (0.4318, 0, -0.0934, 0)]
    >>> arm = armdyn.Robot.from_dh(rows, convention="modified", degrees=True)
    >>> arm.forward_kinematics([0.0, 0.0, 0.0])[:3, 3] + 0.0
    array([0.4318, 0.1501, 0.    ])
    """
    degrees = switch("degrees", degrees)
    problems = [*convention_problems(convention)]
    table = _rows(rows, degrees, problems)
    to_frame_0 = _pose(base, "base", problems)
    to_tip = _pose(tool, "tool", problems)
    if problems:
        raise ModelError(problems)
    table = _with_column(table, "inertia", inertias, "inertias")
    table = _with_column(table, "limits", limits, "limits")
    labels = names_of_joints(joint_names, len(table))
    modified = convention == "modified"
    links, joints, frames = [LinkPart("base")], [], [Frame("link_0", "base", to_frame_0)]
    reached = exact(to_frame_0)  # pose of the last DH frame in its link's own frame
    for i, row in enumerate(table, start=1):
        across = step_across(row.a, row.alpha)
        near, far = (across, exact(np.eye(4))) if modified else (exact(np.eye(4)), across)
        own = f"link_{i}" if modified else f"link_{i}_on_axis"
        placement = reached @ near @ step_along(row.d, row.theta)
        parent = links[-1].name
        links.append(LinkPart(own, row.inertia.seen_from(far), where=f"rows[{i - 1}]"))
        joint = JointPart(labels[i - 1], row.kind, parent, own, placement, Z, where=f"rows[{i - 1}]", **mechanics(row))
        joints.append(joint)
        if not modified:
            frames.append(Frame(f"link_{i}", own, far))
        reached = far
    frames.append(Frame("tip", links[-1].name, reached @ exact(to_tip)))
    model = assemble(name, links, joints, Selection(gravity=gravity, check_inertia=check_inertia))
    return model.replace(frames=(*model.frames, *frames), tip="tip")


def step_along(d: float, theta: float) -> Array:
    """Rz(theta) Tz(d): along and about the joint axis; in `Exact` numbers."""
    c, s = cos_and_sin(theta)
    return rigid(np.array([[c, -s, ZERO], [s, c, ZERO], [ZERO, ZERO, ONE]]), exact(d * Z))


def step_across(a: float, alpha: float) -> Array:
    """Tx(a) Rx(alpha), which commute: along and about the common normal; in `Exact` numbers."""
    c, s = cos_and_sin(alpha)
    return rigid(np.array([[ONE, ZERO, ZERO], [ZERO, c, -s], [ZERO, s, c]]), exact([a, 0.0, 0.0]))


def convention_problems(convention: object) -> Iterator[str]:
    """The fault in the name of a convention."""
    if not is_one_of(convention, CONVENTIONS):
        text = " or ".join(f"{option('convention', name)} ({meaning})" for name, meaning in CONVENTIONS.items())
        fault = "is not given" if convention is None else f"is {excerpt(convention)}"
        yield f"convention {fault}; the same table means different arms: choose {text}."


def _pose(T: ArrayLike | None, name: str, problems: list[str]) -> Array:
    if T is None:
        return np.eye(4)
    pose = numbers(T, (4, 4), name, "a homogeneous matrix")
    problems += pose_problems(pose, name)
    return pose


def _rows(rows: Sequence[object], degrees: bool, problems: list[str]) -> list[DHRow]:
    """The rows that can be read, in radians; errors in the others are added to the problems."""
    given_rows = listed(rows)
    if not given_rows:
        raise ShapeError("rows must be a list with one row a joint: (a, alpha, d, theta), a dict, or a DHRow")
    table = []
    for i, values in enumerate(given_rows):
        here = f"rows[{i}]"
        words, fault = _words(values, here)
        result = [fault] if fault else [*_row_problems(words, here, degrees)]
        problems += result
        if not result:
            words |= {name: as_float(words[name]) for name in NUMBERS if name in words}
            words |= {name: math.radians(words[name]) for name in ("alpha", "theta") if degrees}
            words["kind"] = KINDS[words.get("kind", "revolute")]
            table.append(DHRow(**words))
    return table


def _words(row: object, here: str) -> tuple[dict[str, Any], str]:
    """The entries of a row by name, and the fault in its form."""
    if isinstance(row, DHRow):
        return {name: getattr(row, name) for name in NAMES}, ""
    if isinstance(row, Mapping):
        return dict(row), _fault_of_names(row, here)
    entries = listed(row)
    if entries is None:
        return {}, f"{here} is {excerpt(row)}; expected (a, alpha, d, theta), a dict of these, or a DHRow."
    if len(entries) not in (4, 5):
        return {}, (
            f"{here} has {len(entries)} entries; expected a, alpha, d, theta and, where the joint slides, 'prismatic'."
        )
    return dict(zip((*COLUMNS, "kind"), entries, strict=False)), ""


def _fault_of_names(row: Mapping[str, Any], here: str) -> str:
    missing = [name for name in COLUMNS if name not in row]
    if missing:
        return f"{here} has no {', '.join(missing)}; expected a, alpha, d and theta."
    for name in row:
        if is_one_of(name, MOTOR_WORDS):
            raise Unsupported(
                f"{here} has {name!r}: a DH row describes the joint, not its motor. Give the rotor's inertia times the "
                "gear ratio squared as 'armature', or leave it out."
            )
        if not is_one_of(name, NAMES):
            expected = f"expected {', '.join(NAMES)}.{did_you_mean(str(name), NAMES)}"
            return f"{here} has {excerpt(name)}, which is unknown; {expected}"
    return ""


def _row_problems(words: Mapping[str, object], here: str, degrees: bool) -> Iterator[str]:
    turn = 360.0 if degrees else 2.0 * math.pi
    for name in NUMBERS:
        value = words.get(name, 0.0)
        number = as_float(value)
        if not math.isfinite(number):
            yield f"{here}: {name} is {excerpt(value)}; expected a finite number."
        elif name in ("alpha", "theta") and abs(number) > turn * (1.0 + 1e-12):
            remedy = "" if degrees else " If the table is in degrees, pass degrees=True."
            yield f"{here}: {name} is {number:g} {'degrees' if degrees else 'rad'}, more than a full turn.{remedy}"
    yield from kind_problems(words.get("kind", "revolute"), f"{here}: kind")
    yield from collar_problems(words.get("collar", "child"), f"{here}: collar")
    for name, kind in (("inertia", Inertia), ("limits", Limits)):
        if name in words and not isinstance(words[name], kind):
            yield f"{here}: {name} is {words[name]!r}; expected an armdyn.{kind.__name__}."


def _with_column(table: list[DHRow], column: str, values: Sequence[object] | None, name: str) -> list[DHRow]:
    """The rows with inertias or limits that are given in separate arguments."""
    if values is None:
        return table
    kind = {"inertia": Inertia, "limits": Limits}[column]
    arguments = one_each(values, len(table), name, f"one armdyn.{kind.__name__} a row")
    for i, (row, value) in enumerate(zip(table, arguments, strict=True)):
        if not isinstance(value, kind):
            raise ShapeError(f"{name}[{i}] is {excerpt(value)}; expected an armdyn.{kind.__name__}")
        default = Inertia() if column == "inertia" else UNLIMITED
        if not _same(getattr(row, column), default):
            raise ModelError(f"rows[{i}] has its own {column}, and {name} is given too; give one of them.")
    return [dataclasses.replace(row, **cast(Any, {column: value})) for row, value in zip(table, arguments, strict=True)]


def _same(one: Inertia | Limits, default: Inertia | Limits) -> bool:
    if isinstance(one, Inertia):
        return one.mass == 0.0 and not one.tensor.any()
    return repr(one) == repr(default)  # limits of any type can be shown, not all can be compared
