"""What a function of a robot costs, as the source at hand writes it: some slips change nothing else."""

from typing import Any

from armdyn import algorithms
from armdyn.program import Port, trace


def count(mechanism: Any, function: str, **options: Any) -> str:
    """Operation counts, in the literature's notation."""
    declared = getattr(algorithms, function)
    inputs = [Port(a.name, (mechanism.dof,)) for a in declared.arguments if not a.optional]
    return str(trace(lambda *arrays: declared(mechanism, *arrays, **options), inputs).op_counts)
