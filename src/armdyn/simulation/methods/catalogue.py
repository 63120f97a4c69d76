"""The integration methods, as small objects that hold their settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from armdyn.base.advice import answering_class, either, option
from armdyn.base.checks import number, refuse_class, switch, whole_number
from armdyn.base.errors import SettingError, UnknownName
from armdyn.base.fields import set_fields
from armdyn.simulation.methods.formulas import (
    Scheme,
    constant_acceleration,
    constant_acceleration_as_printed,
    euler,
    heun,
    runge_kutta_4,
    semi_implicit_euler,
)
from armdyn.simulation.methods.predictor_corrector import (
    PAST,
    PAST_RATES,
    adams_bashforth_moulton_4,
    runge_kutta_4_remembering,
)
from armdyn.simulation.methods.variational import ITERATIONS, variational

SCIPY_METHODS = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")
"""The solvers of `scipy.integrate.solve_ivp`."""

EPSILON = 2.0**-52
"""The rounding of float64, relative to 1."""

SMALLEST_RTOL = 2.3e-14
"""A hundred roundings: SciPy's solvers cannot keep less."""


CONSTANT_ACCELERATION = Scheme("constant_acceleration", constant_acceleration, 1, 1)
AS_PRINTED = Scheme("constant_acceleration_as_printed", constant_acceleration_as_printed, 1, 1)


OF_STEPS = dict.fromkeys(("dt", "h", "timestep", "time_step"), "the length of the steps is step=, s")
"""Arguments of methods of other programs with steps of one length, and their counterpart."""

OF_TOLERANCES = {
    **dict.fromkeys(("step", "dt", "h"), "steps of one length are of a method such as RungeKutta4(step=1e-3), s"),
    **dict.fromkeys(("tol", "eps"), "the tolerances are rtol= and atol=; of Taylor tolerance="),
}
"""Arguments of other adaptive methods, and their counterparts."""


@dataclass(frozen=True)
class FixedStep:
    """A method whose steps all have the same length; the last is shortened to end at the duration."""

    step: float = 1e-3

    @property
    def scheme(self) -> Scheme:
        """Its formula, the number of its evaluations and its memory."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        set_fields(self, step=number("step", self.step, above=0.0, unit="s", error=SettingError))

    def __str__(self) -> str:
        return f"{type(self).__name__}, step {self.step:g} s"


@answering_class(OF_STEPS)
@dataclass(frozen=True)
class Euler(FixedStep):
    """Explicit Euler steps, as in Modern Robotics 8.5. First order: the simplest method, and the least accurate.

    q[k+1] = q[k] + qd[k] h and qd[k+1] = qd[k] + qdd[k] h. A torque or wrench that is a callable is called once per
    step, in order, and once more at the end: so a controller with a memory works with this method.

    Args:
        step: length of a step h, s.

    >>> Euler(step=0.01)
    Euler(step=0.01)
    """

    scheme = Scheme("euler", euler, 1, 1)


@answering_class(OF_STEPS)
@dataclass(frozen=True)
class SemiImplicitEuler(FixedStep):
    """Semi-implicit (symplectic) Euler steps: first order, and stable when explicit Euler gains energy.

    qd[k+1] = qd[k] + qdd[k] h and q[k+1] = q[k] + qd[k+1] h, as in physics engines; forces as of `Euler`. The work in
    the energy account is summed with qd[k], to first order as the motion.

    Args:
        step: length of a step h, s.
    """

    scheme = Scheme("semi_implicit_euler", semi_implicit_euler, 1, 1)


@answering_class(OF_STEPS)
@dataclass(frozen=True)
class ConstantAcceleration(FixedStep):
    """The acceleration held during each step, as UCL's lecture simulates its two-link arm. First order.

    qd[k+1] = qd[k] + qdd[k] T and q[k+1] = q[k] + qd[k] T + qdd[k] T^2 / 2. The program that the lecture prints updates
    the velocity first, and so computes q[k] + qd[k] T + 3/2 qdd[k] T^2. Forces as of `Euler`; work as of
    `SemiImplicitEuler`.

    Args:
        step: length of a step T, s.
        as_printed: use the formula of the printed program, in place of the one on the slides.

    >>> ConstantAcceleration(step=1e-3, as_printed=True)
    ConstantAcceleration(step=0.001, as_printed=True)
    """

    as_printed: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        set_fields(self, as_printed=switch("as_printed", self.as_printed, error=SettingError))

    @property
    def scheme(self) -> Scheme:
        """Its formula, the number of its evaluations and its memory."""
        return AS_PRINTED if self.as_printed else CONSTANT_ACCELERATION

    def __str__(self) -> str:
        return f"{super().__str__()}{', as printed' if self.as_printed else ''}"


@answering_class(OF_STEPS)
@dataclass(frozen=True)
class Heun(FixedStep):
    """Heun's steps, the mean of the rates at both ends: second order, with two evaluations.

    A torque or wrench that is a callable is called twice per step; an array is held during each step.

    Args:
        step: length of a step h, s.
    """

    scheme = Scheme("heun", heun, 2, 2)


@answering_class(OF_STEPS)
@dataclass(frozen=True)
class RungeKutta4(FixedStep):
    """Classical fourth-order Runge-Kutta steps: halving the step divides the error by sixteen.

    A torque or wrench that is a callable is called four times per step; an array is held during each step.

    Args:
        step: length of a step h, s.
    """

    scheme = Scheme("runge_kutta_4", runge_kutta_4, 4, 4)


@answering_class(OF_STEPS)
@dataclass(frozen=True)
class AdamsBashforthMoulton4(FixedStep):
    """Adams-Bashforth-Moulton steps, a predictor-corrector (PECE): fourth order, with two evaluations.

    The first three steps are Runge-Kutta's. So are the three after every row of a table that differs from the one
    before: rates from before a jump would make the method first-order. With a table whose rows all differ it is
    Runge-Kutta; a callable, called twice per step, should be smooth. Kazerounian and Gupta (1985) simulate by such a
    method.

    Args:
        step: length of a step h, s.
    """

    scheme = Scheme(
        "adams_bashforth_moulton_4",
        adams_bashforth_moulton_4,
        4,
        2,
        PAST_RATES,
        Scheme("runge_kutta_4_remembering", runge_kutta_4_remembering, 4, 4, PAST_RATES),
        PAST,
    )


@answering_class(OF_STEPS)
@dataclass(frozen=True)
class Variational(FixedStep):
    """Steps of the midpoint rule for the action: second order, symplectic, the energy error bounded for all time.

    For long motions of arms without losses, and for large steps. Torques enter by the discrete principle of d'Alembert,
    at the middle of the step, at which a callable is called in every iteration. The equation of a step is implicit
    and solved by a fixed number of iterations; if they leave a residual, ``trajectory.notes`` has its size. Forces of
    constraints, and of joints that stick, enter as torques do: to second order, without the bound on the energy.

    Args:
        step: length of a step h, s.
    """

    scheme = Scheme("variational", variational, 2, ITERATIONS + 2, {"residual": ()}, by_momenta=True)


@answering_class(OF_TOLERANCES)
@dataclass(frozen=True)
class Adaptive:
    """Steps as long as the error estimate allows, by a solver of SciPy.

    Each state of a batch is integrated by itself, with its own steps. A torque or wrench that is a callable is called
    at times that go back and forth, because steps are tried and rejected: it must depend on its arguments only.

    Args:
        rtol: relative error allowed in a step.
        atol: absolute error allowed in a step: rad or m, rad/s or m/s, and J for the work.
        scipy_method: "DOP853", "RK45", "RK23" (explicit), "Radau", "BDF" (implicit, for stiff controllers), "LSODA".
        max_steps: the most steps, after which an error is raised.
        chattering_step: length of the semi-implicit Euler steps that continue a motion if a force switches faster than
            any step can follow, s. Examples are a callable with sign(qd) at a joint that sticks, and the joints' own
            friction if it depends on the load. The error is of the first order, and ``trajectory.notes`` lists the
            times. None: never; such a motion takes ``max_steps`` and ends in an error.

    >>> Adaptive(rtol=1e-6, scipy_method="Radau").scipy_method
    'Radau'
    """

    rtol: float = 1e-10
    atol: float = 1e-10
    scipy_method: str = "DOP853"
    max_steps: int = 1_000_000
    chattering_step: float | None = 1e-4

    def __post_init__(self) -> None:
        set_fields(self, rtol=number("rtol", self.rtol, above=0.0, error=SettingError))
        set_fields(self, atol=number("atol", self.atol, above=0.0, error=SettingError))
        if self.rtol < SMALLEST_RTOL:
            raise SettingError(f"rtol={self.rtol:g} is below rounding; the least that can be kept is {SMALLEST_RTOL}")
        if self.scipy_method not in SCIPY_METHODS:
            raise UnknownName.of("solver", self.scipy_method, SCIPY_METHODS, "scipy.integrate")
        whole_number("max_steps", self.max_steps, least=1, error=SettingError)
        if self.chattering_step is not None:
            step = number("chattering_step", self.chattering_step, above=0.0, unit="s", error=SettingError)
            set_fields(self, chattering_step=step)

    def __str__(self) -> str:
        return f"{self.scipy_method}, rtol {self.rtol:g}, atol {self.atol:g}"


@answering_class(OF_TOLERANCES)
@dataclass(frozen=True)
class Taylor:
    """Taylor series of high order, by heyoka: to machine precision, for references and long motions.

    The order follows from the tolerance, 20 for rounding. Forces are constants or tables; a callable cannot be
    differentiated. Each state of a batch is integrated by itself. Compiling takes seconds for an arm of six joints.
    Needs heyoka (``pip install heyoka``).

    Args:
        tolerance: relative error allowed in a step; rounding, 2.2e-16, by default.

    >>> Taylor()
    Taylor(tolerance=2.220446049250313e-16)
    """

    tolerance: float = EPSILON

    def __post_init__(self) -> None:
        tolerance = number("tolerance", self.tolerance, least=EPSILON, below=1.0, error=SettingError)
        set_fields(self, tolerance=tolerance)

    def __str__(self) -> str:
        return f"Taylor series, tolerance {self.tolerance:.3g}"


Method = FixedStep | Adaptive | Taylor

NAMES: dict[str, type[Method]] = {
    "euler": Euler,
    "semi_implicit_euler": SemiImplicitEuler,
    "constant_acceleration": ConstantAcceleration,
    "constant_acceleration_as_printed": ConstantAcceleration,
    "heun": Heun,
    "rk4": RungeKutta4,
    "abm4": AdamsBashforthMoulton4,
    "variational": Variational,
    "adaptive": Adaptive,
    "radau": Adaptive,
    "bdf": Adaptive,
    "lsoda": Adaptive,
    "taylor": Taylor,
}
"""The methods by name."""

STIFF = {"radau": "Radau", "bdf": "BDF", "lsoda": "LSODA"}
"""The adaptive methods of stiff motions, by name, and their solvers in SciPy; LSODA is implicit if it must be."""


MULTISTEP = ("BDF", "LSODA")
"""Solvers of SciPy that take their next step from a history, which a correction would contradict."""


def chosen_method(method: str | Method) -> Method:
    """The method object of a name, with its default settings; an object is returned unchanged."""
    refuse_class("method", method, (FixedStep, Adaptive, Taylor))
    return method if isinstance(method, Method) else named_method(method)


def named_method(method: str, **settings: Any) -> Method:
    """The integration method of a name, with settings, as an object for `armdyn.simulate`.

    Args:
        method: "adaptive", "rk4", "euler", "semi_implicit_euler", "heun", "constant_acceleration",
            "constant_acceleration_as_printed", "abm4", "variational", "taylor", "radau", "bdf", "lsoda".
        settings: arguments of the method's class, e.g. step, s, or rtol and atol; None for the default.

    Raises:
        UnknownName: a method that does not exist.
        SettingError: a setting that the method does not have, or an invalid value.

    >>> named_method("rk4", step=0.01), named_method("radau", rtol=1e-6).scipy_method
    (RungeKutta4(step=0.01), 'Radau')
    """
    settings = {name: value for name, value in settings.items() if value is not None}
    if not isinstance(method, str):
        raise SettingError(f"method={method!r}; expected {', '.join(map(repr, NAMES))}, or such as Euler(step=1e-3)")
    solver = next((one for one in SCIPY_METHODS if one.lower() == method.lower()), None)
    if method not in NAMES and solver is not None and solver.lower() not in STIFF:
        raise UnknownName(
            f"no method {method!r} in simulate(): it is a solver of SciPy's, of which 'adaptive' takes DOP853; "
            f"expected 'adaptive', or armdyn.simulation.Adaptive(scipy_method={solver!r})"
        )
    if method not in NAMES:
        raise UnknownName.of("method", method, NAMES, "simulate()")
    settings |= {"scipy_method": STIFF[method]} if method in STIFF else {}
    settings |= {"as_printed": True} if method == "constant_acceleration_as_printed" else {}
    kind = NAMES[method]
    misplaced = [name for name in settings if name not in kind.__dataclass_fields__]
    if misplaced:
        is_taylor = kind is Taylor and misplaced[0] in ("rtol", "atol")
        fields = ", ".join(kind.__dataclass_fields__)
        remedy = _OF_TAYLOR if is_taylor else _REMEDIES.get(misplaced[0], f"it takes {fields}")
        remedy = remedy.format(save=either("SaveAt(every=...)", "--set save.every=SECONDS"))
        raise SettingError(f"method {method!r} has no {' and no '.join(misplaced)}; {remedy}")
    return kind(**settings)


_REMEDIES = {
    "step": "it chooses its steps itself. {save} sets the times that are saved",
    "rtol": "it does not control its error. Use 'adaptive', or a smaller step",
    "atol": "it does not control its error. Use 'adaptive', or a smaller step",
}
_OF_TAYLOR = "its error is that of one number, Taylor(tolerance=...). Use 'adaptive' for two"


def can_stop(method: Method) -> bool:
    """True if a method can stop within a step and go on from there: all but Taylor's."""
    return not isinstance(method, Taylor)


def check_method(method: Method) -> None:
    """Refuse the method that cannot stop within a step and go on from there."""
    if not can_stop(method):
        raise SettingError(
            f"{method} cannot stop at events, stops, contacts and brakes; use {option('method', 'adaptive')} or 'rk4', "
            "or another that does not need analytic equations"
        )
