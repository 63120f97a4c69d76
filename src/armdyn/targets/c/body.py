"""The statements of a program in C: one constant for each node that several others use, then the results.

>>> from armdyn.program import Port, trace
>>> from armdyn.targets.c.dialect import FLOAT
>>> program = trace(lambda q: np.array([2.0 * np.sin(q[0] + q[1]), q[0]]), [Port("q", (2,))])
>>> statements(program, ["q[0]", "q[1]"], ["y[0]", "y[1]"], FLOAT)
['y[1] = q[0];', 'y[0] = sinf(q[0] + q[1]) * 2.0f;']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count, groupby

from armdyn.base.errors import Unsupported
from armdyn.program.operations import OPERATIONS
from armdyn.program.program import Program
from armdyn.targets.c.dialect import Dialect
from armdyn.targets.c.expressions import (
    COMPARISON,
    COMPARISONS,
    OPERATORS,
    CExpression,
    call,
    choice,
    comparison,
    number,
)

LONGEST = 60
"""The most characters of an expression inside another one; longer ones are statements of their own."""

LONGEST_RUN = 16
"""The most consecutive elements of an array with one value that are assigned one by one; more of them by a loop.

Zeros of large block matrices would be thousands of statements, for which gcc takes many seconds."""

BUILT_IN = {*OPERATORS, *COMPARISONS, "select", "guard", "input", "const"}


def statements(
    program: Program,
    inputs: Sequence[str],
    results: Sequence[str],
    dialect: Dialect,
    *,
    temporary: Callable[[int], str] = "t{}".format,
    longest: int = LONGEST,
    loops: bool = False,
) -> list[str]:
    """The lines of a function's body.

    A result is assigned as soon as it is computed. So if an array of results may be one of the inputs, ``inputs`` must
    be the names of local copies.

    Args:
        program: the program to print.
        inputs: an expression for each scalar it takes, array after array, row-major: a name, ``q[3]``.
        results: the target of each scalar of its results, array after array, row-major: ``out[3]``.
        dialect: the language.
        temporary: the name of the k-th constant, k = 0, 1, ...
        longest: the most characters of an expression inside another one; with 0 every node is a separate statement.
        loops: assign many consecutive results of one value in a loop.

    Raises:
        Unsupported: if the dialect has no function for an operation.
    """
    return list(_Printer(program, inputs, dialect, temporary, longest).lines(results, LONGEST_RUN if loops else None))


def assignments(targets: Iterable[str], value: str, longest_run: int | None = None) -> Iterator[str]:
    """The statements that assign one value to several elements.

    >>> list(assignments(["y[0]", *(f"z[{k}]" for k in range(2, 40)), "s"], "0.0", 16))
    ['y[0] = 0.0;', 'for (int k_ = 2; k_ < 40; ++k_) z[k_] = 0.0;', 's = 0.0;']
    """
    places = [(target, *target.removesuffix("]").rpartition("[")) for target in targets]
    counted = ((place, k - int(place[3]) if place[2] and place[3].isdigit() else -1) for k, place in enumerate(places))
    for _, group in groupby(counted, lambda one: (one[0][1], one[1])):
        run = [place for place, _ in group]
        _, array, bracket, first = run[0]
        if bracket and longest_run and len(run) > longest_run:
            yield f"for (int k_ = {first}; k_ < {int(first) + len(run)}; ++k_) {array}[k_] = {value};"
        else:
            yield from (f"{place[0]} = {value};" for place in run)


def live_nodes(program: Program) -> set[int]:
    """The nodes that some result needs, not all nodes of a guarded program with constant results."""
    result = {*program.results}
    for index in range(len(program.nodes) - 1, -1, -1):
        name, *arguments = program.nodes[index]
        if index in result and name in OPERATIONS:
            result.update(int(a) for a in arguments)
    return result


class _Printer:
    """The state of printing a program: the terms of the printed nodes."""

    def __init__(
        self, program: Program, inputs: Sequence[str], dialect: Dialect, temporary: Callable[[int], str], longest: int
    ) -> None:
        self.program, self.dialect, self.longest = program, dialect, longest
        self._refuse_missing()
        self.inputs = [CExpression(text) for text in inputs]
        self.names = map(temporary, count())
        self.needed = live_nodes(program)
        operations = [program.nodes[k] for k in self.needed if program.nodes[k][0] in OPERATIONS]
        self.users = Counter(int(a) for node in operations for a in node[1:])
        self.users.update(program.results)
        self.terms: list[CExpression] = []
        self.partners = self._partners() if dialect.sincos else {}
        self.computed: dict[int, CExpression] = {}  # sines and cosines computed together with an earlier partner

    def _refuse_missing(self) -> None:
        missing = {str(node[0]) for node in self.program.nodes} - BUILT_IN - {*self.dialect.functions}
        if missing:
            names = ", ".join(sorted(missing))
            raise Unsupported(f"{self.program.name} contains {names}, for which {self.dialect.scalar} has no function")

    def _partners(self) -> dict[int, int]:
        """The cosine of the angle of every sine, and the sine for every cosine, if the program needs both."""
        nodes = self.program.nodes
        result = {nodes[k]: k for k in self.needed if nodes[k][0] in ("sin", "cos")}
        other = {"sin": "cos", "cos": "sin"}
        pairs = ((k, result.get((other[str(name)], *angle))) for (name, *angle), k in result.items())
        return {k: partner for k, partner in pairs if partner is not None}

    def lines(self, results: Sequence[str], longest_run: int | None = None) -> Iterator[str]:
        """Yield the statements in order."""
        targets: dict[int, list[str]] = {}
        for target, node in zip(results, self.program.results, strict=True):
            targets.setdefault(node, []).append(target)
        for index in range(len(self.program.nodes)):
            yield from self._node(index)
            if index in targets:
                yield from assignments(targets[index], self._value(index).text, longest_run)

    def _node(self, index: int) -> Iterator[str]:
        """The statement of a node, if it has a separate one."""
        name = self.program.nodes[index][0]
        if index in self.computed or index not in self.needed:
            self.terms.append(self.computed.get(index, CExpression("")))
        elif index in self.partners:
            yield from self._sine_and_cosine(index, self.partners[index])
        else:
            term = self._term(index)
            if name not in ("input", "const") and self._needs_name(index, term):
                variable = CExpression(next(self.names))
                value = self._number(term)
                yield f"const {self.dialect.scalar} {variable.text} = {value.text};"
                term = variable
            self.terms.append(term)

    def _needs_name(self, index: int, term: CExpression) -> bool:
        name = self.program.nodes[index][0]
        several = self.users[index] > 1 and name != "neg"  # a sign is free, and its operand has a name
        return several or len(term.text) > self.longest

    def _sine_and_cosine(self, index: int, partner: int) -> Iterator[str]:
        name, angle = self.program.nodes[index]
        sine, cosine = CExpression(next(self.names)), CExpression(next(self.names))
        yield f"{self.dialect.scalar} {sine.text}, {cosine.text};"
        yield f"{self.dialect.sincos}({self._value(int(angle)).text}, &{sine.text}, &{cosine.text});"
        pair = dict(zip((index, partner), (sine, cosine) if name == "sin" else (cosine, sine), strict=True))
        self.computed = self.computed | pair
        self.terms.append(pair[index])

    def _term(self, index: int) -> CExpression:
        name, *arguments = self.program.nodes[index]
        if name == "const":
            return number(self.dialect, float(arguments[0]))
        if name == "input":
            return self.inputs[int(arguments[0])]
        places = [int(a) for a in arguments]
        if name == "select":
            condition, *values = places
            return choice(self._condition(condition), *(self._value(v) for v in values))
        return self._applied(str(name), [self._value(a) for a in places])

    def _applied(self, name: str, values: list[CExpression]) -> CExpression:
        if name in COMPARISONS:
            return comparison(name, *values)
        if name == "guard":
            nothing = OPERATORS["mul"](values[1], number(self.dialect, 0.0))
            return OPERATORS["add"](values[0], nothing)
        if name in OPERATORS:
            return OPERATORS[name](*values)
        return call(self.dialect.functions[name], *values)

    def _value(self, index: int) -> CExpression:
        """The term of a node as a number."""
        return self._number(self.terms[index])

    def _number(self, term: CExpression) -> CExpression:
        """A comparison as 1.0 or 0.0; any other term unchanged."""
        if term.strength != COMPARISON:
            return term
        return choice(term, number(self.dialect, 1.0), number(self.dialect, 0.0))

    def _condition(self, index: int) -> CExpression:
        """The term of a node as a condition, true if the node is not zero."""
        term = self.terms[index]
        if term.strength == COMPARISON:
            return term
        zero = number(self.dialect, 0.0)
        return CExpression(f"{term.at_least(COMPARISON + 1)} != {zero.text}", COMPARISON)
