"""The kinds of input, by name; each is imported by the processes that judge it."""

from __future__ import annotations

from importlib import import_module

from fuzz.cases import Kind

WHERE = {
    "urdf": "Urdf",
    "mjcf": "Mjcf",
    "calls": "Calls",
    "options": "Options",
    "tables": "Tables",
    "actuator_files": "ActuatorFiles",
    "catalogues": "Catalogues",
    "motion_tables": "MotionTables",
    "mjcf_drives": "MjcfDrives",
    "scenarios": "Scenarios",
    "scenario_words": "ScenarioWords",
    "masp_files": "MaspFiles",
    "archives": "Archives",
    "stream_lines": "StreamLines",
    "urdf_drives": "UrdfDrives",
    "planted": "Planted",
}
"""The class of each kind, in the module of its name."""


def kind_of(name: str) -> Kind:
    """A kind of input by its name."""
    kind: Kind = getattr(import_module(f"fuzz.{name}"), WHERE[name])()
    return kind
