"""Reports: a motion as a document, HTML or PDF: limits, torques, energy, figures, and data to repeat it.

`report` is ``trajectory.report()`` and ``armdyn report``, `fit_report` ``fit.report()``. `account` computes the
numbers, `figures` the pictures, `sections` the parts of the document, `printing` the PDF by a browser.
"""

from typing import TYPE_CHECKING

from armdyn.base.lazy import names_of

if TYPE_CHECKING:
    from armdyn.report.document import Report, report
    from armdyn.report.errors import ReportError
    from armdyn.report.fit_report import fit_report

_WHERE = {"Report": "document", "ReportError": "errors", "fit_report": "fit_report", "report": "document"}

__all__ = ["Report", "ReportError", "fit_report", "report"]

__getattr__ = names_of(__name__, _WHERE)
