"""A viewer of robots in the browser, on the library viser: ``robot.view()``, ``trajectory.view()``, `armdyn.view`.

`Viewer` is what they return: ``show``, ``play``, ``pause``, ``seek``, ``screenshot``, ``save``, ``wait``, ``close``.
`Recording` is a motion given as arrays; logs are read by `armdyn.logs.read`. The viewer has no dynamics of its own:
poses, torques and energies are computed by the robot's methods.
"""

from typing import TYPE_CHECKING

from armdyn.base.lazy import names_of

if TYPE_CHECKING:
    from armdyn.viewer.errors import PortInUse, StreamError, ViewerError
    from armdyn.viewer.recording import Recording
    from armdyn.viewer.view import view, view_trajectory
    from armdyn.viewer.viewer import Viewer

_WHERE = {
    "PortInUse": "errors",
    "Recording": "recording",
    "StreamError": "errors",
    "Viewer": "viewer",
    "ViewerError": "errors",
    "view": "view",
    "view_trajectory": "view",
}

__all__ = [
    "PortInUse",
    "Recording",
    "StreamError",
    "Viewer",
    "ViewerError",
    "view",
    "view_trajectory",
]

__getattr__ = names_of(__name__, _WHERE)
