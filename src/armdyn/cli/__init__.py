"""The command line: one verb a job."""

from armdyn.cli.app import main
from armdyn.lazy import modules_of

__all__ = ["main"]

__getattr__ = modules_of(__name__)
