"""`FmiSystem`: a program whose arrays are states, inputs, parameters and outputs of an FMU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from armdyn.base.errors import UnknownName, Unsupported
from armdyn.base.threads import cached_property
from armdyn.program.ports import Port
from armdyn.program.program import Program


@dataclass(frozen=True)
class Variable:
    """An array of the program as a variable of the FMU.

    Args:
        port: the name of the input or result.
        unit: the unit of all its numbers, one of `armdyn.targets.fmi.units.UNITS`; empty if they differ or have none.
        description: its description.
        start: the initial numbers of a known, row-major; zeros if not given.
        name: its name in the FMU; that of the port if not given.
        each: unit and description of each number, row-major, repeated if there are fewer; those of the array if not
            given.
    """

    port: str
    unit: str = ""
    description: str = ""
    start: tuple[float, ...] = ()
    name: str = ""
    each: tuple[tuple[str, str], ...] = ()

    @property
    def displayed_name(self) -> str:
        """The name in the FMU."""
        return self.name or self.port


@dataclass(frozen=True)
class SystemState:
    """A state of the system.

    Args:
        variable: the state, which is also an output.
        later: its rate in a continuous system, its value a step later in a sampled one: a result of the program.
        rate_is_output: the rate is an output.
    """

    variable: Variable
    later: Variable
    rate_is_output: bool = False


@dataclass(frozen=True)
class FmiSystem:
    """A program with the meaning of its arrays.

    Args:
        name: the name of the model.
        program: the program of the rates of the states, or their values a step later, and of the outputs.
        states: the states, in order.
        inputs: the inputs over time.
        parameters: the tunable parameters.
        outputs: the results that are outputs of the FMU.
        step: the longest step of the co-simulation, s; the sample time of a sampled system.
        sampled: the program makes steps.
        time: the input that is the time, if there is one.
        step_port: the input that is the length of the step, if there is one.
        description: the description of the model.
        about: sentences for its users.
    """

    name: str
    program: Program
    states: tuple[SystemState, ...]
    inputs: tuple[Variable, ...] = ()
    parameters: tuple[Variable, ...] = ()
    outputs: tuple[Variable, ...] = ()
    step: float = 1e-3
    sampled: bool = False
    time: str | None = None
    step_port: str | None = None
    description: str = ""
    about: Sequence[str] = field(default=())

    def __post_init__(self) -> None:
        """Check that every input of the program has a meaning, and that every array with a meaning exists."""
        values = [self.time, self.step_port]
        values += [v.port for v in (*(s.variable for s in self.states), *self.inputs, *self.parameters)]
        self._match("input", [name for name in values if name], self.input_ports)
        results = [*(s.later.port for s in self.states), *(v.port for v in self.outputs)]
        for name in results:
            if name not in self.output_ports:
                raise UnknownName.of("result", name, self.output_ports, self.program.name)
        if not (self.states or self.outputs):
            raise Unsupported(f"{self.name} has neither states nor outputs")

    def _match(self, kind: str, names: Sequence[str], ports: Mapping[str, Port]) -> None:
        for name in names:
            if name not in ports:
                raise UnknownName.of(kind, name, ports, self.program.name)
        missing = [name for name in ports if name not in names]
        if missing:
            raise Unsupported(f"{self.program.name}: {', '.join(missing)} has no meaning in the FMU")

    @cached_property
    def input_ports(self) -> Mapping[str, Port]:
        """The program's inputs by name."""
        return {port.name: port for port in self.program.inputs}

    @cached_property
    def output_ports(self) -> Mapping[str, Port]:
        """The program's results by name."""
        return {port.name: port for port in self.program.outputs}

    def with_start(self, **values: Sequence[float]) -> FmiSystem:
        """The system with other initial numbers of states, inputs and parameters, by their names in the FMU."""

        def started(v: Variable) -> Variable:
            return replace(v, start=tuple(values[v.displayed_name])) if v.displayed_name in values else v

        states = tuple(replace(s, variable=started(s.variable)) for s in self.states)
        arguments = {
            "inputs": tuple(map(started, self.inputs)),
            "parameters": tuple(map(started, self.parameters)),
        }
        return replace(self, states=states, **arguments)  # type: ignore[arg-type]
