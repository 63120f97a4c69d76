"""The order of the joints: q of a description whose joints are not listed from base to tip."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn import ModelError, Robot, UnknownName, Unsupported
from armdyn.constraints import Holonomic
from armdyn.formats.urdf import read_urdf_text
from oracles.states import assert_close, random_states

SHUFFLED = """<robot name="shuffled">
  <joint name="j_c" type="revolute"> <parent link="b"/> <child link="c"/> <origin xyz="0.3 0 0.1" rpy="0.2 0 0"/>
    <axis xyz="0 1 0"/> <limit lower="-2" upper="2" effort="9" velocity="2"/> <dynamics damping="0.3"/> </joint>
  <link name="c"> <inertial> <origin xyz="0.1 0 0"/> <mass value="0.7"/>
    <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.004" iyz="0" izz="0.004"/> </inertial> </link>
  <joint name="j_d" type="prismatic"> <parent link="c"/> <child link="d"/> <origin xyz="0.2 0 0"/> <axis xyz="1 0 0"/>
    <limit lower="0" upper="0.2" effort="9" velocity="2"/> </joint>
  <link name="a"/>
  <link name="d"> <inertial> <origin xyz="0.05 0.01 0"/> <mass value="0.4"/>
    <inertia ixx="0.0005" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/> </inertial> </link>
  <joint name="j_b" type="revolute"> <parent link="a"/> <child link="b"/> <axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="9" velocity="2"/> </joint>
  <link name="b"> <inertial> <origin xyz="0.15 0 0.05"/> <mass value="1.2"/>
    <inertia ixx="0.003" ixy="0" ixz="0.0004" iyy="0.01" iyz="0" izz="0.01"/> </inertial> </link>
</robot>"""

NOTE = (
    "q is in the order of the description, in which 'j_c' stands before 'j_b', which carries it; joint_order='chain' "
    "gives the order of the chain"
)
CHAIN = [2, 0, 1]  # of the file's j_c, j_d, j_b


@pytest.fixture(scope="module")
def of_file() -> Robot:
    return Robot(read_urdf_text(SHUFFLED))


@pytest.fixture(scope="module")
def of_chain() -> Robot:
    return Robot(read_urdf_text(SHUFFLED, joint_order="chain"))


def test_the_order_of_the_chain(of_file: Robot, of_chain: Robot) -> None:
    assert of_file.joint_names == ("j_c", "j_d", "j_b")
    assert of_file.notes == (NOTE,)
    assert of_chain.joint_names == ("j_b", "j_c", "j_d")
    assert of_chain.notes == ()
    s = random_states(3, 4, seed=1)
    tau = of_file.inverse_dynamics(s.q, s.qd, s.qdd)[..., CHAIN]
    assert_close(of_chain.inverse_dynamics(s.q[..., CHAIN], s.qd[..., CHAIN], s.qdd[..., CHAIN]), tau)
    M = of_file.mass_matrix(s.q)[..., CHAIN, :][..., CHAIN]
    assert_close(of_chain.mass_matrix(s.q[..., CHAIN]), M)


def test_the_method_is_the_option(of_file: Robot, of_chain: Robot) -> None:
    assert of_file.with_joint_order("chain") == of_chain
    assert of_file.with_joint_order().notes == ()
    assert of_chain.with_joint_order(["j_c", "j_d", "j_b"]) == of_file
    assert of_chain.with_joint_order(["j_c", "j_d", "j_b"]).notes == (NOTE,)
    assert of_file.with_joint_order("file") is not None
    named = read_urdf_text(SHUFFLED, joint_order=("j_d", "j_b", "j_c"))
    assert named.joint_names == ("j_d", "j_b", "j_c")


def test_tables_and_screws_of_a_chain_in_another_order(of_file: Robot, of_chain: Robot) -> None:
    """They are those of the chain, and read back as it."""
    s = random_states(3, 3, seed=2)
    bare = of_chain.without_friction()
    expected = of_chain.inverse_dynamics(s.q, s.qd, s.qdd)
    for convention in ("modified", "standard"):
        again = Robot.from_dh(**of_file.to_dh(convention).arguments())
        assert again.joint_names == of_chain.joint_names
        assert_close(again.inverse_dynamics(s.q, s.qd, s.qdd), expected)
    zero = of_file.to_zero_reference()
    assert zero.joint_names == of_chain.joint_names
    again = Robot.from_zero_reference(**zero.arguments())
    assert_close(again.inverse_dynamics(s.q, s.qd, s.qdd), bare.inverse_dynamics(s.q, s.qd, s.qdd))
    screws = Robot.from_screws(*of_file.to_screws())
    assert_close(screws.inverse_dynamics(s.q, s.qd, s.qdd), bare.inverse_dynamics(s.q, s.qd, s.qdd))


def test_a_permutation_is_no_coupling(of_chain: Robot) -> None:
    order = ["j_d", "j_b", "j_c"]
    A = np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]])
    permuted = of_chain.with_coordinates(order, A)
    assert permuted.model.coupling is not None
    assert permuted.to_dh("modified").joint_names == of_chain.joint_names
    again = Robot(read_urdf_text(permuted.to_urdf()))
    assert again.joint_names == tuple(order)
    s = random_states(3, 2, seed=3)
    assert_close(again.inverse_dynamics(s.q, s.qd, s.qdd), permuted.inverse_dynamics(s.q, s.qd, s.qdd))


MIMIC = SHUFFLED.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 1"/><mimic joint="j_d" multiplier="3" offset="0.1"/>')


def test_coordinates_of_coupled_robots() -> None:
    of_file, of_chain = (Robot(read_urdf_text(MIMIC, joint_order=order)) for order in ("file", "chain"))
    assert of_file.joint_names == ("j_c", "j_d")
    assert of_chain.joint_names == ("j_d", "j_c")
    assert of_chain.model.joint_names == ("j_b", "j_c", "j_d")
    s = random_states(2, 3, seed=4)
    tau = of_file.inverse_dynamics(s.q, s.qd, s.qdd)[..., ::-1]
    assert_close(of_chain.inverse_dynamics(s.q[..., ::-1], s.qd[..., ::-1], s.qdd[..., ::-1]), tau)
    assert of_file.with_joint_order(["j_d", "j_c"]).joint_names == ("j_d", "j_c")


@pytest.mark.parametrize(
    ("order", "error", "message"),
    [
        ("chian", ModelError, r"joint_order is 'chian'; expected 'chain', 'file', or the names"),
        (3, ModelError, "joint_order is 3; expected 'chain'"),
        (["j_c", "j_d"], ModelError, "joint_order of 'shuffled' lacks 'j_b'"),
        (["j_c", "j_d", "j_b", "j_b"], ModelError, "names a joint twice"),
        (["j_c", "j_d", "j_e"], UnknownName, "no joint 'j_e' in 'shuffled'"),
    ],
)
def test_other_orders_are_refused(order: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        read_urdf_text(SHUFFLED, joint_order=order)  # type: ignore[arg-type]


def test_functions_of_all_of_q_are_refused(of_file: Robot) -> None:
    constraint = Holonomic(lambda model, q: q[0] + q[1], ["sum"], name="own")
    with pytest.raises(Unsupported, match="is a function of all of q"):
        of_file.with_constraints(constraint).with_joint_order("chain")


def test_branches(of_file: Robot) -> None:
    more = '<link name="e"/><joint name="j_e" type="continuous"><parent link="b"/><child link="e"/></joint></robot>'
    robot = Robot(read_urdf_text(SHUFFLED.replace("</robot>", more), joint_order="chain"))
    assert robot.joint_names == ("j_b", "j_c", "j_d", "j_e")
    with pytest.raises(Unsupported, match=r"branches at link 'b' \(joints j_c, j_e\)"):
        robot.with_tip("d").to_dh("modified")


def test_mjcf_and_pinocchio_take_it() -> None:
    model = pin.buildModelFromXML(SHUFFLED)
    order = ["j_d", "j_c", "j_b"]
    assert armdyn.load(model, joint_order=order).joint_names == tuple(order)
    mjcf = """<mujoco><worldbody><body name="a"><joint name="one" axis="0 1 0"/><geom size="0.1"/>
    <body name="b" pos="1 0 0"><joint name="two" axis="0 1 0"/><geom size="0.1"/></body></body></worldbody></mujoco>"""
    assert armdyn.load(mjcf, joint_order=["two", "one"]).joint_names == ("two", "one")


def test_command_line(tmp_path: Path) -> None:
    path = tmp_path / "shuffled.urdf"
    path.write_text(SHUFFLED)
    command = [sys.executable, "-m", "armdyn", "info", str(path), "--joint-order", "chain", "--json"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.index('"j_b"') < run.stdout.index('"j_c"') < run.stdout.index('"j_d"')
