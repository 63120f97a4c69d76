"""The command line: one verb a job."""

from armdyn.cli.app import main

__all__ = ["main"]
