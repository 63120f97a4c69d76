"""Programs as functional mock-up units of FMI 3.0 (https://fmi-standard.org): `FmiSystem`, and its file `Fmu`.

A system is *continuous*, states and their rates, and becomes an FMU for model exchange and co-simulation; or *sampled*,
states and their values a step later, and becomes one for co-simulation. ``sources/`` has the C shared by all FMUs.
"""

from armdyn.base.lazy import names_of

_WHERE = {
    "Fmu": "archive",
    "SystemState": "system",
    "FmiSystem": "system",
    "Variable": "system",
}

__getattr__ = names_of(__name__, _WHERE)
