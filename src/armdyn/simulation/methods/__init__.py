"""The integration methods: formulas, each written once, and settings, independent of joints, rows and elements."""

from armdyn.lazy import modules_of

__getattr__ = modules_of(__name__)
