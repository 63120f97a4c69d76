"""`derive`: the equations of motion of an arm in closed form, step by step; and the `Derivation` it returns."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import sympy

from armdyn.base.errors import ModelError, UnknownName, Unsupported, excerpt
from armdyn.base.scalars import Scalar
from armdyn.base.threads import cached_property
from armdyn.derivation.arm import SymbolicArm
from armdyn.derivation.arrangement import Arrangement
from armdyn.derivation.closed_form import ClosedFormResults
from armdyn.derivation.kinematics import Kinematics
from armdyn.derivation.lagrange import lagrange
from armdyn.derivation.named_results import DynamicsResults
from armdyn.derivation.newton_euler import newton_euler
from armdyn.derivation.parameters import Symbols, symbolic_arm
from armdyn.derivation.sizes import refuse_large
from armdyn.derivation.steps import Equation, Step, Writer
from armdyn.derivation.structure import Structure

if TYPE_CHECKING:
    from armdyn.algorithms.task_rows import Components
    from armdyn.derivation.constrained import ConstrainedEquations, Constraints
    from armdyn.derivation.task import TaskEquations
    from armdyn.targets.c.code import CCode

FORMS = ("lagrange", "newton-euler", "state-space", "configuration-space")

ELSEWHERE = {
    "task-space": "armdyn.derive(robot).task_space(components)",
    "constrained": "armdyn.derive(robot).constrained(constraints)",
}
"""Forms that are methods of a `Derivation`, for error messages."""

CLOSINGS: Mapping[str, tuple[str, str, tuple[tuple[str, str, str], ...]]] = {
    "lagrange": (
        "Mass matrix, velocity forces and gravity",
        "The terms are collected as tau = M(q) qdd + c(q, qd) + g(q).",
        (("M", "M(q)", "M"), ("c", r"c(q, \dot{q})", "c"), ("g", "g(q)", "g")),
    ),
    "state-space": (
        "State-space form",
        "The joint forces are tau = M(q) qdd + V(q, qd) + G(q).",
        (("M", "M(q)", "M"), ("V", r"V(q, \dot{q})", "c"), ("G", "G(q)", "g")),
    ),
    "configuration-space": (
        "Configuration-space form",
        "The joint forces are tau = M(q) qdd + B(q) [qd qd] + C(q) [qd^2] + G(q), with [qd qd] the products of "
        "different rates in the order 12, 13, ..., 23, ... and [qd^2] the squares.",
        (("M", "M(q)", "M"), ("B", "B(q)", "coriolis"), ("C", "C(q)", "centrifugal"), ("G", "G(q)", "g")),
    ),
}
CLOSINGS = {**CLOSINGS, "newton-euler": CLOSINGS["lagrange"]}


def derive(
    robot: object,
    form: str = "lagrange",
    *,
    symbols: Symbols = None,
    limit: bool = True,
    progress: Callable[[str], None] | None = None,
) -> Derivation:
    """The equations of motion of an arm in closed form, by SymPy, step by step.

    Args:
        robot: an `armdyn.Robot`, or a `SymbolicArm`.
        form: "lagrange", by energies (Modern Robotics 8.1); "newton-euler", iteration by iteration (Craig 6.5);
            "state-space", M, V and G; "configuration-space", M, B, C and G.
        symbols: "all", or the symbols of the symbolic parameters, by the names of parameters in
            `armdyn.derivation.parameters`. None for numbers.
        limit: True to refuse arms whose closed forms are too long to read.
        progress: callback with the title of each step at its start.

    Raises:
        MissingLibrary: without SymPy.
        ModelError: a symbol with two different numbers, or an expression with another value than the robot's.
        UnknownName: a parameter that the robot does not have.
        Unsupported: an arm too large for closed forms; constraints; friction that is not a polynomial.

    >>> symbols = {"link_1.mass": "m1", "link_1.com": "L1", "joint_2.placement": "L1"}
    >>> symbols |= {"link_2.mass": "m2", "link_2.com": "L2", "gravity": "g"}
    >>> arm = armdyn.derive(armdyn.load("planar_2r"), symbols=symbols)
    >>> arm.M[0, 1]
    m2*(L1*L2*cos(q2) + L2**2)
    >>> print(arm.text("g"))
    g_1 = (m₁ + m₂)·g·L₁·c₁ + m₂·g·L₂·c₁₂
    g_2 = m₂·g·L₂·c₁₂
    """
    if form in ELSEWHERE:
        raise UnknownName(f"no form {form!r} in armdyn.derive, for it needs more than the arm: {ELSEWHERE[form]}")
    if form not in FORMS:
        raise UnknownName.of("form", form, FORMS, "armdyn.derive")
    arm = _arm(robot, symbols)
    if arm.constraints:
        raise Unsupported(
            f"{arm.name!r} has constraints, which the forms {', '.join(FORMS)} do not have: derive "
            "robot.without_constraints(), whose .constrained(robot.model.constraints) is the constrained form"
        )
    if limit:
        refuse_large(arm)
    arrangement = Arrangement(arm)
    writer = Writer(arrangement.written, progress or (lambda title: None))
    tau = (newton_euler if form == "newton-euler" else lagrange)(arm, writer)
    return Derivation(arm, form, tuple(writer.steps), Structure(arm.algebra, tau), arrangement)


def _arm(robot: object, symbols: Symbols) -> SymbolicArm:
    if isinstance(robot, SymbolicArm):
        if symbols is not None:
            raise ModelError("symbols are given for a SymbolicArm, which has its own; leave them out")
        return robot
    if not hasattr(robot, "model"):
        raise ModelError(f"the robot is {excerpt(robot)}; expected an armdyn.Robot or a SymbolicArm")
    return symbolic_arm(robot, symbols)


@dataclass(frozen=True, eq=False)
class Derivation(ClosedFormResults, DynamicsResults):
    """The equations of motion of an arm, step by step, and their parts.

    `armdyn.derive` returns it. It prints as text, is displayed in Jupyter, and writes LaTeX, Python and C.

    Results by name are those of `RESULTS`, the equations of all steps as they are printed ("K_2", "L", "dL/dq_1"; of
    "newton-euler" "f_2", "N_1"), and for each link i "a_Ci" and "F_Ci", acceleration and resultant force m a_C of its
    centre of mass in base axes.

    >>> masses = {"link_1.mass": "m1", "link_2.mass": "m2"}
    >>> arm = armdyn.derive(armdyn.load("planar_2r"), symbols=masses)
    >>> print(arm["K_1"], arm.text("centrifugal_forces"), sep=", ")
    m1*qd1**2/2, c_cen_1 = -m₂·s₂·q̇₂²
    c_cen_2 = m₂·s₂·q̇₁²

    Args:
        arm: the arm with its symbols.
        form: name of the form.
        derived: the steps up to the joint forces.
        structure: the parts as polynomials.
        arrangement: arrangement that writes polynomials as expressions.
    """

    RESULTS: ClassVar = {
        "tau": ("tau", r"\tau", "joint forces"),
        "M": ("M", "M(q)", "mass matrix"),
        "c": ("c", r"c(q, \dot{q})", "Coriolis and centrifugal forces"),
        "g": ("g", "g(q)", "forces of gravity"),
        "C": ("C", r"C(q, \dot{q})", "Coriolis matrix by Christoffel symbols"),
        "christoffel": ("Gamma", r"\Gamma(q)", "Christoffel symbols of the first kind"),
        "coriolis": ("B", "B(q)", "coefficients of qd_j qd_k, j < k"),
        "centrifugal": ("C", "C(q)", "coefficients of qd_j^2"),
        "centrifugal_forces": ("c_cen", r"c_{\mathrm{cen}}(q, \dot{q})", "centrifugal forces, of qd_j^2"),
        "coriolis_forces": ("c_cor", r"c_{\mathrm{cor}}(q, \dot{q})", "Coriolis forces, of qd_j qd_k"),
        "friction": ("tau_f", r"\tau_f", "friction"),
        "M_dot": ("Mdot", r"\dot{M}", "rate of the mass matrix"),
    }
    WHERE: ClassVar = "this derivation"

    arm: SymbolicArm
    form: str
    derived: tuple[Step, ...]
    structure: Structure
    arrangement: Arrangement

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps in order: title, sentence, equations; the last contains the parts in the requested form."""
        title, sentence, results = CLOSINGS[self.form]
        equations = tuple(Equation(sympy.Symbol(name), self[key], latex) for name, latex, key in results)
        return (*(self.derived if self.form in ("lagrange", "newton-euler") else ()), Step(title, sentence, equations))

    def _result(self, name: str) -> Scalar:
        return self.arrangement.array(getattr(self.structure, name))

    def arranged(self, name: str, by: Sequence[str]) -> Scalar:
        """A result in another arrangement.

        Args:
            name: one of `RESULTS`.
            by: the order in which "motion" (rates), "mass" (inertias) and "geometry" (lengths and angles) are
                collected, the outermost first.

        >>> symbols = {"link_1.mass": "m1", "link_2.mass": "m2"}
        >>> armdyn.derive(armdyn.load("planar_2r"), symbols=symbols).arranged("M", ("motion", "geometry", "mass"))[0, 0]
        m1 + 2*m2*cos(q2) + 2*m2
        """
        self[name]
        return self.arrangement.array(getattr(self.structure, name), by)

    def _equation(self, name: str) -> Equation | None:
        """An equation of the steps; or a_Ci and F_Ci = m a_Ci of link i, in base axes (Modern Robotics 8.11, 8.12).

        The book's f_i is F_Ci in forms without the force f_i that a joint transmits.
        """
        equation = super()._equation(name)
        part = re.fullmatch("([aF])_C([0-9]+)", re.sub("^f_(?=[0-9])", "F_C", name))
        if equation is not None or part is None or not 1 <= int(part[2]) <= len(self.arm.bodies):
            return equation
        algebra, k = self.arm.algebra, int(part[2]) - 1
        a = algebra.rates(algebra.rates(Kinematics(self.arm).centres[k]))
        value = a if part[1] == "a" else algebra.each(a * algebra.element(self.arm.bodies[k].mass))
        side = rf"f_{{{k + 1}}}" if name.startswith("f_") else rf"{part[1]}_{{C_{{{k + 1}}}}}"
        return Equation(sympy.Symbol(name), self.arrangement.written(value, name), side)

    @property
    def M(self) -> Scalar:
        """The mass matrix, shape (n, n)."""
        return self["M"]

    @property
    def c(self) -> Scalar:
        """Coriolis and centrifugal forces, shape (n, 1)."""
        return self["c"]

    @property
    def g(self) -> Scalar:
        """Forces of gravity g = dP/dq, including those of springs in parallel with drives, shape (n, 1)."""
        return self["g"]

    @property
    def tau(self) -> Scalar:
        """Joint forces, shape (n, 1)."""
        return self["tau"]

    @property
    def C(self) -> Scalar:
        """The Coriolis matrix by Christoffel symbols, shape (n, n)."""
        return self["C"]

    @property
    def christoffel(self) -> Scalar:
        """Christoffel symbols of the first kind Gamma_ijk(q), shape (n, n, n)."""
        return self["christoffel"]

    def function(self, name: str = "tau", values: Mapping[Scalar, float] | None = None) -> Callable[..., Scalar]:
        """A result as a NumPy function of q, qd and qdd; the joint forces by default."""
        return super().function(name, values)

    def task_space(self, components: Components, expressed_in: str = "body") -> TaskEquations:
        """The equations of motion in coordinates of the tip: J, its rate, and F = Lambda Vdot + mu + p.

        Args:
            components: components of the tip's twist, as many as the arm has coordinates, three at most: "wx", ...,
                "vz", "position" or rows of six numbers, as in `armdyn.Robot.task_space`.
            expressed_in: "body", "world" or "space".

        Raises:
            UnknownName: an unknown component or value of ``expressed_in``.
            Unsupported: larger arms; another number of components; components that are dependent everywhere, when
                Lambda is computed.

        >>> arm = armdyn.derive(armdyn.load("planar_2r"), symbols={"link_1.mass": "m1", "link_2.mass": "m2"})
        >>> task = arm.task_space(("vx", "vy"))
        >>> print(task.text("Lambda"))
        Lambda_11 = m₁/s₂² + m₂
        Lambda_22 = m₂
        Lambda_12 = Lambda_21 = 0
        """
        from armdyn.derivation.task import TaskEquations  # noqa: PLC0415

        return TaskEquations(self, components, expressed_in)

    def constrained(self, constraints: Constraints, expressed_in: str = "world") -> ConstrainedEquations:
        """The motion of the arm under constraints: A, its rate, multipliers lambda = W tau + w, and the projection P.

        Args:
            constraints: components of the tip's twist that are zero, e.g. "vx"; and constraints of
                `armdyn.constraints`, e.g. ``robot.model.constraints``: points on planes and lines of the base, frames
                fixed to it along x, y or z, and couplings of joints. Fewer rows than the arm has coordinates.
            expressed_in: axes of the components: "world", "body" or "space".

        Raises:
            ModelError: no constraint, or too many.
            UnknownName: an unknown component, joint or value of ``expressed_in``.
            Unsupported: arms of more than three coordinates; other constraints; rows that are dependent everywhere,
                when multipliers are computed.

        >>> arm = armdyn.derive(armdyn.load("planar_2r"))
        >>> print(arm.constrained("vx").text("A"))
        A_11 = -s₁ - s₁₂
        A_12 = -s₁₂
        """
        from armdyn.derivation.constrained import ConstrainedEquations  # noqa: PLC0415

        return ConstrainedEquations(self, constraints, expressed_in)

    def base_parameters(self) -> Scalar:
        """The base parameters: the combinations of masses and inertias that determine the joint forces, by name."""
        from armdyn.derivation.base_parameters import base_parameters  # noqa: PLC0415

        return base_parameters(self)

    def __repr__(self) -> str:
        return f"<Derivation of {self.arm.name!r}: {self.form}, {len(self.steps)} steps, {self.arm.dof} coordinates>"

    def to_python(self) -> str:
        """A Python module with one function each for tau, M, c and g, which imports only ``math``."""
        from armdyn.derivation.python_source import source_of  # noqa: PLC0415

        return source_of(self)

    def to_c(self, *, name: str | None = None, scalar: str = "double", sincos: str | tuple[str, str] = "libm") -> CCode:
        """C99 of tau, M, c and g: a header, a source, a self-test and a CMakeLists.txt; `CCode.write` writes them.

        The functions ``NAME_joint_forces``, ``NAME_mass_matrix``, ``NAME_velocity_forces`` and ``NAME_gravity_forces``
        have as arguments the motion and the symbols in their results; comments contain the robot's numbers.

        Args:
            name: name of the files, and prefix of the functions' names; the robot's own by default.
            scalar: "double" or "float".
            sincos: source of sine and cosine, as in `armdyn.Robot.to_c`.

        Raises:
            Unsupported: symbols whose names are equal in C; another scalar.

        >>> arm = armdyn.derive(armdyn.load("planar_2r"), symbols={"link_2.mass": "m2", "gravity": "g"})
        >>> print(arm.to_c(name="arm").header)
        /* arm.h, made by armdyn ...
        void arm_gravity_forces(const double q[2], double m2, double g, double gravity_forces[2]);
        ...
        """
        from armdyn.derivation.programs import c_of  # noqa: PLC0415

        return c_of(self, name, scalar, sincos)
