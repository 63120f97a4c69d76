"""What is wrong with a robot description, and its repair.

`armdyn.doctor` is the function `doctor` of the module `examine`; this package holds its checks and its findings.
"""

from armdyn.base.lazy import names_of

_WHERE = {
    "DescriptionDifference": "comparison",
    "Finding": "finding",
    "Findings": "findings",
    "Repair": "finding",
    "compare": "comparison",
    "doctor": "examine",
    "log_of": "sarif",
}

__all__ = ["DescriptionDifference", "Finding", "Findings", "Repair", "compare", "doctor", "log_of"]

__getattr__ = names_of(__name__, _WHERE)
