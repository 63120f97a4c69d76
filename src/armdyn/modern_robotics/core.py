"""The names of the module ``modern_robotics.core``, including NumPy's ``np``.

Programs with ``from modern_robotics import *`` import ``np`` from there.
"""

import numpy as np

from armdyn.modern_robotics.control import ComputedTorque, SimulateControl
from armdyn.modern_robotics.dynamics import (
    EndEffectorForces,
    EulerStep,
    ForwardDynamics,
    ForwardDynamicsTrajectory,
    GravityForces,
    InverseDynamics,
    InverseDynamicsTrajectory,
    MassMatrix,
    VelQuadraticForces,
)
from armdyn.modern_robotics.kinematics import (
    FKinBody,
    FKinSpace,
    IKinBody,
    IKinSpace,
    JacobianBody,
    JacobianSpace,
)
from armdyn.modern_robotics.near_groups import (
    DistanceToSE3,
    DistanceToSO3,
    ProjectToSE3,
    ProjectToSO3,
    TestIfSE3,
    TestIfSO3,
)
from armdyn.modern_robotics.rigid_motions import (
    Adjoint,
    AxisAng6,
    MatrixExp6,
    MatrixLog6,
    RpToTrans,
    ScrewToAxis,
    TransInv,
    TransToRp,
    VecTose3,
    ad,
    se3ToVec,
)
from armdyn.modern_robotics.rotations import (
    AxisAng3,
    MatrixExp3,
    MatrixLog3,
    NearZero,
    Normalize,
    RotInv,
    VecToso3,
    so3ToVec,
)
from armdyn.modern_robotics.trajectories import (
    CartesianTrajectory,
    CubicTimeScaling,
    JointTrajectory,
    QuinticTimeScaling,
    ScrewTrajectory,
)

__all__ = [
    "Adjoint",
    "AxisAng3",
    "AxisAng6",
    "CartesianTrajectory",
    "ComputedTorque",
    "CubicTimeScaling",
    "DistanceToSE3",
    "DistanceToSO3",
    "EndEffectorForces",
    "EulerStep",
    "FKinBody",
    "FKinSpace",
    "ForwardDynamics",
    "ForwardDynamicsTrajectory",
    "GravityForces",
    "IKinBody",
    "IKinSpace",
    "InverseDynamics",
    "InverseDynamicsTrajectory",
    "JacobianBody",
    "JacobianSpace",
    "JointTrajectory",
    "MassMatrix",
    "MatrixExp3",
    "MatrixExp6",
    "MatrixLog3",
    "MatrixLog6",
    "NearZero",
    "Normalize",
    "ProjectToSE3",
    "ProjectToSO3",
    "QuinticTimeScaling",
    "RotInv",
    "RpToTrans",
    "ScrewToAxis",
    "ScrewTrajectory",
    "SimulateControl",
    "TestIfSE3",
    "TestIfSO3",
    "TransInv",
    "TransToRp",
    "VecTose3",
    "VecToso3",
    "VelQuadraticForces",
    "ad",
    "np",
    "se3ToVec",
    "so3ToVec",
]
