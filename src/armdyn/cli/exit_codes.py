"""The exit codes of verbs that have done their work: others are in `armdyn.cli.app`."""

NOT_MET = 1
"""No result: no configuration meets the target, no drive the task."""

INTERRUPTED = 130
"""Ctrl-C."""
