"""Studies: many runs of an arm from other states and with other parameters; `study` runs them."""

from armdyn.base.lazy import modules_of
from armdyn.studies.distributions import Distribution, LogUniform, Normal, Uniform
from armdyn.studies.errors import ClusterLost, OtherStudy, StudyError
from armdyn.studies.recipe import Runs
from armdyn.studies.results import Results, read
from armdyn.studies.run import study
from armdyn.studies.samples import grid, sampled
from armdyn.studies.scenario import Scenario

__all__ = [
    "ClusterLost",
    "Distribution",
    "LogUniform",
    "Normal",
    "OtherStudy",
    "Results",
    "Runs",
    "Scenario",
    "StudyError",
    "Uniform",
    "grid",
    "read",
    "sampled",
    "study",
]

__getattr__ = modules_of(__name__)
