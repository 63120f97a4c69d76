"""The command line: one verb for each task."""

from armdyn.cli.app import main
from armdyn.lazy import modules_of

__all__ = ["main"]

__getattr__ = modules_of(__name__)
