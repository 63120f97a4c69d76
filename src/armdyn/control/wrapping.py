"""A controller around a controller: an ordinary `Function` with more arguments, states and signals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

import numpy as np

from armdyn.actuators.flexible_joints import spring_count
from armdyn.base.advice import either
from armdyn.base.errors import TraceError, Unsupported
from armdyn.base.named_tuples import named_tuple
from armdyn.base.scalars import Scalar
from armdyn.declaration import Argument, Function, MadeFunction, Shape
from armdyn.model.mechanism import Mechanism
from armdyn.robot import Robot
from armdyn.simulation.loop.controller import Controller
from armdyn.spatial.rotations import Array

Values = dict[str, Scalar]
Run = Callable[[Values], Values]
"""The results of the controller inside by name, from its arguments by name."""

Law = Callable[[Mechanism, Values, Run], Values]
"""The results by name, from the mechanism, the arguments by name, and a function that runs the inner one on others."""

Q, QD, H = Argument("q", ("n",)), Argument("qd", ("n",)), Argument("h", ())


class Inside:
    """A controller that is wrapped: its names, and new ones in addition.

    Args:
        controller: the `Function`.

    Raises:
        TraceError: a value that is not a declared function.
        ShapeError: one whose first result is not tau.
    """

    def __init__(self, controller: Function) -> None:
        self.controller = Controller(controller)
        self.function = controller
        self.arguments = {a.name: a for a in controller.arguments}
        self.results: dict[str, Shape] = dict(zip(self.controller.results, controller.outputs, strict=True))
        self.state = self.controller.state
        self._names = {*self.arguments, *self.results}

    def new(self, name: str) -> str:
        """A name that nothing inside has: the name itself, or with a number appended."""
        count, free = 1, name
        while free in self._names:
            count += 1
            free = f"{name}_{count}"
        self._names.add(free)
        return free

    def needs(self, *names: str, subject: str) -> None:
        """Refuse a controller that takes none of these arguments, so that wrapping it would change nothing."""
        if not any(name in self.arguments for name in names):
            raise TraceError(
                f"{self.function.name} does not take {' or '.join(names)}, so {subject} would change nothing"
            )

    def wrapped(
        self,
        make: Callable[..., Function],
        law: Law,
        doc: str,
        *,
        more: Iterable[Argument] = (),
        without: Iterable[str] = (),
        states: Mapping[str, Shape] | None = None,
        signals: Mapping[str, Shape] | None = None,
        settings: Mapping[str, object] | None = None,
        believed: Robot | None = None,
        gains: Iterable[str] = (),
    ) -> Function:
        """The controller with a law around it.

        Args:
            make: the public function that makes it, which gives it its name.
            law: its computation.
            doc: its documentation's first line.
            more: arguments in addition to those of the controller inside.
            without: arguments of the controller inside that the law gives.
            states: names and shapes of states in addition to those inside.
            signals: names and shapes of signals.
            settings: of ``make``, in addition to the controller.
            believed: the model of the controller inside; the loop's arm by default.
            gains: the names of those of ``more`` that may be a number, a vector or a full matrix.
        """
        states, signals = dict(states or {}), dict(signals or {})
        arguments = {name: a for name, a in self.arguments.items() if name not in set(without)}
        arguments |= {a.name: a for a in more if a.name not in arguments}
        arguments |= {name: Argument(name, shape) for name, shape in states.items()}
        results = self.results | states | signals
        name = f"{make.__name__}_{self.function.name}"
        kind = named_tuple(name, results)

        def run(model: Mechanism, *arrays: Array, **options: object) -> tuple[Array, ...]:
            values = dict.fromkeys(arguments) | dict(zip(arguments, arrays, strict=False))
            own = model if believed is None else _mechanism_of(believed, values)
            result = law(model, values, lambda given: self.controller.run(own, given, **options))
            outputs: tuple[Array, ...] = kind(*(np.asarray(result[x]) if results[x] else result[x] for x in results))
            return outputs

        run.__name__ = run.__qualname__ = name
        run.__module__ = self.function.implementation.__module__
        run.__doc__ = f"{doc}\n\nAround it: {self.function.name}. {self.function.__doc__ or ''}"
        created = partial(make, self.function, **(settings or {}))
        signature = ",".join(map(_group, arguments.values())) + "->" + ",".join(map(_shape, results.values()))
        function = self.function
        return MadeFunction(
            run, name, signature, tuple(arguments.values()), tuple(results.values()), function.options, kind,
            function.sizes, function.choices, created,
            gains={**function.gains, **dict.fromkeys(gains, "any")},
        )  # fmt: skip


def refuse_springs(model: Mechanism, why: str) -> None:
    """Refuse an arm with flexible joints, for a reason that ends without a full stop."""
    if spring_count(model.model) > 0:
        raise Unsupported(
            f"{why}; use it with the arm " + either("robot.without_springs()", "without springs in its actuators")
        )


def _mechanism_of(robot: Robot, values: Values) -> Mechanism:
    """The exact mechanism if values are traced, that in float64 if they are numbers."""
    is_traced = any(np.asarray(value).dtype == object for value in values.values() if value is not None)
    return robot.exact_mechanism if is_traced else robot.mechanism


def _shape(shape: Shape) -> str:
    return f"({','.join(map(str, shape))})"


def _group(argument: Argument) -> str:
    return _shape(argument.shape) + argument.mark
