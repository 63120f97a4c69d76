"""What bad input gets."""

import pytest
import sympy

import armdyn
from armdyn.derivation import symbolic_arm
from armdyn.derivation.constrained import ConstrainedEquations
from armdyn.derivation.task import TaskEquations
from armdyn.errors import DTypeError, MissingLibrary, ModelError, UnknownName, Unsupported


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


def test_tasks_and_constraints(robot: armdyn.Robot) -> None:
    arm = armdyn.derive(robot)
    with pytest.raises(ModelError, match=r"rows is \('x', 'w'\); expected some of wx, wy, wz, x, y, z"):
        TaskEquations(arm, ("x", "w"))
    with pytest.raises(ModelError, match="expressed_in is 'space'; expected 'world' or 'body'"):
        TaskEquations(arm, ("x", "y"), "space")
    with pytest.raises(Unsupported, match="a task with 1 rows of an arm with 2 coordinates"):
        _ = TaskEquations(arm, ("x",)).mass
    with pytest.raises(Unsupported, match="the rows x, wx are dependent everywhere"):
        _ = TaskEquations(arm, ("x", "wx")).mass
    with pytest.raises(ModelError, match="expected fewer than 2 of"):
        ConstrainedEquations(arm, ("x", "y"))
    with pytest.raises(Unsupported, match="the rows z are dependent everywhere; leave some out"):
        _ = ConstrainedEquations(arm, ("z",)).W


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
    with pytest.raises(MissingLibrary, match=r"derive needs SymPy, .*: pip install sympy"):
        _ = armdyn.derive
