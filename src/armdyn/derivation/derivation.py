"""`derive`: the equations of motion of an arm in closed form, step by step; and the `Derivation` it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sympy

from armdyn.derivation.arm import SymbolicArm
from armdyn.derivation.arrangement import Arrangement
from armdyn.derivation.lagrange import lagrange
from armdyn.derivation.newton_euler import newton_euler
from armdyn.derivation.parameters import Symbols, symbolic_arm
from armdyn.derivation.sizes import refuse_large
from armdyn.derivation.steps import Equation, Step, Writer
from armdyn.derivation.structure import Structure
from armdyn.errors import ModelError, UnknownName, Unsupported, shown
from armdyn.threads import cached_property

if TYPE_CHECKING:
    from armdyn.targets.c.code import CCode

FORMS = ("lagrange", "newton-euler", "state-space", "configuration-space")

QUANTITIES = {
    "tau": ("tau", r"\tau", "joint forces"),
    "M": ("M", "M(q)", "mass matrix"),
    "c": ("c", r"c(q, \dot{q})", "Coriolis and centrifugal forces"),
    "g": ("g", "g(q)", "forces of gravity"),
    "C": ("C", r"C(q, \dot{q})", "Coriolis matrix by Christoffel symbols"),
    "christoffel": ("Gamma", r"\Gamma(q)", "Christoffel symbols of the first kind"),
    "coriolis": ("B", "B(q)", "coefficients of qd_j qd_k, j < k"),
    "centrifugal": ("C", "C(q)", "coefficients of qd_j^2"),
    "friction": ("tau_f", r"\tau_f", "friction"),
    "M_dot": ("Mdot", r"\dot{M}", "rate of the mass matrix"),
}
"""Every result: its symbol, its LaTeX, its meaning."""

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
    robot: Any,
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
        symbols: "all", or a symbol for each parameter that is to be one, by the parameter's name; see
            `armdyn.derivation.parameters`. None for numbers.
        limit: refuse arms whose closed form no one can read.
        progress: called with the title of each step as it begins.

    Raises:
        MissingLibrary: without SymPy.
        ModelError: a symbol that stands for two numbers, or an expression with another value than the robot's.
        UnknownName: a parameter the robot does not have.
        Unsupported: an arm too large for closed forms; constraints; friction that is no polynomial.

    >>> symbols = {"link_1.mass": "m1", "link_1.com": "L1", "joint_2.placement": "L1"}
    >>> symbols |= {"link_2.mass": "m2", "link_2.com": "L2", "gravity": "g"}
    >>> arm = armdyn.derive(armdyn.load("planar_2r"), symbols=symbols)
    >>> arm.M[0, 1]
    m2*(L1*L2*cos(q2) + L2**2)
    >>> print(arm.text("g"))
    g_1 = (m₁ + m₂)·g·L₁·c₁ + m₂·g·L₂·c₁₂
    g_2 = m₂·g·L₂·c₁₂
    """
    if form not in FORMS:
        raise UnknownName.of("form", form, FORMS, "armdyn.derive")
    arm = _arm(robot, symbols)
    if arm.constraints:
        raise Unsupported(
            f"{arm.name!r} has constraints, which the forms {', '.join(FORMS)} do not have: derive "
            "robot.without_constraints() with them, or the constrained form by armdyn.derivation.constrained"
        )
    if limit:
        refuse_large(arm)
    arrangement = Arrangement(arm)
    writer = Writer(arrangement.written, progress or (lambda title: None))
    tau = (newton_euler if form == "newton-euler" else lagrange)(arm, writer)
    return Derivation(arm, form, tuple(writer.steps), Structure(arm.algebra, tau), arrangement)


def _arm(robot: Any, symbols: Symbols) -> SymbolicArm:
    if isinstance(robot, SymbolicArm):
        if symbols is not None:
            raise ModelError("symbols are given for a SymbolicArm, which has its own; leave them out")
        return robot
    if not hasattr(robot, "model"):
        raise ModelError(f"the robot is {shown(robot)}; expected an armdyn.Robot or a SymbolicArm")
    return symbolic_arm(robot, symbols)


@dataclass(frozen=True, eq=False)
class Derivation:
    """The equations of motion of an arm, step by step, and their parts.

    Made by `armdyn.derive`. It prints as text, shows itself in Jupyter, and writes LaTeX, Python and C.

    Args:
        arm: the arm with its symbols.
        form: which derivation it is.
        derived: the steps up to the joint forces.
        structure: the parts as polynomials.
        arrangement: writes polynomials as expressions.
    """

    arm: SymbolicArm
    form: str
    derived: tuple[Step, ...]
    structure: Structure
    arrangement: Arrangement

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps in order: title, sentence, equations; the last has the parts in the form asked for."""
        title, sentence, results = CLOSINGS[self.form]
        equations = tuple(Equation(sympy.Symbol(name), self[key], latex) for name, latex, key in results)
        return (*(self.derived if self.form in ("lagrange", "newton-euler") else ()), Step(title, sentence, equations))

    @property
    def q(self) -> tuple[sympy.Symbol, ...]:
        """The coordinates q1, ..., qn."""
        return self.arm.algebra.symbols["q"]

    @property
    def qd(self) -> tuple[sympy.Symbol, ...]:
        """Their rates qd1, ..., qdn."""
        return self.arm.algebra.symbols["qd"]

    @property
    def qdd(self) -> tuple[sympy.Symbol, ...]:
        """Their accelerations qdd1, ..., qddn."""
        return self.arm.algebra.symbols["qdd"]

    @property
    def values(self) -> Mapping[sympy.Symbol, float]:
        """The robot's numbers that the symbols stand for, SI."""
        return self.arm.values

    @property
    def meanings(self) -> Mapping[sympy.Symbol, str]:
        """The meanings of the symbols, such as "mass of link_1"."""
        return self.arm.meanings

    def __getitem__(self, name: str) -> Any:
        """A result by its name, one of `QUANTITIES`, as a matrix of SymPy; "christoffel" as an array (n, n, n)."""
        if name not in QUANTITIES:
            raise UnknownName.of("result", name, QUANTITIES, "this derivation")
        return self._results(name)

    @cached_property
    def _results(self) -> Callable[[str], Any]:
        return cache(lambda name: self.arrangement.array(getattr(self.structure, name)))

    def arranged(self, name: str, by: Sequence[str]) -> Any:
        """A result in another arrangement.

        Args:
            name: one of `QUANTITIES`.
            by: the order in which "motion" (rates), "mass" (inertias) and "geometry" (lengths and angles) are
                collected, the outermost first.

        >>> symbols = {"link_1.mass": "m1", "link_2.mass": "m2"}
        >>> armdyn.derive(armdyn.load("planar_2r"), symbols=symbols).arranged("M", ("motion", "geometry", "mass"))[0, 0]
        m1 + 2*m2*cos(q2) + 2*m2
        """
        self[name]
        return self.arrangement.array(getattr(self.structure, name), by)

    @property
    def M(self) -> Any:
        """The mass matrix, shape (n, n)."""
        return self["M"]

    @property
    def c(self) -> Any:
        """Coriolis and centrifugal forces, shape (n, 1)."""
        return self["c"]

    @property
    def g(self) -> Any:
        """Forces of gravity, shape (n, 1)."""
        return self["g"]

    @property
    def tau(self) -> Any:
        """Joint forces, shape (n, 1)."""
        return self["tau"]

    @property
    def C(self) -> Any:
        """The Coriolis matrix by Christoffel symbols, shape (n, n)."""
        return self["C"]

    @property
    def christoffel(self) -> Any:
        """Christoffel symbols of the first kind Gamma_ijk(q), shape (n, n, n)."""
        return self["christoffel"]

    def function(self, name: str = "tau", values: Mapping[Any, float] | None = None) -> Callable[..., Any]:
        """A result as a NumPy function of q, qd and qdd, with numbers in place of the symbols.

        Args:
            name: one of `QUANTITIES`.
            values: numbers of symbols, by symbol or name; the robot's own where not given.

        Raises:
            ModelError: where a symbol has no number.

        >>> arm = armdyn.derive(armdyn.load("planar_2r"), symbols="all")
        >>> arm.function("M")([0.0, np.pi / 2], [0, 0], [0, 0])
        array([[3., 1.],
               [1., 1.]])
        """
        from armdyn.derivation.evaluation import evaluated  # noqa: PLC0415

        return evaluated(self, name, values)

    def base_parameters(self) -> Any:
        """The combinations of masses and inertias that the joint forces depend on, by name; see `BaseParameters`."""
        from armdyn.derivation.base_parameters import base_parameters  # noqa: PLC0415

        return base_parameters(self)

    def text(self, name: str) -> str:
        """A result as lines of text, an entry each."""
        from armdyn.derivation.printing import Notation, lines_of  # noqa: PLC0415

        return "\n".join(lines_of(QUANTITIES[name][0], self[name], Notation(self.arm.parameters)))

    def __str__(self) -> str:
        from armdyn.derivation.printing import text_of  # noqa: PLC0415

        return text_of(self)

    def __repr__(self) -> str:
        return f"<Derivation of {self.arm.name!r}: {self.form}, {len(self.steps)} steps, {self.arm.dof} coordinates>"

    def latex(self) -> str:
        """The steps in LaTeX: headings, sentences and aligned equations (amsmath)."""
        from armdyn.derivation.document import body_of  # noqa: PLC0415

        return body_of(self)

    def _repr_latex_(self) -> str:
        from armdyn.derivation.document import shown_in_jupyter  # noqa: PLC0415

        return shown_in_jupyter(self)

    def document(self, path: str | Path | None = None) -> str:
        """A LaTeX document of the derivation, which compiles by itself; written to a file where one is named."""
        from armdyn.derivation.document import document_of  # noqa: PLC0415

        text = document_of(self)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def to_python(self) -> str:
        """A Python module with a function for tau, M, c and g each, which needs ``math`` alone."""
        from armdyn.derivation.python_source import source_of  # noqa: PLC0415

        return source_of(self)

    def to_c(self, *, name: str | None = None, scalar: str = "double", sincos: str | tuple[str, str] = "libm") -> CCode:
        """C99 of tau, M, c and g: a header, a source, a self-test and a CMakeLists.txt; `CCode.write` writes them.

        The functions ``NAME_joint_forces``, ``NAME_mass_matrix``, ``NAME_velocity_forces`` and ``NAME_gravity_forces``
        take the motion, and as numbers the symbols that their results contain; comments have the robot's numbers.

        Args:
            name: of the files, and the beginning of the functions' names; the robot's own if not given.
            scalar: "double" or "float".
            sincos: where sine and cosine come from, as of `armdyn.Robot.to_c`.

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
