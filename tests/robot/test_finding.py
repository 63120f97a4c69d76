"""What a robot can be asked is found: tables, names of other libraries, functions by name, limits, an index."""

from __future__ import annotations

import inspect
import math
import pickle
import pydoc
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import armdyn
from armdyn.algorithms import gravity_forces
from armdyn.base.errors import DTypeError, ModelError, ShapeError, UnknownName
from armdyn.robot.groups import GROUPS, further
from armdyn.robot.habits import HABITS


class Cells(HTMLParser):
    """The text of every cell; tags that are not closed are counted."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def cells(html: str) -> list[str]:
    parser = Cells()
    parser.feed(html)
    assert parser.open == []
    return parser.texts


def test_a_robot_prints_as_a_table() -> None:
    lines = str(armdyn.load("stanford")).splitlines()
    assert lines[0].startswith("'stanford': 6 joints, base 'base', tip 'tip', moving mass 20.77 kg")
    assert re.fullmatch(r"2  joint_3  prismatic  0.3048 … 1.27  m +- +-  link_3_on_axis +4.25", lines[4])
    coupled = armdyn.load("planar_3r").with_mimic({"joint_3": ("joint_2", -2.0, 0.1)})
    text = str(coupled)
    assert "coordinate" in text
    assert "3 joints moved by 2 coordinates" in text
    assert "joints that they move: joint_1, joint_2, joint_3" in text


def test_tables_for_notebooks_hold_what_is_printed() -> None:
    robot = armdyn.load("scara")
    motion = robot.simulate(np.full(4, 0.1), duration=0.05)
    solution = robot.inverse_kinematics(robot.forward_kinematics([0.1, 0.2, 0.1, 0.3]))
    for shown in (robot, motion, solution, robot.to_dh("modified"), robot.to_screws()):
        words = set(" ".join(cells(shown._repr_html_())).split())
        assert set(str(shown).split()) - words == set()
    parameters = cells(robot.standard_parameters()._repr_html_())
    assert str(robot.standard_parameters().names[0]) in parameters


def test_names_in_html_are_text() -> None:
    robot = armdyn.load("planar_2r").renamed(name="<script>alert(1)</script>")
    assert "<script>" not in robot._repr_html_()
    assert any("<script>" in text for text in cells(robot._repr_html_()))


def test_many_targets_show_those_that_failed() -> None:
    robot = armdyn.load("planar_2r")
    targets = np.tile([1.2, 0.3, 0.0], (40, 1))
    targets[33] = [9.0, 0.0, 0.0]
    text = str(robot.inverse_kinematics(targets))
    assert text.splitlines()[2].startswith("33 ")
    assert "out of reach" in text
    assert text.endswith("and 20 more targets")


def test_dh_tables_are_free_of_dust_and_read_back() -> None:
    table = armdyn.load("ur5").to_dh("standard")
    text = str(table)
    assert not re.search(r"e-\d", text)
    assert re.search(r"1  shoulder_pan_joint +0 +90 +0 +q1\n", text)
    assert "q2 + 180" in text
    for row, line in zip(table.rows, table.to_latex().splitlines()[4:], strict=False):
        a, alpha, d = (float(cell) for cell in line.split("&")[2:5])
        assert math.isclose(a, row.a, abs_tol=1e-6)
        assert math.isclose(math.radians(alpha), row.alpha, abs_tol=1e-5)
        assert math.isclose(d, row.d, abs_tol=1e-6)
    assert repr(table) == "<DHTable of 'ur5': 6 rows, standard; print shows it>"
    assert r"$q_{3}$" in armdyn.load("stanford").to_dh("standard").to_latex()


def test_screws_print_and_stay_a_tuple() -> None:
    robot = armdyn.load("ur5")
    screws = robot.to_screws()
    M, _, S = screws
    rows = [[float(x) for x in line.split()[1:]] for line in str(screws).splitlines()[2:8]]
    np.testing.assert_allclose(np.transpose(rows), S, atol=1e-6)
    home = [[float(x) for x in line.split()] for line in str(screws).splitlines()[-4:]]
    np.testing.assert_allclose(home, robot.forward_kinematics(np.zeros(6)), atol=1e-6)
    assert len(M) == 7
    assert screws.to_latex().count("\\\\") == 7


@pytest.mark.parametrize("name", HABITS)
def test_habits_lead_to_what_there_is(name: str) -> None:
    robot = armdyn.load("planar_2r")
    with pytest.raises(AttributeError, match=r"here it is robot\.") as raised:
        getattr(robot, name)
    ours = re.findall(r"robot\.(\w+)", str(raised.value))
    assert ours
    assert all(hasattr(armdyn.Robot, each) or each == "model" for each in ours)
    assert name not in vars(armdyn.Robot)


def test_other_names_are_missing_as_ever() -> None:
    robot = armdyn.load("planar_2r")
    assert not hasattr(robot, "__array__")
    assert not hasattr(robot, "mass_matrixx")
    with pytest.raises(AttributeError) as raised:
        robot.mass_matrixx  # noqa: B018
    assert raised.value.obj is robot  # by which Python suggests mass_matrix
    assert pickle.loads(pickle.dumps(robot)) == robot  # noqa: S301


def test_functions_by_name() -> None:
    robot, q = armdyn.load("ur5"), np.linspace(0.1, 0.6, 6)
    np.testing.assert_array_equal(robot.compile("mass_matrix")(q), robot.mass_matrix(q))
    assert robot.program("gravity_forces").op_counts == robot.program(gravity_forces).op_counts
    heavy = robot.compile("gravity_forces", parameters=["wrist_3_link.mass"])
    assert heavy(q, 5.0)[1] != robot.gravity_forces(q)[1]
    with pytest.raises(UnknownName, match=r"no function 'mass_matrx' in 'ur5' .* Did you mean 'mass_matrix'\?"):
        robot.compile("mass_matrx")
    with pytest.raises(UnknownName, match=r"no function 'rnea' in 'ur5'; here it is robot.inverse_dynamics"):
        robot.program("rnea")
    with pytest.raises(UnknownName, match="no function 'to_dh'"):
        robot.compile("to_dh")


def test_limits_are_arrays_that_cannot_be_changed() -> None:
    robot = armdyn.load("scara")
    assert robot.n == robot.dof == 4
    for name, quantity in (
        ("lower", "lower"), ("upper", "upper"), ("velocity_limits", "velocity"), ("effort_limits", "effort"),
    ):  # fmt: skip
        values = getattr(robot, name)
        np.testing.assert_array_equal(values, [getattr(joint.limits, quantity) for joint in robot.joints])
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 0.0
    assert np.isinf(armdyn.load("planar_2r").upper).all()


def test_random_configurations_keep_the_limits() -> None:
    robot = armdyn.load("ur5")
    q = robot.random_configuration(7, size=2000)
    assert q.shape == (2000, 6)
    assert (q >= robot.lower).all()
    assert (q <= robot.upper).all()
    share = (q - robot.lower) / (robot.upper - robot.lower)
    for least_mean_most in zip(share.min(axis=0), share.mean(axis=0), share.max(axis=0), strict=True):
        np.testing.assert_allclose(least_mean_most, [0.0, 0.5, 1.0], atol=0.04)
    np.testing.assert_array_equal(q, robot.random_configuration(np.random.default_rng(7), size=(2000,)))
    assert robot.random_configuration().shape == (6,)
    assert robot.random_configuration(1, size=()).shape == (6,)
    assert robot.random_configuration(1, size=(3, 0)).shape == (3, 0, 6)


def test_random_configurations_without_limits() -> None:
    robot = armdyn.load("rp")
    free = robot.random_configuration(0, size=1000)
    assert np.abs(free[:, 0]).max() <= np.pi
    limits = {"joint_1": armdyn.Limits(lower=2.0), "joint_2": armdyn.Limits(upper=-3.0)}
    beside = robot.with_limits(limits).random_configuration(0, size=1000)
    assert 2.0 <= beside[:, 0].min() < beside[:, 0].max() <= 2.0 + 2.0 * np.pi
    assert -4.0 <= beside[:, 1].min() < beside[:, 1].max() <= -3.0


@pytest.mark.parametrize("size", [-1, 2.5, "3", True, (2, -1)])
def test_sizes_that_are_none(size: object) -> None:
    with pytest.raises(ShapeError, match="size"):
        armdyn.load("rp").random_configuration(0, size)  # type: ignore[arg-type]


def test_payload_by_its_numbers() -> None:
    robot, q = armdyn.load("ur5"), np.linspace(0.2, 0.9, 6)
    tensor = np.diag([0.01, 0.02, 0.015])
    by_numbers = robot.with_payload(mass=2.0, com=[0.0, 0.1, 0.05], inertia=tensor)
    assert by_numbers == robot.with_payload(armdyn.Inertia(2.0, [0.0, 0.1, 0.05], tensor))
    assert robot.with_payload(mass=2.0, frame="forearm_link") == robot.with_payload(
        armdyn.Inertia.point(2.0, [0.0, 0.0, 0.0]), "forearm_link"
    )
    assert by_numbers.gravity_forces(q)[1] != robot.gravity_forces(q)[1]


def test_payloads_that_are_none() -> None:
    robot = armdyn.load("ur5")
    with pytest.raises(ModelError, match="com without mass"):
        robot.with_payload(com=[0.0, 0.0, 0.1])
    with pytest.raises(ModelError, match=r"both an armdyn\.Inertia and mass="):
        robot.with_payload(armdyn.Inertia(1.0), mass=2.0)
    with pytest.raises(ModelError, match="mass of the payload on 'tool0' is -1"):
        robot.with_payload(mass=-1.0)
    with pytest.raises(ShapeError, match=r"com of the payload on 'tool0' has shape \(2,\)"):
        robot.with_payload(mass=1.0, com=[0.0, 0.1])
    with pytest.raises(DTypeError, match=r"payload on 'tool0' is None; expected an armdyn\.Inertia"):
        robot.with_payload()


def test_every_public_name_stands_in_one_group() -> None:
    names = [*vars(armdyn.Robot), "model"]
    assert further(names) == (), "add it to GROUPS in robot/groups.py"
    grouped = [name for group in GROUPS.values() for name in group]
    assert len(grouped) == len(set(grouped))
    assert set(grouped) <= set(names)


def test_help_begins_with_the_index() -> None:
    text = pydoc.plain(pydoc.render_doc(armdyn.Robot))
    documentation = inspect.getdoc(armdyn.Robot)
    assert documentation is not None
    for heading in GROUPS:
        assert f"\n{heading}:\n" in documentation
    assert text.index("Energy and momentum:") < text.index("Methods defined here")
