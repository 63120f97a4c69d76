"""The integration methods: their settings, their formulas, and the loops that take the steps."""

from armdyn.lazy import modules_of

__getattr__ = modules_of(__name__)
