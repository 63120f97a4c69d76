"""The integration methods: formulas, each written once, and settings, independent of joints, rows and elements."""

from armdyn.base.lazy import modules_of

__getattr__ = modules_of(__name__)
