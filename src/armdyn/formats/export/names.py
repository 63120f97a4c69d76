"""Names that an XML file can hold."""

from __future__ import annotations

import re

from armdyn.base.errors import ModelError
from armdyn.model.model import Model

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML file can hold."""


def check_names(model: Model) -> None:
    """Raise a ModelError for a robot, frame or joint that an XML file cannot name."""
    joints = [("joint", name) for name in model.joint_names]
    for kind, name in [("robot", model.name), *(("frame", frame.name) for frame in model.frames), *joints]:
        if not name.strip() or NOT_IN_XML.search(name):
            raise ModelError(f"{kind} {name!r} has a name that an XML file cannot hold; give it another.")
