"""An arm under its controller as one compiled loop."""

from armdyn.base.lazy import modules_of

__getattr__ = modules_of(__name__)
