"""A joint that moves no inertia: everything but its acceleration is defined."""

import numpy as np
import pytest

import armdyn
from armdyn.model import Inertia
from armdyn.model.assembly import assemble
from armdyn.model.parts import JointPart, LinkPart


@pytest.fixture
def pen() -> armdyn.Robot:
    """A point mass on the axis of the last joint."""
    z = np.array([0.0, 0.0, 1.0])
    x = np.array([1.0, 0.0, 0.0])
    links = [LinkPart("base"), LinkPart("arm", Inertia(1.0, [0.5, 0, 0], np.diag([0.1, 0.2, 0.2]))),
             LinkPart("pen", Inertia(0.3, [0.0, 0.0, 0.1]))]  # fmt: skip
    joints = [
        JointPart("lift", "revolute", "base", "arm", np.eye(4), x),
        JointPart("spin", "revolute", "arm", "pen", np.eye(4), z),
    ]
    return armdyn.Robot(assemble("pen", links, joints))


def test_forward_dynamics_names_the_joint_and_the_remedy(pen: armdyn.Robot) -> None:
    with pytest.raises(armdyn.ModelError, match=r"joint 'spin' of 'pen' moves no inertia.*locked=\{'spin': 0.0\}"):
        pen.forward_dynamics(np.zeros(2), np.zeros(2), np.zeros(2))


def test_inverse_dynamics_is_defined(pen: armdyn.Robot) -> None:
    tau = pen.inverse_dynamics([0.3, 0.2], [1.0, 2.0], [0.5, 0.1])
    assert np.isfinite(tau).all()
    assert tau[1] == pytest.approx(0.0, abs=1e-15)
