"""Modules with no robot in them: errors, checks, arrays, exact numbers, threads, lazy imports, tables, files."""

from armdyn.base.lazy import modules_of

__getattr__ = modules_of(__name__)
