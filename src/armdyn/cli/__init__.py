"""The command line: one verb for each task."""

from armdyn.base.lazy import modules_of
from armdyn.cli.app import main

__all__ = ["main"]

__getattr__ = modules_of(__name__)
