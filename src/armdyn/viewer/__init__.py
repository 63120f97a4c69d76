"""A viewer of robots in the browser, on the library viser: ``robot.view()``, ``trajectory.view()``, `armdyn.view`.

`Viewer` is what they return: ``show``, ``play``, ``pause``, ``seek``, ``screenshot``, ``save``, ``wait``, ``close``.
`Recording` is a motion of one's own, `read_log` reads one from a csv. It computes nothing by itself: poses, torques and
energies are those of the robot's methods.
"""

from typing import TYPE_CHECKING

from armdyn.lazy import names_of

if TYPE_CHECKING:
    from armdyn.viewer.errors import LogError, PortInUse, StreamError, ViewerError
    from armdyn.viewer.log_file import read_log
    from armdyn.viewer.recording import Recording
    from armdyn.viewer.view import view, view_trajectory
    from armdyn.viewer.viewer import Viewer

_WHERE = {
    "LogError": "errors",
    "PortInUse": "errors",
    "Recording": "recording",
    "StreamError": "errors",
    "Viewer": "viewer",
    "ViewerError": "errors",
    "read_log": "log_file",
    "view": "view",
    "view_trajectory": "view",
}

__all__ = [
    "LogError",
    "PortInUse",
    "Recording",
    "StreamError",
    "Viewer",
    "ViewerError",
    "read_log",
    "view",
    "view_trajectory",
]

__getattr__ = names_of(__name__, _WHERE)
