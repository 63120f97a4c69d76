"""A function of one robot, compiled when it is first called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.base.arrays import are_arrays, are_plain, as_arrays, plain_arguments
from armdyn.base.errors import ArmdynError, DTypeError, ShapeError, is_ours
from armdyn.base.threads import undivided
from armdyn.declaration import Function, on_numbers
from armdyn.functions import single_states
from armdyn.functions.binding import Inputs
from armdyn.functions.c_notes import OfProgramWithNotes
from armdyn.functions.explain import check_arguments, check_out, check_out_of_batch, is_writable
from armdyn.functions.gains import dtype_of, free, kinds_of, single, spread, with_kinds
from armdyn.functions.locating import are_traced, call_traced
from armdyn.functions.of_program import OfProgram
from armdyn.functions.source_keys import source_key
from armdyn.functions.variants import Options, Variant, array_names, call_options
from armdyn.model.parameters import with_parameters
from armdyn.program import OperationCounts, Program, guarded, trace
from armdyn.targets import kernel_of, load_or_compile
from armdyn.targets.kernels import Kernel
from armdyn.targets.parallel import run_in_parallel

if TYPE_CHECKING:
    from armdyn.functions.arm import Arm
    from armdyn.model.mechanism import Mechanism


OF_CALL = """
    Options of every call: ``out=``, an array for the result, or a tuple of arrays for several; ``workers=``, the most
    threads among which a large batch is divided, -1 for one per core.
    """


class CompiledFunction:
    """A `Function` of one robot: call it with arrays of shape (..., *shape); leading axes broadcast.

    ``out=`` takes an array (or a tuple of them) for the results; ``workers=`` splits a large batch over up to this
    number of threads, -1 meaning one per core; they spin for some milliseconds before they sleep. Lists and integers
    become float64; float32 arrays, and integers of 8 or 16 bits, which float32 holds exactly, are computed in float32,
    as NumPy's own functions do. Arrays of other libraries are taken for their numbers, tables by the names of the
    joints (`armdyn.base.arrays`); the results are NumPy's. A NaN input makes every result NaN that depends on it in its
    state; if no result depends on it, every result that is not a constant.
    """

    def __init__(
        self, arm: Arm, function: Function, parameters: Iterable[str] = (), *, behind: Sequence[str] = ()
    ) -> None:
        """Declare it; nothing is traced before the first call.

        Args:
            arm: the robot.
            function: the declared function.
            parameters: parameters of the model that become inputs after the arrays.
            behind: arrays of the function that come after the parameters.
        """
        self.arm = arm
        self.function = function
        self._inputs = Inputs(function, arm.model, parameters, behind)
        self.parameters = self._inputs.parameters
        self._kernels: dict[Variant, Kernel] = {}
        self._by_position: dict[Any, Kernel] = {}
        self._records = single_states.NO_RECORDS
        self._derivatives: dict[Any, CompiledFunction] = {}
        self._gains = free(function)
        self.__name__, self.__doc__ = function.name, f"{function.__doc__ or ''}{OF_CALL}"
        self.__signature__ = self._inputs.signature

    def __call__(self, *arrays: Any, **keywords: Any) -> Any:
        """Evaluate, compiling at the first call.

        From then on single states, given as plain arrays by position, do not get here, with ``out=`` or without:
        `armdyn.functions.single_states` puts a C function in front of this method, and describes the way to turn it
        off.
        """
        out = workers = None
        if keywords:
            out, workers = keywords.pop("out", None), keywords.pop("workers", None)
        call = (len(arrays), *keywords.items()) if keywords else len(arrays)
        try:
            kernel = self._by_position.get(call)
        except Exception:  # arrays among the keywords, which have no hash, or compare to no truth
            kernel = None
        if kernel is not None and (out is None or is_writable(out)):
            try:
                if are_arrays(arrays):
                    return self._run(kernel, arrays, out, workers)
                if are_plain(arrays):
                    return self._run(kernel, as_arrays(arrays), out, workers)
            except (TypeError, ValueError, OverflowError):
                pass  # the whole way raises the error
        return self._call_whole_way(call, arrays, keywords, out, workers)

    def _run(self, kernel: Kernel, arrays: Sequence[object], out: object, workers: Any) -> Any:
        """Call a kernel; returns the results under their declared names."""
        function = kernel.for_arrays(arrays)
        run = function if workers is None else partial(run_in_parallel, function, workers)
        results = run(*arrays) if out is None else run(*arrays, out=out)
        if self.function.result is None:
            return results
        return self.function.result(*(results if isinstance(results, tuple) else (results,)))

    def __repr__(self) -> str:
        odd = [f"; {word} is {name!r}" for name, word in self._inputs.words.items() if word != name.replace(".", "_")]
        return f"<{self.function.name}{self.__signature__} of {self.arm.model.name!r}{''.join(odd)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return CompiledFunction, (self.arm, self.function, self.parameters)

    def program(self, *, optional_inputs: str | Iterable[str] = (), **options: object) -> Program:
        """The program of this function.

        Args:
            optional_inputs: names of the optional arrays that count as given, e.g. ``("f_tip",)``; or one name.
            options: the function's own, e.g. ``frame="tool0"``.

        Raises:
            UnknownName: an array that the function does not have.
        """
        return self._trace((array_names(self._inputs, optional_inputs), call_options(self._inputs, options)))

    def derivative(self, *wrt: str) -> CompiledFunction:
        """The derivatives of the results by some of the arrays or model parameters: another compiled function.

        It takes the arrays and options of the function. The shape of each derivative is that of the result, then that
        of the array or parameter, as in `armdyn.functions.derivatives.Derivative`, whose ``derivative`` gives second
        ones.

        Args:
            wrt: names of arrays, or of model parameters, e.g. "gravity" or "LINK.mass"; by default all required arrays.
                A parameter that is not an input of the function has the model's own value.

        Raises:
            UnknownName: the function has no such array, and the model no such parameter.

        >>> robot = armdyn.load("ur5")
        >>> robot.forward_kinematics.derivative("q")(np.zeros(6)).shape
        (4, 4, 6)
        >>> by = robot.inverse_dynamics.derivative("qdd", "forearm_link.mass")(np.zeros(6), np.zeros(6), np.ones(6))
        >>> by.d_qdd.shape, by.d_forearm_link_mass.shape
        ((6, 6), (6,))
        """
        from armdyn.functions.derivatives import Derivative  # noqa: PLC0415 - it is a CompiledFunction

        return self._derived(Derivative, wrt)

    def jvp(self, *wrt: str) -> CompiledFunction:
        """J v, the rates of the results for rates of arrays or model parameters: another compiled function.

        For every name X it takes one more array ``tangent_X``, the rate of X or a direction, given by name: it comes
        after all arrays and parameters, also those that may be left out. The results are shaped and named as before:
        the Jacobian times the tangents, at two to three times the operations of the function. For a gradient it is the
        product of Hessian and vector.

        Args:
            wrt: names as of `derivative`; all change together.

        Raises:
            UnknownName: the function has no such array, and the model no such parameter.

        >>> robot, q, qd = armdyn.load("ur5"), np.ones(6), np.full(6, 2.0)
        >>> Mdot = robot.mass_matrix.jvp("q")(q, tangent_q=qd)
        >>> power = qd @ robot.velocity_forces(q, qd)
        >>> bool(np.isclose(power, qd @ Mdot @ qd / 2))
        True
        """
        from armdyn.functions.derivatives import Jvp  # noqa: PLC0415 - it is a CompiledFunction

        return self._derived(Jvp, wrt)

    def vjp(self, *wrt: str) -> CompiledFunction:
        """J^T y_bar, the gradients of sum(cotangent_Y * Y) over all results Y: another compiled function.

        For every result Y it takes one more array ``cotangent_Y`` of its shape (``cotangent_out``, or
        ``cotangent_out0`` and so on, for results without names), given by name: it comes after all arrays and
        parameters, also those that may be left out. The gradient by one X is an array of its shape; by several, a named
        tuple of ``cotangent_X``. All gradients together take two to three times the operations of the function.

        Args:
            wrt: names as of `derivative`.

        Raises:
            UnknownName: the function has no such array, and the model no such parameter.

        >>> f, (q, qd, qdd) = armdyn.load("ur5").inverse_dynamics, np.ones((3, 6))
        >>> by = f.vjp("q", "qd")(q, qd, qdd, cotangent_out=np.arange(6.0))  # of the sum of k tau_k
        >>> bool(np.allclose(by.cotangent_q, np.arange(6.0) @ f.derivative("q")(q, qd, qdd)))
        True
        """
        from armdyn.functions.derivatives import Vjp  # noqa: PLC0415 - it is a CompiledFunction

        return self._derived(Vjp, wrt)

    def _derived(
        self, kind: Callable[[CompiledFunction, tuple[str, ...]], CompiledFunction], wrt: tuple[str, ...]
    ) -> CompiledFunction:
        if not all(isinstance(name, str) for name in wrt):
            return kind(self, wrt)  # which refuses it by name
        return self._derivative_of_key((kind, wrt), lambda: kind(self, wrt))

    equations = OfProgram()
    latex = OfProgram()
    to_python = OfProgram()
    to_casadi = OfProgram()
    to_c = OfProgramWithNotes()
    to_cuda = OfProgram()
    to_sympy = OfProgram()
    to_jax = OfProgram()
    to_torch = OfProgram()
    to_wasm = OfProgram()

    @property
    def op_counts(self) -> OperationCounts:
        """The operations of one evaluation, without optional arrays and with default options."""
        return self.program().op_counts

    def _call_whole_way(
        self, call: Any, arrays: tuple[object, ...], keywords: dict[str, Any], out: Any, workers: object
    ) -> Any:
        """Bind names, choose or compile the kernel, run it; store the kernel if ``call`` identifies it."""
        out = tuple(out) if isinstance(out, tuple) else out  # NumPy takes no named ones
        values = self._inputs.bind(arrays, keywords)
        if not are_plain(values.values()):
            values = plain_arguments(values, self._inputs.names_along, repr(self.arm.model.name))
        variant = (tuple(values), call_options(self._inputs, keywords))
        if self._gains:
            kinds, values = self._with_gains(values, variant[1])
            if kinds:
                return self._of_kinds(kinds)(**values, **keywords, out=out, workers=workers)
        kernel = self._kernels.get(variant)
        if kernel is None:
            check_arguments(self._inputs, values, variant[1])  # before a compiler that takes its time
            check_out(self._inputs, out, variant[1])
            kernel = self._kernels[variant] = self._compile(variant)
            if not variant[1] and not self._gains and list(values) == self._inputs.positional[: len(values)]:
                self._by_position[len(values)] = kernel
                self._records = single_states.record(CompiledFunction, kernel, self.function.result) + self._records
        if not self._gains and list(values) == self._inputs.positional[: len(arrays)]:  # none by name
            self._by_position[call] = kernel
        try:
            if out is None or is_writable(out):
                return self._run(kernel, as_arrays(values.values()), out, workers)
            complaint: Exception = DTypeError("out holds something else than arrays that NumPy writes to as they are")
        except (TypeError, ValueError, OverflowError) as error:
            complaint = error
        check_out(self._inputs, out, variant[1])
        check_out_of_batch(self._inputs, out, variant[1], values)
        if not isinstance(complaint, ArmdynError):
            check_arguments(self._inputs, values, variant[1])
        raise complaint

    def _with_gains(self, arguments: dict[str, Any], options: Options) -> tuple[dict[str, str], dict[str, Any]]:
        """The gains of a call that are not vectors, by their kinds, and the arguments; numbers become vectors.

        A gain that is differentiated stays a number if it is one, so that the derivative is by that number.
        """
        shapes = {name: self._inputs.port(name, options).shape for name in arguments}
        kinds = kinds_of(self.function, arguments, shapes)
        numbers = {name for name, kind in kinds.items() if kind == "number"}
        dtype = dtype_of(value for name, value in arguments.items() if name not in numbers)
        for name in numbers - {*self._changing}:
            del kinds[name]
            arguments[name] = spread(arguments[name], shapes[name][0], dtype)
        return kinds, arguments | {name: single(arguments[name]) for name in numbers.intersection(kinds)}

    _changing: tuple[str, ...] = ()
    """The arguments by which the function is differentiated."""

    def _of_kinds(self, kinds: Mapping[str, str]) -> CompiledFunction:
        """The function with gains of chosen kinds, compiled for itself."""
        return self._derivative_of_key(tuple(kinds.items()), lambda: self._made_of_kinds(kinds))

    def _made_of_kinds(self, kinds: Mapping[str, str]) -> CompiledFunction:
        return CompiledFunction(self.arm, with_kinds(self.function, kinds), self.parameters)

    def _derivative_of_key(self, key: Any, make: Callable[[], CompiledFunction]) -> CompiledFunction:
        """The function derived from this one earlier, by a key."""
        if key not in self._derivatives:
            self._derivatives[key] = make()
        return self._derivatives[key]

    def _compile(self, variant: Variant) -> Kernel:
        key = self._source_key(variant)
        with undivided():
            if key is None:
                return kernel_of(guarded(self._trace(variant)))  # found by its program
            return load_or_compile(key, lambda: guarded(self._trace(variant)))

    def _source_key(self, variant: Variant) -> str | None:
        """The key that identifies the function without tracing it; None if only its program does."""
        key = source_key(self.arm.model, self.function, self.parameters, variant)
        return key and f"{type(self).__name__} {key}"

    def _trace(self, variant: Variant) -> Program:
        names, options = variant

        def run(*arrays: object) -> Any:
            values = dict(zip(names, arrays, strict=True))
            result = self.evaluate(self.arm.exact_mechanism, values, options)
            self._check_results(result, options)
            return result

        fields = getattr(self.function.result, "_fields", ())
        ports = [self._inputs.port(n, options) for n in names]
        with on_numbers(False):
            return trace(run, ports, fields, name=self.function.name)

    def evaluate(self, model: Mechanism, values: Mapping[str, Any], options: Iterable[tuple[str, Any]] = ()) -> Any:
        """The function itself on numbers or traced scalars, for arrays and model parameters by name.

        A parameter without a value has that of the model. Arrays missing in ``values`` are not given.
        """
        arguments = [a.name for a in self.function.arguments]
        changed = {name: value for name, value in values.items() if name not in arguments}
        if changed:
            model = with_parameters(model, changed)

        def call() -> Any:
            inputs = (values.get(a) for a in arguments)  # own copies, that the function may change
            return self.function(
                model, *(a.copy() if isinstance(a, np.ndarray) else a for a in inputs), **dict(options)
            )

        retries = not is_ours(self.function.__module__) and are_traced(values)
        return call_traced(self.function.name, call, twice=retries)

    def _check_results(self, result: object, options: Options) -> None:
        results = result if isinstance(result, tuple) else (result,)
        shapes = [np.shape(r) for r in results]
        expected = [self._inputs.lengths(s, options) for s in self.function.outputs]
        if shapes != expected:
            raise ShapeError(f"{self.function.name} returned shapes {shapes}; its signature names {expected}")
