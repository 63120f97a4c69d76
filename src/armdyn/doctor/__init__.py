"""What is wrong with a robot description, and its repair.

`armdyn.doctor` is the function `armdyn.doctor.examine.doctor`; this package holds its checks and its findings.
"""

from armdyn.lazy import names_of

_WHERE = {
    "Finding": "finding",
    "Findings": "findings",
    "Repair": "finding",
    "doctor": "examine",
    "log_of": "sarif",
}

__all__ = ["Finding", "Findings", "Repair", "doctor", "log_of"]

__getattr__ = names_of(__name__, _WHERE)
