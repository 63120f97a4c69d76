"""Modules with no robot in them: errors, checks, arrays, exact numbers, threads, lazy imports, tables, files."""
