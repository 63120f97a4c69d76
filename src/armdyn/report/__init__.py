"""Reports: a motion as a document, HTML or PDF: limits, torques, energy, figures, and what is needed to repeat it.

`report` is ``trajectory.report()`` and ``armdyn report``. `account` has the numbers, `figures` the pictures, `sections`
the parts of the document, `printing` the PDF by a browser.
"""

from typing import TYPE_CHECKING

from armdyn.lazy import names_of

if TYPE_CHECKING:
    from armdyn.report.document import Report, report
    from armdyn.report.errors import ReportError

_WHERE = {"Report": "document", "ReportError": "errors", "report": "document"}

__all__ = ["Report", "ReportError", "report"]

__getattr__ = names_of(__name__, _WHERE)
