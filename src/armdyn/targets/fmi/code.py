"""`Code`: the C of a system: its programs, and the tables and functions by which ``sources/`` reaches them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

from armdyn._version import __version__
from armdyn.base.threads import cached_property
from armdyn.program.ports import Port
from armdyn.program.program import Program
from armdyn.program.selecting import with_results
from armdyn.targets.c.code import CCode
from armdyn.targets.c.dialect import DOUBLE
from armdyn.targets.c.export import c_code
from armdyn.targets.c.functions import CFunction
from armdyn.targets.fmi.layout import FmiLayout, VariablePlace
from armdyn.targets.fmi.names import model_identifier
from armdyn.targets.fmi.sparsity import dependencies

FORMAT = 2
"""The version of the C code that `armdyn.targets.fmi` generates for a system."""


@dataclass(frozen=True)
class Code:
    """A system in C.

    Args:
        layout: the layout of its values.
        derivatives: directional and adjoint derivatives are part of it.
    """

    layout: FmiLayout
    derivatives: bool = True

    @cached_property
    def name(self) -> str:
        """The name of the model's files and functions."""
        return model_identifier(self.layout.system.name)

    @cached_property
    def token(self) -> str:
        """The instantiation token, equal for equal models, on every machine."""
        system = self.layout.system
        parts = (FORMAT, __version__, system.program.digest, self.layout.variables, system.sampled, self.derivatives)
        digest = hashlib.sha256(repr(parts).encode()).hexdigest()
        return "{" + "-".join(digest[a:b] for a, b in pairwise((0, 8, 12, 16, 20, 32))) + "}"

    @property
    def _later(self) -> tuple[str, ...]:
        """The results that are rates of the states, or states a step later."""
        return tuple(state.later.port for state in self.layout.system.states)

    @cached_property
    def _unknowns(self) -> tuple[str, ...]:
        """The results that are variables of the FMU."""
        return tuple(self.layout.of_results)

    @cached_property
    def all(self) -> Program:
        """The program of all unknowns."""
        return with_results(self.layout.system.program, self._unknowns)

    @cached_property
    def programs(self) -> Mapping[str, Program]:
        """The programs, by their names in the functions of ``sources/``."""
        result = {}
        if self._later:
            result["next" if self.layout.system.sampled else "rates"] = self._of_states
        if self._unknowns:
            result["results"] = self.all
        if self._unknowns and self.derivatives:
            wrt = list(self.layout.of_inputs)
            result |= {"tangent": self.all.jvp(wrt=wrt), "adjoint": self.all.vjp(wrt=wrt)}
        return result

    @cached_property
    def _of_states(self) -> Program:
        return with_results(self.layout.system.program, self._later)

    @cached_property
    def equations(self) -> CCode:
        """The programs as functions of C."""
        functions = [CFunction.of(f"{self.name}_{word}", program) for word, program in self.programs.items()]
        return c_code(functions, f"{self.name}_equations", sincos="inline")

    @property
    def needs_libm(self) -> bool:
        """True if C's mathematical library must be linked."""
        return bool(self.equations.library_functions)

    @cached_property
    def depends(self) -> Mapping[int, Sequence[tuple[int, bool]]]:
        """The dependencies of each unknown by its reference: a variable's reference, and True for a constant factor."""
        result: dict[int, dict[tuple[int, bool], None]] = {}
        for effect, _, cause, _, is_constant in self._pairs:
            result.setdefault(effect, {})[cause, is_constant] = None
        return {effect: tuple(pairs) for effect, pairs in result.items()}

    @cached_property
    def _pairs(self) -> list[tuple[int, int, int, int, bool]]:
        """(unknown, its element, known, its element, True for a constant factor), elements counted from 1."""
        results = list(self._elements(self.all.outputs, self.layout.of_results))
        inputs = list(self._elements(self.all.inputs, self.layout.of_inputs))
        return sorted((*results[d.result], *inputs[d.cause], d.is_constant) for d in dependencies(self.all))

    def _elements(self, ports: Sequence[Port], places: Mapping[str, VariablePlace]) -> Iterator[tuple[int, int]]:
        """The variable's reference, and the number within the variable from 1 on, of every number of the ports."""
        for port in ports:
            first = places[port.name].first
            yield from self.layout.references[first : first + port.size]

    @property
    def files(self) -> Mapping[str, str]:
        """The model's own source texts, by the names of their files."""
        return {
            f"{self.equations.name}.h": self.equations.header,
            f"{self.equations.name}.c": self.equations.source,
            "model_sizes.h": self._sizes,
            "model.c": self._model,
        }

    @property
    def _sizes(self) -> str:
        sizes = {
            "MODEL_VARIABLES": len(self.layout.variables),
            "MODEL_VALUES": self.layout.values,
            "MODEL_KNOWNS": self.layout.knowns,
            "MODEL_STATES": self.layout.states,
            "MODEL_SAMPLED": int(self.layout.system.sampled),
            "MODEL_DERIVATIVES": int(self.derivatives),
        }
        lines = [f"#define {name} {size}" for name, size in sizes.items()]
        return "\n".join(["#ifndef MODEL_SIZES_H", "#define MODEL_SIZES_H", "", *lines, "", "#endif", ""])

    @property
    def _model(self) -> str:
        return "\n".join([*self._tables(), *self._functions(), ""])

    def _tables(self) -> Iterator[str]:
        yield f"/* The model {self.name}: its variables, and its equations by the places of their values. */"
        yield f'#include "{self.equations.name}.h"'
        yield '#include "fmu.h"\n\n#include <math.h>\n'
        yield f'const char model_token[] = "{self.token}";\n'
        yield "const fmu_variable model_variables[MODEL_VARIABLES] = {"
        yield from (f"    {_row(variable)}," for variable in self.layout.variables)
        yield "};\n"
        yield "const double model_start[MODEL_KNOWNS] = {"
        yield from (
            f"    {', '.join(map(DOUBLE.literal, place.start))}," for place in self.layout.places if place.start
        )
        yield "};\n"
        yield f"const size_t model_dependency_count = {len(self._pairs)};"
        yield "const fmu_dependency model_dependencies[] = {"
        for effect, of_unknown, cause, of_known, is_constant in self._pairs:
            kind = "fmi3Constant" if is_constant else "fmi3Dependent"
            yield f"    {{{effect}, {cause}, {of_unknown}, {of_known}, {kind}}},"
        yield from ([] if self._pairs else ["    {0, 0, 0, 0, fmi3Independent},"])
        yield "};\n"

    def _functions(self) -> Iterator[str]:
        causes, effects = self.layout.of_inputs, self.layout.of_results
        states = dict(zip(self._later, (p for p in self.layout.places if p.role == "OF_STATES"), strict=True))
        yield from self._one_array("rates", effects)
        yield from self._one_array("results", effects)
        yield from self._one_array("next", states)
        yield from self._product("tangent", list(causes.values()), list(effects.values()))
        yield from self._product("adjoint", list(effects.values()), list(causes.values()))

    def _one_array(self, word: str, results: Mapping[str, VariablePlace]) -> Iterator[str]:
        """A function of v that writes into v."""
        yield f"void model_{word}(double *v)\n{{"
        if word not in self.programs:
            yield "    (void)v;\n}\n"
            return
        program = self.programs[word]
        arguments = [_read("v", self.layout.of_inputs[p.name], p) for p in program.inputs]
        arguments += [_write("v", results[p.name], p) for p in program.outputs]
        yield from self._call(word, arguments)

    def _product(self, word: str, seeds: Sequence[VariablePlace], places: Sequence[VariablePlace]) -> Iterator[str]:
        """A function of v and seeds that writes products of the Jacobian."""
        result = "rate" if word == "tangent" else "gradient"
        yield f"void model_{word}(const double *v, const double *seed, double *{result})\n{{"
        if word not in self.programs:
            yield f"    (void)v, (void)seed, (void){result};\n}}\n"
            return
        program, own = self.programs[word], len(self.all.inputs)
        arguments = [_read("v", self.layout.of_inputs[p.name], p) for p in program.inputs[:own]]
        arguments += [_read("seed", place, p) for place, p in zip(seeds, program.inputs[own:], strict=True)]
        arguments += [_write(result, place, p) for place, p in zip(places, program.outputs, strict=True)]
        yield from self._call(word, arguments)

    def _call(self, word: str, arguments: Sequence[str]) -> Iterator[str]:
        names = {f.name: f.function for f in self.equations.functions}
        lines: list[str] = reduce(_fill, arguments, [])
        yield f"    {names[f'{self.name}_{word}']}("
        yield ",\n".join(f"        {line}" for line in lines) + ");\n}\n"


def _fill(lines: list[str], argument: str) -> list[str]:
    """Arguments in lines of some hundred characters."""
    if lines and len(lines[-1]) + len(argument) < 100:
        return [*lines[:-1], f"{lines[-1]}, {argument}"]
    return [*lines, argument]


def _row(place: VariablePlace) -> str:
    name = place.name.replace("\\", "\\\\").replace('"', '\\"')
    least = "0.0" if place.role == "OF_STEP" else "-HUGE_VAL"
    return f'{{"{name}", {place.role}, {place.first}, {place.size}, {least}}}'


def _read(array: str, place: VariablePlace, port: Port) -> str:
    """An argument that is read: a pointer, or a number if the port is a scalar."""
    return f"{array} + {place.first}" if port.shape else f"{array}[{place.first}]"


def _write(array: str, place: VariablePlace, port: Port) -> str:
    return f"{array} + {place.first}" if port.shape else f"&{array}[{place.first}]"
