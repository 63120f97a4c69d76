"""What happens at times of its own: events, brakes, stops and contacts, and motions in pieces between them."""

from armdyn.lazy import modules_of

__getattr__ = modules_of(__name__)
