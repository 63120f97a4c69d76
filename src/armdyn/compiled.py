"""A function of one robot, compiled when it is first called."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from armdyn.algorithms.declaration import Function, in_numbers
from armdyn.arrays import Names, are_arrays, are_plain, as_arrays, plain_arguments, takes_results
from armdyn.errors import ArmdynError, DTypeError, ShapeError, UnknownName
from armdyn.model.constraints import sizes as constraint_sizes
from armdyn.model.parameters import parameter_shape, with_parameters
from armdyn.program import OperationCounts, Port, Program, guarded, trace
from armdyn.source_keys import source_key
from armdyn.targets import direct, kernel_of, load_or_compile
from armdyn.targets.kernels import Kernel
from armdyn.targets.parallel import run_in_parallel
from armdyn.threads import Once, undivided

if TYPE_CHECKING:
    from armdyn.model.mechanism import Mechanism
    from armdyn.robot import Robot

Variant = tuple[tuple[str, ...], tuple[tuple[str, Any], ...]]
"""Which arrays are given, and the options that differ from their defaults: one compiled program each."""


class CompiledFunction:
    """A `Function` of one robot: call it with arrays of shape (..., *shape); leading axes broadcast.

    ``out=`` takes an array (or a tuple of them) for the results; ``workers=`` splits a large batch over up to so many
    threads, -1 meaning one a core; they look out for the next batch for some milliseconds before they sleep. Lists and
    integers become float64; float32 arrays, and integers of 8 or 16 bits, which float32 holds exactly, are computed in
    float32, as NumPy's own functions do. Arrays of other libraries are taken for their numbers, tables by the names of
    the joints (`armdyn.arrays`); the results are NumPy's. NaN in a state makes every result of that state NaN that
    depends on it, and where none does, all that are not the same for every state.
    """

    def __init__(self, robot: Robot, function: Function, parameters: Iterable[str] = ()) -> None:
        self.robot = robot
        self.function = function
        self.parameters = (parameters,) if isinstance(parameters, str) else tuple(parameters)
        if not all(isinstance(name, str) for name in self.parameters):
            raise TypeError(f"parameters are {self.parameters!r}; expected names, such as 'gravity' or 'LINK.mass'")
        if len(set(self.parameters)) < len(self.parameters):
            raise TypeError(f"{function.name} has parameters {', '.join(self.parameters)}; name each of them once")
        self._ports = {a.name: Port(a.name, self._resolve(a.shape)) for a in function.arguments}
        self._ports |= {name: Port(name, parameter_shape(robot.model, name)) for name in self.parameters}
        self._required = [a.name for a in function.arguments if not a.optional] + list(self.parameters)
        self._positional = [a.name for a in function.arguments] + list(self.parameters)
        self._kernels: dict[Variant, Kernel] = {}
        self._plain: dict[Any, Kernel] = {}  # by number of arrays, given by position, and options
        self._direct = direct.NO_RECORDS
        self._derivatives: dict[Any, CompiledFunction] = {}
        self.__name__, self.__doc__ = function.name, function.__doc__
        self.__signature__ = _signature(function, self.parameters)

    def __call__(self, *arrays: Any, **keywords: Any) -> Any:
        """Evaluate, compiling at the first call.

        From then on `armdyn.targets.direct` stands before this method: calls that name one state's arrays, and nothing
        else, do not get here.
        """
        out = workers = None
        call: Any = len(arrays)
        if keywords:
            out, workers = keywords.pop("out", None), keywords.pop("workers", None)
            call = (call, *keywords.items())
        try:
            kernel = self._plain.get(call)
        except Exception:  # arrays among the keywords, which have no hash, or compare to no truth
            kernel = None
        if kernel is not None and (out is None or type(out) is np.ndarray or _takes_results(out)):
            try:
                if are_arrays(arrays):
                    return self._run(kernel, arrays, out, workers)
                if are_plain(arrays):
                    return self._run(kernel, as_arrays(arrays), out, workers)
            except (TypeError, ValueError, OverflowError):
                pass  # the whole way says what is wrong
        return self._call_variant(arrays, keywords, out, workers)

    def _run(self, kernel: Kernel, arrays: Sequence[Any], out: Any, workers: Any) -> Any:
        """Call a kernel; the results under the names their declaration gives them."""
        function = kernel.for_arrays(arrays)
        run = function if workers is None else partial(run_in_parallel, function, workers)
        results = run(*arrays) if out is None else run(*arrays, out=out)
        if self.function.result is None:
            return results
        return self.function.result(*(results if isinstance(results, tuple) else (results,)))

    def __repr__(self) -> str:
        return f"<{self.function.name}{self.__signature__} of {self.robot.name!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return CompiledFunction, (self.robot, self.function, self.parameters)

    def program(self, *, given: Iterable[str] = (), **options: Any) -> Program:
        """The program behind this function.

        Args:
            given: names of the optional arrays that count as given, such as ``("f_tip",)``.
            options: the function's own, such as ``frame="tool0"``.
        """
        names = [n for n in self._positional if n in self._required or n in set(given)]
        return self._trace((tuple(names), self._chosen(options)))

    def derivative(self, *wrt: str) -> CompiledFunction:
        """The derivatives of the results by some of the arrays or model parameters: another compiled function.

        It takes the same arrays and options. Each result has the shape of what is differentiated, then that of what it
        is differentiated by; see `armdyn.differentiation.Derivative`, and its ``derivative`` for second ones.

        Args:
            wrt: names of arrays, or of model parameters such as "gravity" or "LINK.mass"; all arrays that must be given
                where none is named. A parameter that is no input of the function is taken at the model's own value.

        Raises:
            UnknownName: where the function has no such array and the model no such parameter.

        >>> robot = armdyn.load("ur5")
        >>> robot.forward_kinematics.derivative("q")(np.zeros(6)).shape
        (4, 4, 6)
        >>> by = robot.inverse_dynamics.derivative("qdd", "forearm_link.mass")(np.zeros(6), np.zeros(6), np.ones(6))
        >>> by.d_qdd.shape, by.d_forearm_link_mass.shape
        ((6, 6), (6,))
        """
        from armdyn.differentiation import Derivative  # noqa: PLC0415 - it is a CompiledFunction

        return self._derived(Derivative, wrt)

    def directional(self, *wrt: str) -> CompiledFunction:
        """The rates of the results where some of the arrays or model parameters change: another compiled function.

        For every name X it takes one more array ``along_X``, the rate of X or a direction, given by name: it stands
        behind all arrays and parameters, also those that may be left out. The results are shaped and named as before:
        the Jacobian times the direction, at a fraction of its cost. Of a gradient it is the product of Hessian and
        vector.

        Args:
            wrt: names as of `derivative`; all change together.

        Raises:
            UnknownName: where the function has no such array and the model no such parameter.

        >>> robot, q, qd = armdyn.load("ur5"), np.ones(6), np.full(6, 2.0)
        >>> Mdot = robot.mass_matrix.directional("q")(q, along_q=qd)
        >>> power = qd @ robot.velocity_forces(q, qd)
        >>> bool(np.isclose(power, qd @ Mdot @ qd / 2))
        True
        """
        from armdyn.differentiation import Directional  # noqa: PLC0415 - it is a CompiledFunction

        return self._derived(Directional, wrt)

    def _derived(
        self, kind: Callable[[CompiledFunction, tuple[str, ...]], CompiledFunction], wrt: tuple[str, ...]
    ) -> CompiledFunction:
        if not all(isinstance(name, str) for name in wrt):
            return kind(self, wrt)  # which refuses it by name
        key = (kind, wrt)
        if key not in self._derivatives:
            self._derivatives[key] = kind(self, wrt)
        return self._derivatives[key]

    @property
    def op_counts(self) -> OperationCounts:
        """What one evaluation costs, without optional arrays and with default options."""
        return self.program().op_counts

    def _resolve(self, shape: tuple[str | int, ...], options: Iterable[tuple[str, Any]] = ()) -> tuple[int, ...]:
        model, n = self.robot.model, self.robot.dof
        sizes = {"n": n, "joints": len(model.joints), "links": len(model.links), "pairs": n * (n - 1) // 2}
        sizes |= constraint_sizes(model.constraints)
        sizes |= {word: size(model, **dict(options)) for word, size in self.function.sizes.items()}
        return tuple(in_numbers(d, sizes) for d in shape)

    def _chosen(self, options: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
        self._refuse_unknown(options)
        missing = [name for name in self.function.required_options if name not in options]
        if missing:
            raise self._misses(missing)
        return tuple(sorted((k, v) for k, v in options.items() if self._is_another(k, v)))

    def _is_another(self, name: str, value: Any) -> bool:
        """Whether an option differs from its default."""
        try:
            hash(value)
            return bool(value != self.function.options[name])
        except Exception:  # arrays: without a hash, or with a comparison for each element
            kind = type(value).__name__
            raise TypeError(
                f"{name} is a {kind}; options are words, numbers or tuples, fixed before compiling"
            ) from None

    def _refuse_unknown(self, options: Iterable[str]) -> None:
        for name in options:
            if name not in self.function.options:
                known = ", ".join([*self._positional, *self.function.options, "out", "workers"])
                raise TypeError(f"{self.function.name}() has no argument {name!r}; it takes {known}")

    def _misses(self, options: Iterable[str]) -> Exception:
        """The error where options without a default are not given: which, and what there is to choose from."""
        choices = self.function.choices
        known = {name: list(choices[name](self.robot.model)) if name in choices else [] for name in options}
        said = [f"{name}=" + (f" (one of {_shown(names)})" if names else "") for name, names in known.items()]
        message = f"{self.function.name}() of {self.robot.name!r} misses {' and '.join(said)}, to be given by name"
        return UnknownName(message) if any(known.values()) else TypeError(message)

    def _call_variant(self, arrays: tuple[Any, ...], keywords: dict[str, Any], out: Any, workers: Any) -> Any:
        """The whole way of a call: bind names, choose or compile the kernel, run it."""
        out = tuple(out) if isinstance(out, tuple) else out  # NumPy takes no named ones
        given = self._bind(arrays, keywords)
        if not are_plain(given.values()):
            given = plain_arguments(given, self._names_along, repr(self.robot.name))
        variant = (tuple(given), self._chosen(keywords))
        kernel = self._kernels.get(variant)
        if kernel is None:
            self._check_arguments(given)  # before a compiler that takes its time
            kernel = self._kernels[variant] = self._compile(variant)
            if not variant[1] and list(given) == self._positional[: len(given)]:
                self._plain[len(given)] = self._plain[len(given),] = kernel
                self._call_directly(kernel)
        if list(given) == self._positional[: len(arrays)]:  # all by position: what is left in keywords are options
            self._plain[len(arrays), *keywords.items()] = kernel
            if not keywords:
                self._plain[len(arrays)] = kernel
        if out is None or _takes_results(out):
            try:
                return self._run(kernel, as_arrays(given.values()), out, workers)
            except (TypeError, ValueError, OverflowError) as error:
                complaint: Exception = error
        else:
            complaint = DTypeError("out holds something else than arrays that NumPy writes to as they are")
        self._check_out(out, variant[1], given)
        self._explain(given, complaint)

    def _names_along(self, argument: str) -> list[Names]:
        """What the axes of one state's argument count."""
        model = self.robot.model
        counted = {"n": self.robot.joint_names, "joints": model.joint_names, "links": model.link_names}
        shapes = {a.name: a.shape for a in self.function.arguments}
        return [counted.get(str(word)) for word in shapes.get(argument, ())]

    def _check_out(self, out: Any, options: Iterable[tuple[str, Any]], given: Mapping[str, Any]) -> None:
        """Complain of arrays for results that cannot take them."""
        if out is None:
            return
        arrays, what = out if isinstance(out, tuple) else (out,), f"{self.function.name} of {self.robot.name!r}"
        if len(arrays) != len(self.function.outputs):
            raise ShapeError(f"out holds {len(arrays)} arrays; {what} has {len(self.function.outputs)} results")
        for array, symbols in zip(arrays, self.function.outputs, strict=True):
            if array is not None:  # NumPy makes one there
                self._check_out_array(array, self._resolve(symbols, options), self._batch(given))

    def _check_out_array(self, array: Any, shape: tuple[int, ...], batch: tuple[int, ...] | None) -> None:
        dimensions = ", ".join(["...", *map(str, shape)])
        if not takes_results(array):
            raise DTypeError(f"out is {type(array).__name__}; expected a NumPy array of shape ({dimensions})")
        if array.shape[array.ndim - len(shape) :] != shape:
            raise ShapeError(f"out has shape {array.shape}; expected ({dimensions}) for {self.robot.name!r}")
        if batch is not None and array.shape != batch + shape:
            raise ShapeError(f"out has shape {array.shape}; expected {batch + shape} for a batch of shape {batch}")
        if array.dtype.kind != "f":
            raise DTypeError(f"out holds {array.dtype}; results are float64, or float32 of float32 arrays")
        if not array.flags.writeable:
            raise DTypeError("out is read-only; give an array that can be written to")

    def _batch(self, given: Mapping[str, Any]) -> tuple[int, ...] | None:
        """The shape of the batch; None where the arguments have none together."""
        shapes = [(np.shape(value), len(self._ports[name].shape)) for name, value in given.items()]
        try:
            return np.broadcast_shapes(*(shape[: len(shape) - rank] for shape, rank in shapes))
        except ValueError:
            return None

    def _bind(self, arrays: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
        """Arrays by name, in order; what is left in ``keywords`` are options. None means not given."""
        name = self.function.name
        if len(arrays) > len(self._positional):
            takes = ", ".join(self._positional)
            raise TypeError(f"{name}() takes {len(self._positional)} arrays ({takes}); got {len(arrays)}")
        values = dict(zip(self._positional, arrays, strict=False))
        for parameter in self.parameters:  # dots are no part of Python's keywords
            if (word := _keyword(parameter)) in keywords and word != parameter:
                keywords[parameter] = keywords.pop(word)
        for argument in self._positional:
            if argument in keywords:
                if argument in values:
                    raise TypeError(f"{name}() got {argument!r} twice, by position and by name")
                values[argument] = keywords.pop(argument)
        given = {n: values[n] for n in self._positional if values.get(n) is not None}
        missing = [n for n in self._required if n not in given]
        if missing:
            self._refuse_unknown(name for name in keywords if name not in ("out", "workers"))  # a slip of the pen
            optional = {a.name for a in self.function.arguments if a.optional}
            before = {n: self._positional[: self._positional.index(n)] for n in missing}
            by_name = [f"{_keyword(n)}=" for n in missing if optional.intersection(before[n])]
            hint = f"; give {', '.join(by_name)} by name, for optional arrays stand before" if by_name else ""
            raise TypeError(f"{name}() misses {', '.join(missing)}; it takes {', '.join(self._positional)}{hint}")
        return given

    def _call_directly(self, kernel: Kernel) -> None:
        """Let single states go straight to the kernel from now on."""
        container = self.function.result or (None if kernel.for_float64.nout == 1 else _several)
        record = direct.record(kernel.for_float64, container)
        if record and _in_front.get("CompiledFunction", lambda: _stand_in_front(kernel)):
            self._direct = record + self._direct

    def _compile(self, variant: Variant) -> Kernel:
        key = self._source_key(variant)
        with undivided():
            if key is None:
                return kernel_of(guarded(self._trace(variant)))  # found by its program
            return load_or_compile(key, lambda: guarded(self._trace(variant)))

    def _source_key(self, variant: Variant) -> str | None:
        """Names the function without tracing it; None where only its program can tell it from others."""
        key = source_key(self.robot.model, self.function, self.parameters, variant)
        return key and f"{type(self).__name__} {key}"

    def _trace(self, variant: Variant) -> Program:
        names, options = variant

        def run(*arrays: Any) -> Any:
            values = dict(zip(names, arrays, strict=True))
            result = self.evaluate(self.robot.exact_mechanism, values, options)
            self._check_results(result, options)
            return result

        fields = getattr(self.function.result, "_fields", ())
        return trace(run, [self._ports[n] for n in names], fields, name=self.function.name)

    def evaluate(self, model: Mechanism, values: Mapping[str, Any], options: Iterable[tuple[str, Any]] = ()) -> Any:
        """The function itself on numbers or traced scalars, for arrays and model parameters by name.

        A parameter without a value is what it is in the model. What is not in ``values`` is not given.
        """
        arguments = [a.name for a in self.function.arguments]
        changed = {name: value for name, value in values.items() if name not in arguments}
        if changed:
            model = with_parameters(model, changed)
        return self.function(model, *(values.get(a) for a in arguments), **dict(options))

    def _check_results(self, result: Any, options: Iterable[tuple[str, Any]]) -> None:
        results = result if isinstance(result, tuple) else (result,)
        shapes = [np.shape(r) for r in results]
        expected = [self._resolve(s, options) for s in self.function.outputs]
        if shapes != expected:
            raise ShapeError(f"{self.function.name} returned shapes {shapes}; its signature names {expected}")

    def _explain(self, given: Mapping[str, Any], error: Exception) -> NoReturn:
        """Turn NumPy's complaint into one that names the argument, the robot and its joints."""
        if not isinstance(error, ArmdynError):
            self._check_arguments(given)
        raise error

    def _check_arguments(self, given: Mapping[str, Any]) -> None:
        """Complain of arrays that do not fit the robot or each other."""
        for name, value in given.items():
            self._check_argument(self._ports[name], value)
        if self._batch(given) is None:
            shapes = ((name, np.shape(value), len(self._ports[name].shape)) for name, value in given.items())
            shown = ", ".join(f"{name} {shape[: len(shape) - rank]}" for name, shape, rank in shapes)
            what = f"{self.function.name} of {self.robot.name!r}"
            raise ShapeError(f"the batches of the arguments of {what} do not broadcast together: {shown}")

    def _check_argument(self, port: Port, value: Any) -> None:
        expected = f"expected {self._expected(port)}"
        try:
            array = np.asarray(value)
        except ValueError:
            raise ShapeError(f"{port.name} is ragged: its rows differ in length; {expected}") from None
        if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
            what = {"c": "complex numbers", "U": "text", "S": "text", "O": "Python objects"}
            held = what.get(array.dtype.kind, str(array.dtype))
            if array.dtype == object and all(isinstance(x, int) for x in array.flat):
                held = "integers beyond 64 bits"
            raise DTypeError(f"{port.name} holds {held}; expected real numbers: {self._expected(port)}")
        if array.ndim < len(port.shape) or array.shape[array.ndim - len(port.shape) :] != port.shape:
            raise ShapeError(f"{port.name} has shape {array.shape}; {expected}")

    def _expected(self, port: Port) -> str:
        dimensions = ", ".join(["...", *map(str, port.shape)])
        joints = self.robot.joint_names
        shown = joints if len(joints) <= 3 else (joints[0], "...", joints[-1])
        by_name = {a.name: a.shape for a in self.function.arguments}
        if by_name.get(port.name) == ("n",):
            each = "joint" if self.robot.model.coupling is None else "coordinate"
            return f"({dimensions}), one value per {each} of {self.robot.name!r}: {' '.join(shown)}"
        return f"({dimensions}) for {self.robot.name!r}"


_call_in_python = CompiledFunction.__call__


_in_front: Once[str, bool] = Once()


def _stand_in_front(kernel: Kernel) -> bool:
    """Put the C function for single states before `CompiledFunction.__call__`; False where there cannot be one."""
    method = direct.call_method(_call_in_python, "_direct", kernel.for_float64)
    if method is not None:
        CompiledFunction.__call__ = method  # type: ignore[method-assign]
    return method is not None


def _takes_results(out: Any) -> bool:
    """Whether NumPy writes results to ``out``, an array or a tuple with some, as to its own arrays."""
    if type(out) is np.ndarray:
        return True
    return all(a is None or takes_results(a) for a in (out if isinstance(out, tuple) else (out,)))


def _keyword(parameter: str) -> str:
    """The word a parameter is given by in a call: "tool0.payload.mass" by ``tool0_payload_mass=``."""
    return parameter.replace(".", "_")


def _shown(names: list[str]) -> str:
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")


def _several(*results: Any) -> tuple[Any, ...]:
    return results


def _signature(function: Function, parameters: tuple[str, ...]) -> inspect.Signature:
    """What ``help`` shows: the arrays, the options, ``out`` and ``workers``."""
    kinds = inspect.Parameter
    shown: list[inspect.Parameter] = []
    kind: Any = kinds.POSITIONAL_OR_KEYWORD
    for before, a in zip((None, *function.arguments), function.arguments, strict=False):
        if before is not None and before.optional and not a.optional:
            kind = kinds.KEYWORD_ONLY  # it must be given, and what stands before it need not
        shown.append(kinds(a.name, kind, default=None if a.optional else kinds.empty))
    shown += [kinds(_keyword(p), kinds.KEYWORD_ONLY) for p in parameters]
    shown += [kinds(name, kinds.KEYWORD_ONLY, default=default) for name, default in function.options.items()]
    shown += [kinds(name, kinds.KEYWORD_ONLY, default=None) for name in ("out", "workers")]
    return inspect.Signature(shown)
