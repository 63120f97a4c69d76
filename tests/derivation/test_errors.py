"""What bad input gets."""

import inspect
import pydoc

import pytest
import sympy

import armdyn
from armdyn import constraints as c
from armdyn.algorithms.task_rows import TaskSpaceError
from armdyn.base.errors import DTypeError, MissingLibrary, ModelError, UnknownName, Unsupported
from armdyn.derivation import symbolic_arm


@pytest.fixture(scope="module")
def robot() -> armdyn.Robot:
    return armdyn.load("planar_2r")


@pytest.mark.parametrize(
    ("symbols", "error", "message"),
    [
        (
            {"link_1.com": "L", "gravity": "L"},
            ModelError,
            r"symbol L stands for 1 \(com of link_1\) and for 9.81 \(gra",
        ),
        ({"link_1.mass": "m 1"}, ModelError, r"symbols\['link_1.mass'\] is 'm 1'; expected a name such as 'm1'"),
        ({"link_1.mass": "q1"}, ModelError, "'q1' is the name of a coordinate or a rate; choose another"),
        ({"link_1.mass": "qdd2"}, ModelError, "'qdd2' is the name of a coordinate"),
        ({"link_1.mass": [1]}, ModelError, r"is \[1\]; expected a name or an expression of SymPy"),
        ({"link_1.mass": sympy.sin(sympy.Symbol("a"))}, Unsupported, r"is sin\(a\); expected a polynomial"),
        ({"link_1.com": ["x", "y"]}, ModelError, "has 2 entries; expected 3: link_1.com.x, link_1.com.y, link_1.com.z"),
        ({"joint_1.placement": "L0"}, ModelError, "the vector is zero and has no direction; give the entries"),
        ({"link_1.inertia": 3}, ModelError, "expected a name, or a symbol for each"),
        ({"link_3.mass": "m"}, UnknownName, r"no parameter 'link_3.mass' in 'planar_2r' .* Did you mean 'link_2.mass'"),
        ({"joint_1.mass": "m"}, UnknownName, "no parameter 'joint_1.mass'"),
        ("some", ModelError, "symbols is 'some'; expected 'all', or a symbol by name of a parameter"),
        (3, ModelError, "symbols is 3; expected 'all'"),
    ],
)
def test_symbols(robot: armdyn.Robot, symbols: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        armdyn.derive(robot, symbols=symbols)


def test_expression_with_another_value(robot: armdyn.Robot) -> None:
    m, L = sympy.symbols("m L")
    with pytest.raises(ModelError, match=r"symbols\['link_2.mass'\] is 2\*m, which is 2; 'planar_2r' has 1"):
        armdyn.derive(robot, symbols={"link_1.mass": m, "link_2.mass": 2 * m})
    arm = armdyn.derive(robot, symbols={"link_1.mass": m, "link_1.com": L, "joint_2.placement": L, "link_2.com": L / 1})
    assert arm.values == {m: 1.0, L: 1.0}


def test_expressions_of_symbols() -> None:
    """A rod: I = m L^2 / 12, its centre halfway."""
    rod = armdyn.Inertia(3.0, [0.25, 0, 0], [[0, 0, 0], [0, 0.0625, 0], [0, 0, 0.0625]])
    robot = armdyn.Robot.from_links([armdyn.Part("rod", "base", axis=(0, 0, 1), inertia=rod)], gravity=(0, -9.81, 0))
    m, L = sympy.symbols("m L")
    symbols = {"rod.mass": m, "rod.com.x": L / 2, "rod.inertia.zz": m * L**2 / 12, "gravity": "g"}
    arm = armdyn.derive(robot, symbols=symbols)
    assert arm.M[0, 0] == m * L**2 / 3
    assert arm.g[0] == m * sympy.Symbol("g") * L * sympy.cos(sympy.Symbol("q1")) / 2
    with pytest.raises(ModelError, match="no number for L; give it in values"):
        arm.function("M")
    assert arm.function("M", {"L": 0.5})([0.0], [0.0], [0.0]) == pytest.approx(0.25, rel=1e-15)


def test_forms_and_robots(robot: armdyn.Robot) -> None:
    with pytest.raises(UnknownName, match=r"no form 'lagrangian' .* Did you mean 'lagrange'\?"):
        armdyn.derive(robot, "lagrangian")
    with pytest.raises(ModelError, match=r"the robot is 3; expected an armdyn\.Robot or a SymbolicArm"):
        armdyn.derive(3)
    with pytest.raises(ModelError, match="which has its own; leave them out"):
        armdyn.derive(symbolic_arm(robot, "all"), symbols="all")
    with pytest.raises(UnknownName, match=r"no result 'm' in this derivation"):
        armdyn.derive(robot)["m"]
    with pytest.raises(ModelError, match=r"by is \('mass',\); expected an order of motion, mass, geometry"):
        armdyn.derive(robot).arranged("M", ("mass",))


def test_what_closed_forms_do_not_have(robot: armdyn.Robot) -> None:
    with pytest.raises(Unsupported, match=r"'puma560' has 6 links .* Take equations that name shared terms"):
        armdyn.derive(armdyn.load("puma560"))
    channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0))
    with pytest.raises(Unsupported, match=r"'planar_2r' has constraints, .* robot.without_constraints"):
        armdyn.derive(robot.with_constraints(channel))
    driven = robot.with_actuators({"joint_1": armdyn.actuators.Actuator(friction=armdyn.actuators.Quadratic(1.0))})
    with pytest.raises(
        Unsupported, match=r"joint 'joint_1' of 'planar_2r' has friction laws .*\(Quadratic\).*without_friction"
    ):
        armdyn.derive(driven)
    with pytest.raises(Unsupported, match=r"the inertia of 'link_1' has numbers; .* symbols='all'"):
        armdyn.derive(robot).base_parameters()


@pytest.mark.parametrize(
    ("components", "expressed_in", "error", "message"),
    [
        (("vx", "vw"), "body", UnknownName, "no component 'vw' in a twist"),
        (("x", "y"), "body", UnknownName, "Did you mean 'vx'"),
        (("vx", "vx"), "body", TaskSpaceError, "asks for vx twice"),
        (("vx", "vy"), "base", UnknownName, "no way 'base' in expressed_in="),
        (
            ("vx",),
            "world",
            Unsupported,
            r"a task of 1 component \(vx of tip in world axes\) of 'planar_2r', which has 2",
        ),
        ("position", "body", Unsupported, r"a task of 3 components .* there is robot.task_space, in numbers"),
        (("vx", "wx"), "body", Unsupported, r"vx, wx of tip in body axes of 'planar_2r' are dependent in every config"),
    ],
)
def test_tasks(robot: armdyn.Robot, components: object, expressed_in: str, error: type, message: str) -> None:
    arm = armdyn.derive(robot)
    with pytest.raises(error, match=message):
        _ = arm.task_space(components, expressed_in).Lambda


@pytest.mark.parametrize(
    ("constraints", "error", "message"),
    [
        ((), ModelError, "'planar_2r' is given no constraint; name components .* such as 'vx'"),
        (("vx", "vy"), ModelError, r"2 rows of constraints \(vx, vy of tip in world axes\) .* expected fewer than 2"),
        (
            "vz",
            Unsupported,
            "the constraints vz of tip in world axes of 'planar_2r' are dependent in every configuration",
        ),
        (c.PointOnPlane("base", (1, 0, 0)), Unsupported, "holds 'base', which is no link that moves and not the tip"),
        (c.PointOnPlane("tip", (1, 0, 0), of="link_1"), Unsupported, "is a PointOnPlane that has no closed form here"),
        (c.Distance("tip", length=1.0), Unsupported, "is a Distance .* there is robot.constrained_forward_dynamics"),
        (c.Held("tip", axes=("x", "rz")), Unsupported, "is a Held that has no closed form"),
        (c.JointCoupling({"joint_3": 1.0}), UnknownName, "no joint 'joint_3' in 'planar_2r', which"),
    ],
)
def test_constraints(robot: armdyn.Robot, constraints: object, error: type, message: str) -> None:
    arm = armdyn.derive(robot)
    with pytest.raises(error, match=message):
        _ = arm.constrained(constraints).W


def test_tasks_and_constraints_of_larger_arms() -> None:
    arm = armdyn.derive(armdyn.load("scara"))
    with pytest.raises(Unsupported, match=r"which has 4 coordinates: .* 3 at most"):
        arm.task_space(("vx", "vy", "vz", "wz"))
    with pytest.raises(Unsupported, match="'scara' has 4 coordinates; multipliers are written for up to 3"):
        arm.constrained("vx")


def test_words_of_closed_forms(robot: armdyn.Robot) -> None:
    arm = armdyn.derive(robot)
    with pytest.raises(UnknownName, match=r"no form 'task-space' .* armdyn.derive\(robot\).task_space\(components\)"):
        armdyn.derive(robot, "task-space")
    with pytest.raises(UnknownName, match=r"no result 'lambda' in task equations .* Did you mean 'Lambda'"):
        arm.task_space(("vx", "vy")).text("lambda")
    with pytest.raises(UnknownName, match=r"no result 'B' in constrained equations"):
        _ = arm.constrained("vx")["B"]
    with pytest.raises(UnknownName, match="no part 'Lambda' in task equations"):
        arm.task_space(("vx", "vy")).arranged("Lambda", ("mass", "motion", "geometry"))


def test_where_a_task_is_singular(robot: armdyn.Robot) -> None:
    """A stretched arm: det J = sin q2 is zero, and so is the constraint where A is."""
    arm = armdyn.derive(robot)
    with pytest.raises(
        ModelError, match=r"Lambda of 'planar_2r' has no finite value at q = \[0.3, 0.0\]: a denominator"
    ):
        arm.task_space(("vx", "vy")).function("Lambda")([0.3, 0.0], [0, 0], [0, 0])
    with pytest.raises(ModelError, match=r"W of 'planar_2r' has no finite value at q = \[0.0, 0.0\]"):
        arm.constrained("vx").function("W")([0.0, 0.0], [0, 0], [0, 0])


def test_a_symbol_where_a_number_is_needed(robot: armdyn.Robot) -> None:
    L = sympy.Symbol("L")
    with pytest.raises(DTypeError, match="Inertia holds numbers only"):
        armdyn.Inertia(1.0, [L, 0, 0])
    with pytest.raises(DTypeError):
        robot.mass_matrix([L, 0.0])
    with pytest.raises(ModelError, match="no number for m1"):
        armdyn.derive(symbolic_arm(robot, {"link_1.mass": "m1"}).replace(values={})).function("M")


def test_without_sympy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sympy", None)
    monkeypatch.delitem(vars(armdyn), "derive", raising=False)
    try:
        assert all(hasattr(armdyn, name) for name in armdyn.__all__)  # as import * needs
        assert hasattr(armdyn, "derive")
        assert {"derive", "Derivation"} <= dict(inspect.getmembers(armdyn.derivation)).keys()
        assert not isinstance(3, armdyn.derivation.Derivation)
        assert "derive needs SymPy" in pydoc.render_doc(armdyn.derivation, renderer=pydoc.plaintext)
        with pytest.raises(MissingLibrary, match=r"derive needs SymPy, .*: pip install sympy"):
            armdyn.derive(armdyn.load("planar_2r"))
        assert not hasattr(armdyn.derivation, "no_such_name")
    finally:
        vars(armdyn).pop("derive", None)


def test_names_of_results() -> None:
    results = armdyn.derive(armdyn.load("planar_2r"))
    assert {"tau", "M", "K_2", "L"} <= set(results)
    assert len(list(results)) == len(set(results.names))
    assert "K_2" in results
    assert "a_C2" in results
    assert "K_3" not in results
    assert 0 not in results
    with pytest.raises(UnknownName, match=r"no result 0 in this derivation"):
        results[0]  # type: ignore[index]
    with pytest.raises(UnknownName, match=r"no result 'k_2' .* Did you mean 'K_2'\?"):
        results["k_2"]
