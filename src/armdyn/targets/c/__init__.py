"""Programs as C99."""

from armdyn.lazy import modules_of

__getattr__ = modules_of(__name__)
