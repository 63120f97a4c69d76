"""A program or rollout as CUDA C++: a kernel with the parameters of that in PTX, in the same order.

Sine, cosine and the like are those of CUDA's own library, which reduces angles of any size exactly, at some 2 units in
the last place. Compile it without ``--use_fast_math``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from armdyn.base.errors import Unsupported
from armdyn.program.program import Program
from armdyn.program.rollout import Rollout
from armdyn.targets.c.body import statements
from armdyn.targets.c.dialect import DOUBLE, FLOAT, Dialect
from armdyn.targets.c.helpers import helpers
from armdyn.targets.c.names import RESERVED
from armdyn.targets.c.notes import line_comment
from armdyn.targets.cuda.arguments import KernelArgument, arguments
from armdyn.targets.cuda.scalars import DTYPES, scalar_of
from armdyn.targets.identifiers import identifiers, of_both_sides

_INFINITY = "__int_as_float(0x7f800000)"  # nvcc and NVRTC have it without a header
_OWN = frozenset(
    {"count", "steps", "every", "state", "thread", "threads", "k", "row", "until", "armdyn_at", "blockIdx", "gridDim"}
)
_WORDS = RESERVED | _OWN | {"blockDim", "threadIdx", "warpSize", "sincos", "sincosf"}


def dialect_of(dtype: str) -> Dialect:
    """CUDA C++ with float or double."""
    plain, sincos = (FLOAT, "sincosf") if dtype == "float32" else (DOUBLE, "sincos")
    return replace(plain, sincos=sincos, infinity=_INFINITY)


def cuda_source(source: Program | Rollout, dtype: str, name: str, layout: str) -> str:
    """The text of a ``.cu`` file.

    Raises:
        Unsupported: if two arrays would have one name.
    """
    return "\n".join(_Source(source, dtype, name, layout).lines()) + "\n"


class _Source:
    """The kernel's text; an array ``q`` is passed as ``q_data`` with its strides, and its numbers are in ``q[]``.

    Names of the kernel's own end with an underscore, which those of arrays do not, or are reserved.
    """

    def __init__(self, source: Program | Rollout, dtype: str, name: str, layout: str) -> None:
        self.source, self.name, self.layout = source, name, layout
        self.program = source if isinstance(source, Program) else source.step
        self.dialect, self.scalar = dialect_of(dtype), scalar_of(dtype)
        self.type = DTYPES[dtype]
        self.arguments = arguments(source)
        self.names = self._names()

    def _names(self) -> list[str]:
        inputs = [a.port.name for a in self.arguments if not a.is_output]
        outputs = [a.port.name for a in self.arguments if a.is_output]
        ours, theirs = of_both_sides(inputs, outputs, "CUDA C++", _WORDS)
        if isinstance(self.source, Rollout):
            theirs = identifiers(outputs, "CUDA C++", _WORDS)
        names = [ours[name] for name in inputs]
        for argument in self.arguments[len(inputs) :]:
            ending = "_rows" if argument.over_time else "_final" if isinstance(self.source, Rollout) else ""
            names.append(theirs[argument.port.name] + ending)
        everything = [*names, *(p for a, n in zip(self.arguments, names, strict=True) for p in self._parts(a, n))]
        duplicates = sorted({one for one in everything if everything.count(one) > 1})
        if duplicates:
            raise Unsupported(f"{self.program.name}: the kernel would have {duplicates[0]!r} twice; rename an array")
        return names

    def _results(self) -> dict[str, str]:
        """The local array of each result of the program."""
        return {port.name: f"result_{k}_" for k, port in enumerate(self.program.outputs)}

    def _parts(self, argument: KernelArgument, name: str) -> list[str]:
        """The parameters of an array."""
        count = len(argument.port.shape) if self.layout == "strided" else 0
        step = [f"{name}_step"] if argument.over_time else []
        return [f"{name}_data", f"{name}_state", *step, *(f"{name}_axis{k}" for k in range(count))]

    def lines(self) -> Iterator[str]:
        """The whole file."""
        yield from self._head()
        yield from helpers([self.program], self.dialect, "__device__ static inline")
        yield ""
        yield f'extern "C" __global__ void {self.name}('
        yield from self._parameters()
        yield "{"
        yield "    const long long threads = (long long)gridDim.x * blockDim.x;"
        yield "    const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;"
        yield "    for (long long state = thread; state < count; state += threads) {"
        body = self._of_program() if isinstance(self.source, Program) else self._of_rollout(self.source)
        yield from (f"        {line}" for line in body)
        yield "    }"
        yield "}"

    def _head(self) -> Iterator[str]:
        counts = self.program.op_counts
        of = "a step and a state" if isinstance(self.source, Rollout) else "a state"
        yield line_comment(f"{self.program.name}:")
        yield f"// {counts.multiplications} multiplications, {counts.additions} additions,"
        yield f"// {counts.divisions} divisions, {counts.trigonometric} trigonometric functions {of};"
        yield "// one thread a state."
        yield f"// Layout {self.layout!r}; strides are in bytes: X_state from one state to the next (0: all share one),"
        yield "// X_step from one step to the next, X_axisK along the axes of a state."
        for argument, name in zip(self.arguments, self.names, strict=True):
            shape = "x".join(map(str, argument.port.shape)) or "1"
            yield line_comment(f"{name}: {argument.port.name}, {shape}{', a row a step' if argument.over_time else ''}")

    def _parameters(self) -> Iterator[str]:
        counts = [
            "long long count",
            *(["long long steps", "long long every"] if isinstance(self.source, Rollout) else []),
        ]
        values = [f"    {', '.join(counts)}"]
        for argument, name in zip(self.arguments, self.names, strict=True):
            data, *strides = self._parts(argument, name)
            kind = "char" if argument.is_output else "const char"
            values.append(f"    {', '.join([f'{kind} *{data}', *(f'long long {one}' for one in strides)])}")
        yield ",\n".join(values) + ")"

    def _of_program(self) -> Iterator[str]:
        inputs = [(a, n) for a, n in zip(self.arguments, self.names, strict=True) if not a.is_output]
        for argument, name in inputs:
            yield from self._load(argument, name)
        yield from self._evaluated([name for _, name in inputs])
        for argument, name, local in zip(
            self.arguments[len(inputs) :], self.names[len(inputs) :], self._results().values(), strict=True
        ):
            yield from self._store(argument, name, local)

    def _evaluated(self, names: Sequence[str]) -> Iterator[str]:
        """The program's statements: its results in their local arrays."""
        for port, local in zip(self.program.outputs, self._results().values(), strict=True):
            if port.size:
                yield f"{self.type} {local}[{port.size}];"
        inputs = [
            f"{name}[{k}]" for name, port in zip(names, self.program.inputs, strict=True) for k in range(port.size)
        ]
        results = [
            f"{local}[{k}]"
            for port, local in zip(self.program.outputs, self._results().values(), strict=True)
            for k in range(port.size)
        ]
        yield from statements(self.program, inputs, results, self.dialect, temporary="t{}_".format)

    def _of_rollout(self, rollout: Rollout) -> Iterator[str]:
        inputs = {a.port.name: (a, n) for a, n in zip(self.arguments, self.names, strict=True) if not a.is_output}
        outputs = [(a, n) for a, n in zip(self.arguments, self.names, strict=True) if a.is_output]
        carried = {name: result for result, name in rollout.carry}
        final, records = outputs[: len(carried)], outputs[len(carried) :]
        for argument, name in inputs.values():
            if not argument.over_time:
                yield from self._load(argument, name, constant=argument.port.name not in carried)
        yield "for (long long k = 0, until = 0, row = 0; k < steps; ++k) {"
        for line in self._step(rollout, inputs, records):
            yield f"    {line}"
        yield "}"
        for argument, name in final:
            yield from self._store(argument, name, inputs[argument.port.name][1])

    def _step(
        self,
        rollout: Rollout,
        inputs: dict[str, tuple[KernelArgument, str]],
        records: Sequence[tuple[KernelArgument, str]],
    ) -> Iterator[str]:
        for argument, name in inputs.values():
            if argument.over_time:
                yield from self._load(argument, name, step="k")
        yield from self._evaluated([inputs[port.name][1] for port in rollout.inputs])
        yield "if (until == 0) {"
        state = {port.name for port in rollout.state}
        for argument, name in records:
            name_of_port = argument.port.name
            local = inputs[name_of_port][1] if name_of_port in state else self._results()[name_of_port]
            yield from (f"    {line}" for line in self._store(argument, name, local, step="row"))
        yield "    until = every;"
        yield "    ++row;"
        yield "}"
        yield "--until;"
        for result, carried in rollout.carry:
            argument, name = inputs[carried]
            yield from (f"{name}[{k}] = {self._results()[result]}[{k}];" for k in range(argument.size))

    def _place(self, name: str, argument: KernelArgument, step: str) -> str:
        further = f" + {step} * {name}_step" if argument.over_time else ""
        return f"{name}_data + state * {name}_state{further}"

    def _load(self, argument: KernelArgument, name: str, step: str = "", *, constant: bool = True) -> Iterator[str]:
        if not argument.size:
            return
        place = self._place(name, argument, step)
        if self.layout == "strided":
            texts = [f"*(const {self.type} *)({place}{offset})" for offset in self._offsets(argument, name)]
        else:
            texts = []
            width = argument.width(self.scalar)
            for k in range(0, argument.size, width):
                here = f"{place} + {k * self.scalar.itemsize}" if k else place
                if width == 1:
                    texts.append(f"*(const {self.type} *)({here})")
                    continue
                group = f"{name}_group{k // width}_"
                yield f"const {self.type}{width} {group} = *(const {self.type}{width} *)({here});"
                texts += [f"{group}.{part}" for part in "xyzw"[:width]]
        yield f"{'const ' if constant else ''}{self.type} {name}[{argument.size}] = {{"
        yield from (f"    {text}," for text in texts)
        yield "};"

    def _store(self, argument: KernelArgument, name: str, local: str, step: str = "") -> Iterator[str]:
        if not argument.size:
            return
        place = self._place(name, argument, step)
        if self.layout == "strided":
            for k, offset in enumerate(self._offsets(argument, name)):
                yield f"*({self.type} *)({place}{offset}) = {local}[{k}];"
            return
        width = argument.width(self.scalar)
        for k in range(0, argument.size, width):
            kind = self.type if width == 1 else f"{self.type}{width}"
            values = ", ".join(f"{local}[{k + j}]" for j in range(width))
            value = values if width == 1 else f"make_{kind}({values})"
            here = f"{place} + {k * self.scalar.itemsize}" if k else place
            yield f"*({kind} *)({here}) = {value};"

    @staticmethod
    def _offsets(argument: KernelArgument, name: str) -> Iterator[str]:
        for indices in product(*map(range, argument.port.shape)):
            yield "".join(f" + {k} * {name}_axis{axis}" for axis, k in enumerate(indices) if k)
