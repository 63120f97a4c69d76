"""`CFunction`: a program as a function of C, with a comment, a prototype and a body.

Arrays are row-major. A scalar is passed by value and returned by a pointer. The state of a step is a struct, to which
the first argument points. Inputs are copied before the first result is written, so that a result may take the place of
an input; two results must not overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from numpy.typing import ArrayLike

from armdyn.base.threads import cached_property
from armdyn.program.ports import Port
from armdyn.program.program import Program
from armdyn.program.rollout import Rollout
from armdyn.targets.c.body import LONGEST, live_nodes, statements
from armdyn.targets.c.dialect import Dialect
from armdyn.targets.c.names import RESERVED, unlike
from armdyn.targets.c.notes import Notes, comment
from armdyn.targets.identifiers import of_both_sides

States = Callable[[], Mapping[str, ArrayLike]]
"""A function that returns values of inputs, called when a test is written."""


@dataclass(frozen=True)
class CFunction:
    """A program with a name in C.

    Args:
        name: the name of the function.
        program: the program that it computes.
        carry: pairs (result, input): results that replace inputs, in a struct.
        notes: the notes for its comment.
        states: returns values of inputs for tests, by the inputs' names, of shape (m, *shape), e.g. those of a motion.
    """

    name: str
    program: Program
    carry: tuple[tuple[str, str], ...] = ()
    notes: Notes = field(default_factory=Notes)
    states: States = field(default=dict, compare=False)

    @classmethod
    def of(
        cls,
        name: str,
        program: Program | Rollout,
        notes: Notes | None = None,
        states: States = dict,
    ) -> CFunction:
        """The function of a program, or of a rollout's step, ``NAME_step``, with the struct ``NAME_state``."""
        if isinstance(program, Rollout):
            return cls(name, program.step, program.carry, notes or Notes(), states)
        return cls(name, program, (), notes or Notes(), states)

    @property
    def symbols(self) -> tuple[str, ...]:
        """The functions that the header declares."""
        return (f"{self.name}_init", self.function) if self.carry else (self.function,)

    @property
    def function(self) -> str:
        """The name of the C function that evaluates the program."""
        return f"{self.name}_step" if self.carry else self.name

    @property
    def state_type(self) -> str:
        """The name of the struct of the state."""
        return f"{self.name}_state"

    @property
    def state(self) -> tuple[Port, ...]:
        """The carried state, in the order of the inputs."""
        carried = {name for _, name in self.carry}
        return tuple(port for port in self.program.inputs if port.name in carried)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The arguments that are read, without the state."""
        carried = {name for _, name in self.carry}
        return tuple(port for port in self.program.inputs if port.name not in carried)

    @property
    def results(self) -> tuple[Port, ...]:
        """The arguments that are written, without the state."""
        carried = {name for name, _ in self.carry}
        return tuple(port for port in self.program.outputs if port.name not in carried)

    @cached_property
    def input_names(self) -> Mapping[str, str]:
        """The names of the inputs in C.

        Raises:
            Unsupported: if two inputs get one name.
        """
        return self._names[0]

    @cached_property
    def result_names(self) -> Mapping[str, str]:
        """The names of the results in C; ``X_out`` if X is an input.

        Raises:
            Unsupported: if two results get one name.
        """
        return self._names[1]

    @cached_property
    def _names(self) -> tuple[dict[str, str], dict[str, str]]:
        inputs, results = ([port.name for port in ports] for ports in (self.program.inputs, self.results))
        return of_both_sides(inputs, results, "C", {*RESERVED, *(["state"] if self.carry else [])})

    def prototype(self, dialect: Dialect) -> str:
        """The declaration of the function, without the semicolon."""
        state = [f"{self.state_type} *state"] if self.carry else []
        inputs = [_input(dialect, port, self.input_names[port.name]) for port in self.inputs]
        results = [_result(dialect, port, self.result_names[port.name]) for port in self.results]
        return _declared(f"void {self.function}", [*state, *inputs, *results])

    def struct(self, dialect: Dialect) -> str:
        """The definition of the state's struct."""
        names = self.input_names
        sizes = {p.name: f"[{p.size}]" if p.shape else "" for p in self.state if p.size}
        fields = [f"    {dialect.scalar} {names[name]}{size};" for name, size in sizes.items()]
        return "\n".join(["typedef struct {", *fields, f"}} {self.state_type};"])

    def declarations(self, dialect: Dialect) -> str:
        """The declarations of the function in the header."""
        parts = [comment(self.description())]
        if self.carry:
            parts = [comment([f"What {self.function} carries from step to step."]), self.struct(dialect)]
            parts += [comment(["Zero; set what begins elsewhere afterwards."])]
            parts += [f"void {self.name}_init({self.state_type} *state);", comment(self.description())]
        return "\n".join([*parts, f"{self.prototype(dialect)};"]).replace(";\n/*", ";\n\n/*")

    def description(self) -> Iterator[str]:
        """The lines of the function's comment."""
        notes = self.notes
        yield notes.summary or f"{self.program.name}."
        yield ""
        names = self.input_names
        words = [(f"state->{names[p.name]}", p, self._comment(p)) for p in self.state]
        words += [(names[p.name], p, self._comment(p)) for p in self.inputs]
        words += [(f"-> {self.result_names[p.name]}", p, self._comment(p)) for p in self.results]
        widest = max((len(name) + len(_sizes(p)) for name, p, _ in words), default=0) + 1
        for name, port, text in words:
            yield f"{f'{name} {_sizes(port)}':<{widest}}  {text}".rstrip()
        yield ""
        yield f"{self.program.op_counts} operations."

    def _comment(self, port: Port) -> str:
        return self.notes.arrays.get(port.name, "")

    def definition(self, dialect: Dialect, *, longest: int = LONGEST) -> str:
        """The code of the function."""
        body = "\n".join(f"    {line}" if line else "" for line in self._body(dialect, longest))
        text = f"{self.prototype(dialect)}\n{{\n{body}\n}}"
        if self.carry:
            zero = dialect.literal(0.0)
            lines = "\n".join(f"    state->{place} = {zero};" for place in self._state_places(self.state))
            text = f"void {self.name}_init({self.state_type} *state)\n{{\n{lines}\n}}\n\n{text}"
        return text

    def _body(self, dialect: Dialect, longest: int) -> Iterator[str]:
        nodes = self.program.nodes
        read = {int(nodes[k][1]) for k in live_nodes(self.program) if nodes[k][0] == "input"}
        names_in_use = {*self.input_names.values(), *self.result_names.values()}
        copies: list[str] = []
        for port in self.program.inputs:
            name = self.input_names[port.name]
            places = [len(copies) + k for k in range(port.size)]
            local = unlike(name, {*names_in_use, *copies})
            carried = port in self.state
            if not carried and not (read & {*places}):
                yield f"(void){name};"
            if not port.shape and not carried:
                copies.append(name)
                continue
            for k, place in enumerate(places):
                copies.append(f"{local}{k}")
                if place in read:
                    source = f"state->{_place(port, name, k)}" if carried else f"{name}[{k}]"
                    yield f"const {dialect.scalar} {local}{k} = {source};"
        if any(port.size == 0 for port in self.results):
            yield from (f"(void){self.result_names[port.name]};" for port in self.results if port.size == 0)
        temporary = unlike("t", {*names_in_use, *copies})
        yield from statements(
            self.program,
            copies,
            self._targets(),
            dialect,
            temporary=lambda k: f"{temporary}{k}",
            longest=longest,
            loops=True,
        )

    def _targets(self) -> list[str]:
        """The places to which the scalars of all outputs are assigned."""
        inputs = {port.name: port for port in self.program.inputs}
        places = {result: self._state_places([inputs[carried]]) for result, carried in self.carry}
        results = []
        for port in self.program.outputs:
            if port.name in places:
                results += [f"state->{place}" for place in places[port.name]]
            else:
                name = self.result_names[port.name]
                results += [f"{name}[{k}]" for k in range(port.size)] if port.shape else [f"*{name}"]
        return results

    def _state_places(self, ports: Sequence[Port]) -> list[str]:
        return [_place(port, self.input_names[port.name], k) for port in ports for k in range(port.size)]


def _place(port: Port, name: str, k: int) -> str:
    return f"{name}[{k}]" if port.shape else name


def _sizes(port: Port) -> str:
    """``[6]``, ``[6][6]``, or nothing for a number."""
    return "".join(f"[{length}]" for length in port.shape)


def _input(dialect: Dialect, port: Port, name: str) -> str:
    if not port.shape:
        return f"{dialect.scalar} {name}"
    return f"const {dialect.scalar} {name}[{port.size}]" if port.size else f"const {dialect.scalar} *{name}"


def _result(dialect: Dialect, port: Port, name: str) -> str:
    return f"{dialect.scalar} {name}[{port.size}]" if port.shape and port.size else f"{dialect.scalar} *{name}"


def _declared(head: str, arguments: Sequence[str]) -> str:
    line = f"{head}({', '.join(arguments) or 'void'})"
    if len(line) <= LONGEST_LINE:
        return line
    return f"{head}(\n    " + ",\n    ".join(arguments) + ")"


LONGEST_LINE = 110
"""The most characters of a prototype on one line."""
