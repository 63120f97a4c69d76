"""Images of unit balls of accelerations, forces or velocities: the ellipsoids of M, Lambda and J.

| function | unit ball of | becomes | by | Modern Robotics |
|---|---|---|---|---|
| `torque` | joint accelerations | joint forces | M | figure 8.3 |
| `acceleration` | joint forces | joint accelerations | M^-1 | figure 8.3, dotted |
| `tip_force` | accelerations of a frame | forces on it | Lambda | figure 8.4 |
| `tip_acceleration` | forces on a frame | its accelerations | Lambda^-1 | figure 8.4, dotted |
| `velocity` | joint velocities | velocities of a frame | J | 5.4 |
| `force` | joint forces | forces of a frame | J^-T | 5.4 |

The ellipsoids of M and Lambda are those of an arm at rest: velocities add forces that no ellipsoid shows. Semi-axes
have a length only if all coordinates have one common unit; a mixture is refused.
"""

from armdyn.base.lazy import modules_of
from armdyn.ellipsoids.ellipsoid import Ellipsoid
from armdyn.ellipsoids.joint_space import acceleration, torque
from armdyn.ellipsoids.tip import force, tip_acceleration, tip_force, velocity

__all__ = ["Ellipsoid", "acceleration", "force", "tip_acceleration", "tip_force", "torque", "velocity"]

__getattr__ = modules_of(__name__)
