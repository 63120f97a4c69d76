"""The functions of the book Modern Robotics under the names of its code library, on compiled code.

A program written for the ``modern_robotics`` package runs unchanged, and faster, after one edit:

>>> import armdyn.modern_robotics as mr

Names, order of arguments, conventions, shapes and types of the results are the package's: lists or arrays go in,
screws are columns, trajectories are rows. Chapters 3 (rigid motions), 4 to 6 (kinematics), 8 (dynamics), 9
(trajectories) and 11 (control) are here. ``docs/modern_robotics.md`` lists the speed-up of each function, and the few
differences of results.

The arm's lists are inputs of the compiled code, which is compiled once for each number of joints: other masses, screws
or gravity require no compilation.

>>> mr.FKinSpace(np.eye(4), [[0], [0], [1], [0], [0], [0]], [np.pi / 2]).round(9)[:2, :2] + 0.0
array([[ 0., -1.],
       [ 1.,  0.]])
"""

from armdyn.base.lazy import modules_of
from armdyn.modern_robotics import core
from armdyn.modern_robotics.core import *  # noqa: F403 - the same names in both places, as the package has them
from armdyn.modern_robotics.core import __all__ as _names

__all__ = ["core", *_names]  # noqa: PLE0604 - names, all of them

__getattr__ = modules_of(__name__)
