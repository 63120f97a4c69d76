"""`fit_report`: a fit as a document: logs, torque errors, parameters with intervals, friction, residuals."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

import numpy as np

from armdyn.base.errors import excerpt
from armdyn.identification import Check, Fit
from armdyn.identification.checking import worse_joints
from armdyn.identification.fit import SEEN
from armdyn.logs import Log
from armdyn.page.html_file import filled, template_file
from armdyn.page.tables import html_table
from armdyn.plots import draw_check, draw_friction_map
from armdyn.plots.residuals import draw_residuals
from armdyn.report.document import Report, check_ending
from armdyn.report.errors import ReportError
from armdyn.report.figures import inlined

MOST_DRAWN = 6
"""Largest number of logs with drawn joint forces and residuals."""

CORRELATED, MOST_PAIRS = 0.9, 20
"""Least correlation of parameters listed as correlated, and largest number of listed pairs."""


def fit_report(
    fit: Fit, path: str | os.PathLike[str] | None = None, *, on: object = (), title: str | None = None
) -> Report:
    """A fit as a document, self-contained HTML or PDF.

    The document contains the logs with their rows and findings, the torque errors of description, friction alone and
    fit on each log, the parameters with intervals of 95 % and the fraction determined by data, friction over speed,
    joint forces and residuals over time, their autocorrelation and spectrum, correlated parameters.

    Args:
        path: path of a file to write, replacing an existing one: ``.html``, or ``.pdf`` by an installed browser.
        on: one or several logs that were not fitted: `armdyn.logs.Log`, or checks of ``fit.check``.
        title: above the document.

    Raises:
        ReportError: another ending; a PDF without a browser; a value that is not a fit.

    >>> robot, t = armdyn.load("planar_2r"), np.arange(0.0, 8.0, 0.01)
    >>> q = np.stack([0.8 * np.sin(2.0 * t), 0.5 * np.sin(3.1 * t)], axis=-1)
    >>> qd = np.gradient(q, t, axis=0)
    >>> log = {"t": t, "q": q, "tau": robot.inverse_dynamics(q, qd, np.gradient(qd, t, axis=0)) + 0.4 * qd}
    >>> armdyn.identify(robot, log, friction=("viscous",), armature=False).report()
    <report: ... bytes>
    """
    if not isinstance(fit, Fit):
        raise ReportError(f"fit is {excerpt(fit)}; expected a result of armdyn.identify")
    if path is not None:
        check_ending(Path(path))
    unseen = [_check(fit, each) for each in _as_list(on)]
    fitted = [fit.check(log) for log in fit.logs]
    document = Report(_html(fit, fitted, unseen, title))
    if path is not None:
        document.write(path)
    return document


def _as_list(logs: object) -> list[object]:
    """A list of logs or checks, from one or several."""
    return list(logs) if isinstance(logs, list | tuple) else [logs]


def _check(fit: Fit, log: object) -> Check:
    return log if isinstance(log, Check) else fit.check(log)


def _html(fit: Fit, fitted: Sequence[Check], unseen: Sequence[Check], title: str | None) -> str:
    parts = {
        "title": escape(title or f"Fit of {fit.source.name}"),
        "summary": _summary(fit, fitted, unseen),
        "logs": _logs(fit.logs),
        "errors": _errors(fitted, unseen),
        "parameters": _parameters(fit),
        "correlated": _correlated(fit),
        "friction": _friction(fit),
        "over_time": _over_time(unseen or fitted),
        "notes": _notes(fit.notes),
    }
    style, body = (template_file("armdyn.report", name) for name in ("report.css", "fit_report.html"))
    return filled(body, parts, style=style)


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs)
    return f"<dl>{rows}</dl>"


def _summary(fit: Fit, fitted: Sequence[Check], unseen: Sequence[Check]) -> str:
    """The settings of the fit, and the verdict."""
    slow, fast, seen = fit.chain.slow, fit.chain.fast, len(fit.seen)
    terms = ", ".join(fit.parameters.of_joints) or "none"
    pairs = [
        ("robot", f"{fit.source.name}, {fit.source.dof} joints"),
        ("logs", f"{len(fitted)} fitted, {len(unseen)} held out"),
        ("parameters", f"{len(fit.values)}, {seen} of them determined by the data, the others by the description"),
        ("terms of joints", terms),
        ("low-pass", f"{slow.cutoff:g} Hz of columns and torques, {fast.cutoff:g} Hz of positions and velocities"),
        ("weight of the prior", f"{fit.selection.weight:.3g}"),
    ]
    if fit.delays.any():
        delays = zip(fit.source.joint_names, fit.delays, strict=True)
        pairs.append(("torques late by", ", ".join(f"{name} {1e3 * delay:.1f} ms" for name, delay in delays)))
    checks = unseen or fitted
    worse = worse_joints(checks)
    where = "logs that were held out" if unseen else "the fitted logs"
    if worse:
        text = f"On {where} the fit is more than 2 % worse than friction alone at {', '.join(worse)}."
        return _pairs(pairs) + f'<div class="over">{escape(text)}</div>'
    text = f"On {where} the fit is nowhere more than 2 % worse than the description with fitted friction."
    return _pairs(pairs) + f'<p class="good">{escape(text)}</p>'


def _logs(logs: Sequence[Log]) -> str:
    """The table of logs, one row per log, followed by the findings."""
    rows = [
        [log.name, f"{len(log):,}", f"{log.duration:.4g}", f"{log.rate:.4g}", ", ".join(log.quantities)] for log in logs
    ]
    table = html_table(["log", "rows", "duration, s", "rate, Hz", "recorded"], rows)
    items = [f"<li><b>!</b><span>{escape(log.name)}: {escape(note)}</span></li>" for log in logs for note in log.notes]
    return table + (f'<ul class="findings">{"".join(items)}</ul>' if items else '<p class="good">No findings.</p>')


def _errors(fitted: Sequence[Check], unseen: Sequence[Check]) -> str:
    """RMS torque errors by log and joint."""
    headings = ["joint", "description", "friction alone", "fit", "fit / friction alone", "band at rest"]
    parts = []
    for word, checks in (("held out", unseen), ("fitted", fitted)):
        for check in checks:
            rows = [
                [name, *(f"{value:.3g}" for value in values), "" if np.isnan(band) else f"{band:.3g}"]
                for name, *values, band in zip(
                    check.joint_names,
                    check.rms_description,
                    check.rms_alone,
                    check.rms,
                    check.rms / check.rms_alone,
                    check.stick_bands,
                    strict=True,
                )
            ]
            heading = f"{check.log}, {word}, {len(check.t):,} samples"
            parts.append(f"<h3>{escape(heading)}</h3>{html_table(headings, rows)}")
    caption = (
        '<p class="caption">Root of the mean square of measured less modelled joint forces, N m or N, both through the '
        "zero-phase low-pass. Band at rest: the largest error while the joint stands, within its dry friction.</p>"
    )
    return "".join(parts) + caption


def _parameters(fit: Fit) -> str:
    """All parameters; those that come from the description are marked."""
    rows = []
    for name, before, value, low, high, unit, part in fit.table().values:
        source = "data" if part > SEEN else "description"
        numbers = [f"{x:.4g}" for x in (before, value, low, high)]
        rows.append([name, *numbers, unit, f"{100.0 * part:.0f} %", source])
    headings = ["parameter", "description", "fit", "95 % from", "to", "unit", "from data", "source"]
    return html_table(headings, rows)


def _correlated(fit: Fit) -> str:
    """Pairs of parameters with a large correlation, of those that the data determine."""
    seen = [fit.index(name) for name in fit.seen]
    deviations = fit.deviations[seen]
    usable = deviations > 0.0
    names = [name for name, good in zip(fit.seen, usable, strict=True) if good]
    index = np.array(seen, dtype=int)[usable]
    scale = fit.deviations[index]
    correlation = fit.covariance[np.ix_(index, index)] / np.outer(scale, scale)
    first, second = np.triu_indices(len(names), 1)
    sizes = correlation[first, second]
    order = [k for k in np.argsort(-np.abs(sizes)) if abs(sizes[k]) > CORRELATED][:MOST_PAIRS]
    if not order:
        return f'<p class="good">No two parameters have a correlation above {CORRELATED:g}.</p>'
    rows = [[names[first[k]], names[second[k]], f"{sizes[k]:.3f}"] for k in order]
    return html_table(["parameter", "and", "correlation"], rows)


def _friction(fit: Fit) -> str:
    """The friction parameters by joint, and the friction map."""
    terms = [term.name for term in fit.parameters.terms]
    if not terms:
        return '<p class="note">No friction was fitted.</p>'
    rows = [[name, *(f"{fit.friction(name)[term]:.4g}" for term in terms)] for name in fit.source.joint_names]
    picture = inlined(draw_friction_map(fit.robot.friction_map()), "friction of each joint over its speed", "friction")
    return html_table(["joint", *terms], rows) + f"<figure>{picture}</figure>"


def _over_time(checks: Sequence[Check]) -> str:
    """Joint forces over time, and the residual's autocorrelation, spectrum, and dependence on the speed."""
    parts = []
    for number, check in enumerate(checks[:MOST_DRAWN]):
        force = inlined(draw_check(check), "joint forces and errors over time", f"force{number}")
        rest = inlined(draw_residuals(check), "autocorrelation and spectrum of the residual", f"residual{number}")
        parts.append(f"<h3>{escape(check.log)}</h3><figure>{force}</figure><figure>{rest}</figure>")
    if len(checks) > MOST_DRAWN:
        parts.append(f'<p class="caption">The first {MOST_DRAWN} of {len(checks)} logs.</p>')
    return "".join(parts)


def _notes(notes: Sequence[str]) -> str:
    if not notes:
        return '<p class="good">None.</p>'
    return "<ul>" + "".join(f"<li>{escape(note)}</li>" for note in notes) + "</ul>"
