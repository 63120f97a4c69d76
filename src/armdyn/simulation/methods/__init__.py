"""The integration methods: formulas, each written once, and their settings. None knows of joints, rows or elements."""

from armdyn.lazy import modules_of

__getattr__ = modules_of(__name__)
