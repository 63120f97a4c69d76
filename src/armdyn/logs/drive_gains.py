"""Joint forces of a log from the currents of its drives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from armdyn.base.advice import for_each
from armdyn.base.checks import array
from armdyn.logs.errors import LogError
from armdyn.logs.log import Log

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike


def with_gains(log: Log, robot: RobotLike, gains: ArrayLike) -> Log:
    """The log with joint forces from its currents.

    Raises:
        LogError: a log without currents, or with joint forces as well.
    """
    if log.current is None:
        raise LogError(
            f"gains are given, and log {log.name!r} has no currents; name their columns: "
            f"{for_each('columns', current='...')}"
        )
    if log.tau is not None:
        raise LogError(
            f"log {log.name!r} has joint forces and currents, and gains are given; name the columns of one: "
            f"{for_each('columns', q='...', current='...')}"
        )
    per_joint = array("gains", gains, None, f"N m/A or N/A, one or {robot.dof}", finite=LogError)
    if per_joint.shape not in ((), (robot.dof,)):
        raise LogError(f"gains has shape {per_joint.shape}; expected one number, or ({robot.dof},): one for each joint")
    of_motors = log.current * per_joint
    return log.with_torques(of_motors if log.drives is None else of_motors @ log.drives)
