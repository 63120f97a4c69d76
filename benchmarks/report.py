"""The tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple

from rich.console import Console
from rich.table import Table

from benchmarks.results import SUBJECT, Results
from benchmarks.targets import outcomes
from benchmarks.throughput import Speed, best_of

Row = tuple[object, ...]


def show(results: Results, console: Console) -> None:
    """Everything that was measured, one table each."""
    _machine(results, console)
    _agreement(results, console)
    _speeds("Time per state, large batch, one core, ns", results.batch, console)
    _speeds("One call from Python, ns", results.single, console)
    rows: list[Row]
    if results.gains:
        rows = [
            (g.robot, g.function, g.what, g.states, g.before_ns, g.after_ns, f"{g.ratio:.2f}", f"{g.deviation:.1e}")
            for g in results.gains
        ]
        _table("armdyn against itself", "robot|function|what|states|before ns|after ns|ratio|deviation", rows, console)
    if results.layouts:
        rows = [(c.robot, c.function, c.layout, c.states, c.rows_ns, c.ns, f"{c.ratio:.2f}") for c in results.layouts]
        _table("Layouts, ns a state", "robot|function|layout|states|row-major|so|ratio", rows, console)
    if results.latency:
        rows = [
            (one.robot, one.function, one.cache, *(f"{1e3 * seconds:.1f}" for seconds in one.stages))
            for one in results.latency
        ]
        heads = "robot|function|cache|import numpy|import armdyn|read URDF|first call|read + call"
        _table("Fresh processes, ms", heads, rows, console)
    if results.accuracy:
        rows = [(*row[:5], *(f"{error:.1e}" for error in row[5:])) for row in map(astuple, results.accuracy)]
        _table("Error against 50 digits", "robot|function|library|way|states|median|99 %|largest", rows, console)
    if results.operations:
        rows = [
            (o.robot, o.function, o.multiplications, o.additions, o.divisions, o.square_roots, o.other)
            for o in results.operations
        ]
        _table("Operations of armdyn's programs", "robot|function|multiply|add|divide|root|other", rows, console)
    if results.sharings:
        rows = [(s.robot, s.what, s.parts, s.whole, f"{s.ratio:.2f}") for s in results.sharings]
        _table("A controller's set as one program", "robot|what|parts|whole|ratio", rows, console)
    if results.rollouts:
        rows = [
            (r.robot, r.way, r.ns, r.operations, r.operations_a_ns, r.beside, f"{r.ratio:.2f}")
            for r in results.rollouts
        ]
        heads = "robot|way|ns a step|operations|a ns|beside|ratio"
        _table("1000 arms, 1000 steps, one core but where two are named", heads, rows, console)
    if results.adaptive:
        rows = [(a.robot, a.motion, a.way, f"{a.ms:.4g}", f"{a.ratio:.3g}", f"{a.error:.1e}") for a in results.adaptive]
        heads = "robot|motion|way|ms a motion|times armdyn's|error of q"
        _table("Three seconds with error control, 1001 states kept, one core", heads, rows, console)
    if results.paper:
        rows = [(p.what, p.operations, p.their_operations, f"{1e6 * p.seconds:.3g} us", f"{1e3 * p.their_seconds:g} ms")
                for p in results.paper]  # fmt: skip
        title = "The arm of Kazerounian and Gupta 1985 here, and on their IBM 3081"
        _table(title, "what|armdyn's operations|theirs|armdyn|theirs", rows, console)
    if results.motions:
        rows = [
            (one.mechanism, one.method, one.against, *(f"{x:.1e}" for x in (one.error, one.open_by, one.energy)),
             f"{1e3 * one.seconds:.4g}")
            for one in results.motions
        ]  # fmt: skip
        heads = "mechanism|method|error against|error, rad|constraints, m|energy, relative|ms"
        _table("Mechanisms of the IFToMM library", heads, rows, console)
    _energy(results, console)
    if results.sizings:
        rows = [
            (s.pairs, s.joints, s.samples, s.admitted, f"{s.seconds:.3g}", f"{s.plain_seconds:.3g}",
             f"{s.plain_seconds / s.seconds:.2f}", s.differ)
            for s in results.sizings
        ]  # fmt: skip
        heads = "pairs|joints|samples|do the task|s|plain NumPy, s, no temperatures|ratio|decisions that differ"
        _table("Sizing, one core", heads, rows, console)
    _targets(results, console)


def _energy(results: Results, console: Console) -> None:
    if results.drifts:
        rows = [
            (one.robot, one.library, one.integrator, f"{1e3 * one.step:g} ms", f"{one.early:.1e}", f"{one.whole:.1e}")
            for one in results.drifts
        ]
        heads = "robot|library|integrator|step|first second|ten seconds"
        _table("Largest change of the energy, relative to the kinetic energy that was reached", heads, rows, console)
    if results.long_drifts:
        rows = [
            (one.library, one.integrator, f"{1e3 * one.step:g} ms", f"{one.median:.1e}", f"{one.most:.1e}")
            for one in results.long_drifts
        ]
        heads = "library|integrator|step|median, J|largest, J"
        _table("Energy that a double pendulum gains in 100 s, from 15 starts", heads, rows, console)


def _machine(results: Results, console: Console) -> None:
    for name, value in results.machine.items():
        shown = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
        console.print(f"[bold]{name}[/]: {shown}", highlight=False)
    for skip in results.skipped:
        console.print(f"[yellow]left out[/]: {skip.robot}, {skip.peer}: {skip.reason}", highlight=False)


def _agreement(results: Results, console: Console) -> None:
    if not results.agreement:
        return
    console.print(f"largest relative deviation of any library: {max(a.deviation for a in results.agreement):.1e}")
    for one in results.agreement:
        if not one.agrees:
            who = f"{one.robot} {one.function}: {one.peer} {one.way}"
            console.print(f"[red]not timed, disagrees by {one.deviation:.1e} with {one.reference}[/]: {who}")


def _speeds(title: str, speeds: list[Speed], console: Console) -> None:
    rows: list[Row] = []
    for robot, function in dict.fromkeys((speed.robot, speed.function) for speed in speeds):
        for peer in dict.fromkeys(speed.peer for speed in speeds):
            best = best_of(speeds, robot, function, peer)
            if best is not None:
                own = best_of(speeds, robot, function, SUBJECT)
                ratios = [""] * 2
                if own is not None and own != best:
                    ratios = [f"{best.median_ns / own.median_ns:.2f}", f"{best.best_ns / own.best_ns:.2f}"]
                rows.append((robot, function, peer, best.way, best.count, best.median_ns, best.best_ns, *ratios))
    if rows:
        _table(
            title, "robot|function|library|best way|states|median|least|median / armdyn|least / armdyn", rows, console
        )


def _targets(results: Results, console: Console) -> None:
    rows = [
        (one.name, f"{one.measured:.3g}", f"{'>=' if one.at_least else '<='} {one.bound:.3g}", _verdict(one.met))
        for one in outcomes(results)
    ]
    if rows:
        _table("Targets", "what|measured|target|", rows, console)


def _verdict(met: bool) -> str:
    return "[green]met[/]" if met else "[red]missed[/]"


def _table(title: str, heads: str, rows: Iterable[Row], console: Console) -> None:
    table = Table(title=title, title_justify="left")
    cells = list(rows)
    for position, head in enumerate(heads.split("|")):
        numeric = any(isinstance(row[position], int | float) for row in cells)
        table.add_column(head, justify="right" if numeric else "left", overflow="fold")
    for row in cells:
        table.add_row(*(f"{cell:.1f}" if isinstance(cell, float) else str(cell) for cell in row))
    console.print(table)
