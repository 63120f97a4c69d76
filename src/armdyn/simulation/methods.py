"""The integration methods, as small objects that hold their settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from armdyn.checks import number, whole_number
from armdyn.errors import UnknownName
from armdyn.simulation.equations import EULER, RUNGE_KUTTA_4, Scheme
from armdyn.simulation.errors import SettingError

SCIPY_METHODS = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")
"""The solvers of `scipy.integrate.solve_ivp`."""

SMALLEST_RTOL = 2.3e-14
"""A hundred roundings: SciPy's solvers cannot keep less."""


@dataclass(frozen=True)
class FixedStep:
    """A method whose steps all have the same length; the last is shortened where the duration asks for it."""

    step: float = 1e-3
    scheme: ClassVar[Scheme]

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", number("step", self.step, above=0.0, unit="s", error=SettingError))

    def __str__(self) -> str:
        return f"{type(self).__name__}, step {self.step:g} s"


@dataclass(frozen=True)
class Euler(FixedStep):
    """Explicit Euler steps, as Modern Robotics 8.5 writes them. First order: the plain one, and the least accurate.

    q[k+1] = q[k] + qd[k] h and qd[k+1] = qd[k] + qdd[k] h. A torque or wrench that is a callable is asked for once a
    step, in order, and once more at the end: so a controller with a memory works with this method.

    Args:
        step: h, s.

    >>> Euler(step=0.01)
    Euler(step=0.01)
    """

    scheme = EULER


@dataclass(frozen=True)
class RungeKutta4(FixedStep):
    """Classical fourth-order Runge-Kutta steps: halving the step divides the error by sixteen.

    A torque or wrench that is a callable is asked for four times a step; an array is held during each step.

    Args:
        step: h, s.
    """

    scheme = RUNGE_KUTTA_4


@dataclass(frozen=True)
class Adaptive:
    """Steps as long as the error estimate allows, by a solver of SciPy.

    Each state of a batch is integrated by itself, with its own steps. A torque or wrench that is a callable is asked
    for at times that go back and forth, because steps are tried and rejected: it must depend on its arguments only.

    Args:
        rtol: relative error allowed in a step.
        atol: absolute error allowed in a step: rad or m, rad/s or m/s, and J for the work.
        scipy_method: "DOP853", "RK45", "RK23" (explicit), "Radau", "BDF" (implicit, for stiff controllers), "LSODA".
        max_steps: give up after so many steps.

    >>> Adaptive(rtol=1e-6, scipy_method="Radau").scipy_method
    'Radau'
    """

    rtol: float = 1e-10
    atol: float = 1e-10
    scipy_method: str = "DOP853"
    max_steps: int = 1_000_000

    def __post_init__(self) -> None:
        object.__setattr__(self, "rtol", number("rtol", self.rtol, above=0.0, error=SettingError))
        object.__setattr__(self, "atol", number("atol", self.atol, above=0.0, error=SettingError))
        if self.rtol < SMALLEST_RTOL:
            raise SettingError(f"rtol={self.rtol:g} is below rounding; the least that can be kept is {SMALLEST_RTOL}")
        if self.scipy_method not in SCIPY_METHODS:
            raise UnknownName.of("solver", self.scipy_method, SCIPY_METHODS, "scipy.integrate")
        whole_number("max_steps", self.max_steps, least=1, error=SettingError)

    def __str__(self) -> str:
        return f"{self.scipy_method}, rtol {self.rtol:g}, atol {self.atol:g}"


Method = FixedStep | Adaptive

NAMES: dict[str, type[Method]] = {"euler": Euler, "rk4": RungeKutta4, "adaptive": Adaptive}
"""What newcomers write."""


def chosen_method(method: str | Method, step: float | None, rtol: float | None, atol: float | None) -> Method:
    """The method object that a name and its settings mean; an object brings its own settings."""
    given: dict[str, Any] = {name: v for name, v in (("step", step), ("rtol", rtol), ("atol", atol)) if v is not None}
    if isinstance(method, FixedStep | Adaptive):
        if given:
            raise SettingError(f"{', '.join(given)} given beside {method!r}; write it into the method's parentheses")
        return method
    if not isinstance(method, str):
        raise SettingError(f"method={method!r}; expected {', '.join(map(repr, NAMES))}, or such as Euler(step=1e-3)")
    if method not in NAMES:
        raise UnknownName.of("method", method, NAMES, "simulate()")
    kind = NAMES[method]
    misplaced = [name for name in given if name not in kind.__dataclass_fields__]
    if misplaced:
        raise SettingError(f"method {method!r} has no {' and no '.join(misplaced)}; {_REMEDIES[misplaced[0]]}")
    return kind(**given)


_REMEDIES = {
    "step": "it chooses its steps itself. How often to save is said by save_every",
    "rtol": "it does not control its error. Use 'adaptive', or a smaller step",
    "atol": "it does not control its error. Use 'adaptive', or a smaller step",
}
