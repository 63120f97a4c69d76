"""Arms with flexible joints in motion: links and rotors on springs."""

from armdyn.lazy import modules_of

__getattr__ = modules_of(__name__)
