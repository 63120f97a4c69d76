"""What a derivation is written as: text, LaTeX, Python; and what the command line makes of it."""

import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import sympy

import armdyn
from armdyn.base import advice
from armdyn.base.errors import ShapeError
from armdyn.cli import main
from armdyn.cli.derive import derived
from armdyn.derivation.document import latex_of
from armdyn.derivation.printing import BookNotation, short
from armdyn.derivation.programs import program_of
from armdyn.program import interpret
from oracles.states import assert_close, random_states

TWO_LINKS = {"link_1.mass": "m1", "link_2.mass": "m2", "link_1.com": "L1", "joint_2.placement": "L1", "gravity": "g"}


class Command:
    """`armdyn` with some words, in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, *words: str) -> tuple[int, str, str]:
        """Exit code, output, messages."""
        self.monkeypatch.setattr(sys, "argv", ["armdyn", *words])
        self.monkeypatch.setenv("COLUMNS", "300")
        with pytest.raises(SystemExit) as end, warnings.catch_warnings():
            main()
        return int(end.value.code or 0), *self.capsys.readouterr()


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> Command:
    return Command(monkeypatch, capsys)


def test_text_has_every_step_and_the_meaning_of_every_symbol() -> None:
    arm = armdyn.derive(armdyn.load("planar_2r"), symbols=TWO_LINKS)
    text = str(arm)
    assert [line.split(". ", 1)[1] for line in text.splitlines() if line[:1].isdigit()] == [s.title for s in arm.steps]
    assert "L₁: com of link_1, placement of joint_2, 1 here" in text
    assert "g_1 = (m₁ + m₂)·g·L₁·c₁ + m₂·g·c₁₂" in text
    assert repr(arm) == "<Derivation of 'planar_2r': lagrange, 9 steps, 2 coordinates>"


def test_short_names() -> None:
    q1, q2, q12, qd1 = sympy.symbols("q1 q2 q12 qd1")
    names = {
        sympy.cos(q1 + q2): "c12",
        sympy.sin(q1 - q2): "s1-2",
        sympy.sin(q2 + q12): "s2,12",
        sympy.cos(q1 / 2): "cos(q1/2)",
        sympy.cos(2 * q1): "cos(2*q1)",
        qd1**2: "qdot1**2",
    }
    assert {str(short(expression)) for expression in names} == set(names.values())


def test_differences_of_angles_have_indices() -> None:
    difference = sympy.sin(sympy.Symbol("q1") - sympy.Symbol("q2"))
    assert BookNotation().line(difference) == "s₁₋₂"
    assert latex_of(difference, BookNotation()) == "s_{1-2}"


def test_order_of_factors_and_terms() -> None:
    m1, L1, qd1, qdd1, q1, g = sympy.symbols("m1 L1 qd1 qdd1 q1 g")
    expression = L1 * g * m1 * sympy.cos(q1) + m1 * L1 * qd1**2 * sympy.sin(q1) - L1**2 * m1 * qdd1
    assert BookNotation([m1, g, L1]).line(expression) == "-m₁·L₁²·q̈₁ + m₁·L₁·s₁·q̇₁² + m₁·g·L₁·c₁"


@pytest.mark.short_run("rp", "planar_2r")
@pytest.mark.parametrize("name", ["planar_2r", "rp", "furuta", "scara"])
def test_python_module_computes_the_same(name: str, tmp_path) -> None:
    robot = armdyn.load(name)
    path = tmp_path / "equations.py"
    path.write_text(armdyn.derive(robot, symbols="all").to_python())
    module: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), module)  # noqa: S102 - the module that was just made
    s = random_states(robot.dof, 3, seed=51)
    for q, qd, qdd in zip(s.q, s.qd, s.qdd, strict=True):
        assert_close(np.array([module["joint_forces"](q, qd, qdd)]), robot.inverse_dynamics(q, qd, qdd)[None])
        assert_close(np.array(module["mass_matrix"](q))[None], robot.mass_matrix(q)[None])
        assert_close(np.array([module["velocity_forces"](q, qd)]), robot.velocity_forces(q, qd)[None])
        np.testing.assert_allclose(module["gravity_forces"](q), robot.gravity_forces(q), rtol=1e-12, atol=1e-12)
    if name == "planar_2r":
        assert module["mass_matrix"]([0, 0], m1=2.0, m2=1.0)[0][0] == 6.0


def test_latex_names_and_braces() -> None:
    arm = armdyn.derive(armdyn.load("furuta"), "newton-euler", symbols="all")
    latex = arm.latex()
    assert r"{}^{1}\dot{\omega}_{1}" in latex
    assert "I_{1,zz}" in latex
    assert "l_{c1}" in latex
    assert latex.count("{") == latex.count("}")
    assert r"\begin{align*}" in arm._repr_latex_()
    assert r"\section" not in arm._repr_latex_()  # which MathJax does not know


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex")
@pytest.mark.parametrize(
    ("name", "form"), [("planar_3r", "lagrange"), ("furuta", "newton-euler"), ("scara", "configuration-space")]
)
def test_documents_compile_and_no_line_is_too_long(name: str, form: str, tmp_path) -> None:
    armdyn.derive(armdyn.load(name), form, symbols="all").document(tmp_path / "arm.tex")
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "arm.tex"]
    made = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout[-2000:]
    assert (tmp_path / "arm.pdf").exists()
    assert "Overfull" not in made.stdout


def test_command_line(command: Command, tmp_path) -> None:
    code, shown, errors = command(
        "derive", "planar_2r", "--form", "state-space", "--symbols", "link_1.mass=m1,gravity=g"
    )
    assert code == 0, errors
    assert "M_11 = m₁ + 2·c₂ + 2" in shown
    files = tmp_path / "arm.tex", tmp_path / "arm.py"
    code, shown, errors = command(
        "derive", "rp", "--symbols", "all", "--latex", str(files[0]), "--python", str(files[1])
    )
    assert code == 0, errors
    assert shown == "".join(f"{path}: Lagrange's equations of rp\n" for path in files)
    assert files[0].read_text().startswith(r"\documentclass")
    assert "def mass_matrix(q, *, m1=3.0" in files[1].read_text()
    code, shown, errors = command("derive", "rp", "--symbols", "all", "--c", str(tmp_path / "c"))
    assert code == 0, errors
    assert shown.splitlines()[0] == f"{tmp_path / 'c' / 'rp.h'}: Lagrange's equations of rp"


def test_tasks_and_constraints_on_the_command_line(command: Command, tmp_path: Path) -> None:
    words = ("--components", "vx", "--symbols", "link_1.mass=m1", "--latex", str(tmp_path / "arm.tex"))
    code, shown, errors = command("derive", "planar_2r", "--form", "task-space", "--components", "vx, vy", *words[2:4])
    assert code == 0, errors
    assert "det_J = s₂\n" in shown
    assert "Lambda_11 = m₁/s₂² + 1\n" in shown
    code, shown, errors = command("derive", "planar_2r", "--form", "constrained", *words)
    assert (code, shown) == (0, f"{tmp_path / 'arm.tex'}: Constrained equations of planar_2r\n"), errors
    latex = (tmp_path / "arm.tex").read_text()
    assert r"A(q) &= \left[\begin{matrix}- s_{1} - s_{12} & - s_{12}\end{matrix}\right]" in latex


def test_constraints_of_a_robot_are_those_of_its_constrained_form() -> None:
    channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    robot = armdyn.load("planar_2r").with_constraints(channel)
    found = derived(robot, "constrained", None, {"names": None})
    assert found.description == "channel"
    assert found.A == armdyn.derive(armdyn.load("planar_2r")).constrained("vx").A


def test_base_parameters_on_the_command_line(command: Command) -> None:
    code, shown, errors = command("derive", "rp", "--form", "state-space", "--symbols", "all", "--base-parameters")
    assert code == 0, errors
    assert "β₁ = m₁·lc₁² + I1zz + I2zz" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("planar_2r", "--form", "newton"),
            "no form 'newton' in armdyn derive (6 forms). Did you mean 'newton-euler'",
        ),
        (("planar_2r", "--symbols", "link_1"), "--symbols has 'link_1'; expected 'all', or PARAMETER=SYMBOL"),
        (("planar_2r", "--symbols", "gravity=g,gravity=h"), "--symbols names 'gravity' more than once"),
        (("planar_2r", "--symbols", "link_1.mas=m"), "Did you mean 'link_1.mass'?"),
        (("planar_2r", "--form", "task-space"), "--form task-space needs --components, as many as the arm has coordin"),
        (
            ("planar_2r", "--form", "constrained"),
            "'planar_2r' has no constraints; name components of the tip's velocity",
        ),
        (("planar_2r", "--form", "constrained", "--expressed-in", "body"), "--expressed-in is for --components"),
        (("planar_2r", "--components", "vx"), "are of --form task-space and constrained, not of lagrange"),
        (("rp", "--form", "constrained", "--components", "vx", "--python", "a.py"), "leave out --form constrained"),
        (("planar_2r", "--form", "task-space", "--components", "vx,wx"), "dependent in every configuration"),
        (("scara", "--form", "task-space", "--components", "position,wz"), "4 coordinates: J^-1 is written if"),
        (("puma560",), "its closed form would fill many pages. Take equations that name shared terms"),
    ],
)
def test_bad_input_on_the_command_line(command: Command, words: tuple[str, ...], message: str) -> None:
    code, _, errors = command("derive", *words)
    assert code == 2
    assert message in errors


def test_c_computes_the_same(tmp_path: Path) -> None:
    """The programs behind it give the robot's numbers, and its self-test passes."""
    rod = armdyn.Inertia(2.0, [0.2, 0.1, 0.0], np.diag([0.1, 0.2, 0.3]))
    parts = [
        armdyn.Part("upper", "base", axis=(0, 0, 1), inertia=rod, damping=0.4, friction=0.3),
        armdyn.Part("lower", "upper", kind="prismatic", axis=(1, 0, 0), inertia=rod),
    ]
    robot = armdyn.Robot.from_links(parts, gravity=(0.0, -9.81, 0.0))
    arm = armdyn.derive(robot, symbols="all")
    q, qd, qdd = np.random.default_rng(14).normal(size=(3, 2))
    numbers = {"q": q, "qd": qd, "qdd": qdd} | {str(symbol): value for symbol, value in arm.values.items()}
    expected = {
        "joint_forces": robot.inverse_dynamics(q, qd, qdd),
        "mass_matrix": robot.mass_matrix(q),
        "velocity_forces": robot.velocity_forces(q, qd),
        "gravity_forces": robot.gravity_forces(q),
    }
    for function, values in expected.items():
        program = program_of(arm, function)
        (found,) = interpret(program, *(np.asarray(numbers[port.name]) for port in program.inputs))
        np.testing.assert_allclose(found, values, rtol=1e-12, atol=1e-12)
    paths = arm.to_c(name="arm").write(tmp_path)
    assert "f1" in paths[0].read_text()
    if compiler := shutil.which("cc"):
        subprocess.run([compiler, "arm.c", "arm_selftest.c", "-lm", "-o", "test"], cwd=tmp_path, check=True)
        subprocess.run([tmp_path / "test"], check=True, stdout=subprocess.DEVNULL)


def test_symbols_may_have_names_that_python_needs() -> None:
    symbols = {"link_1.mass": "lambda", "link_2.mass": "sin", "gravity": "c_2", "link_1.com": "lambda_"}
    robot, module = armdyn.load("planar_2r"), {}
    arm = armdyn.derive(robot, symbols=symbols)
    exec(arm.to_python(), module)  # noqa: S102 - the module that was just made
    q, qd, qdd = [0.3, -0.7], [1.1, 0.4], [-0.5, 2.0]
    expected = robot.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(module["joint_forces"](q, qd, qdd), expected, rtol=1e-12)
    np.testing.assert_allclose(arm.function("tau")(q, qd, qdd), expected, rtol=1e-12)
    with pytest.raises(ShapeError, match=r"qd has shape \(3,\); expected \(2,\), one state"):
        arm.function("tau")(q, [1.0, 2.0, 3.0], qdd)


# ---- results by name


@pytest.mark.parametrize("form", ["lagrange", "newton-euler"])
def test_equations_of_the_steps_have_names(form: str) -> None:
    """Accelerations and resultant forces in base axes as of the numeric recursion; energies as numbers."""
    robot = armdyn.load("planar_2r").with_friction({"joint_1": (0.3, 0.0)})
    arm = armdyn.derive(robot, form)
    q, qd, qdd = np.random.default_rng(4).uniform(-1.0, 1.0, (3, 2))
    motion = robot.link_motion(q, qd, qdd, expressed_in="base")
    for i in (1, 2):
        np.testing.assert_allclose(arm.function(f"a_C{i}")(q, qd, qdd)[:, 0], motion.a_com[i], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(arm.function(f"F_C{i}")(q, qd, qdd)[:, 0], motion.F[i], rtol=1e-12, atol=1e-14)
    parts = [arm.function(name)(q, qd, qdd) for name in ("centrifugal_forces", "coriolis_forces")]
    np.testing.assert_allclose(sum(parts), robot.velocity_forces(q, qd), rtol=1e-12, atol=1e-14)
    squares = robot.centrifugal_coefficients(q) @ qd**2
    np.testing.assert_allclose(parts[0], squares, rtol=1e-12, atol=1e-14)
    if form == "lagrange":
        K = sum(float(arm.function(f"K_{i}")(q, qd, qdd)) for i in (1, 2))
        assert pytest.approx(float(robot.kinetic_energy(q, qd)), rel=1e-12) == K
        potential = sum(float(arm.function(f"P_{i}")(q, qd, qdd)) for i in (1, 2))
        assert float(arm.function("L")(q, qd, qdd)) == pytest.approx(K - potential, rel=1e-12)
        assert arm.latex("K_2").startswith("\\begin{align*}\nK_{2} &= ")
        assert arm.text("p_C1") == "p_C1 = (c₁, s₁, 0)"
    else:
        reactions = robot.joint_reactions(q, qd, qdd)
        np.testing.assert_allclose(arm.function("f_2")(q, qd, qdd)[:, 0], reactions.f[1], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(arm.function("n_2")(q, qd, qdd)[:, 0], reactions.n[1], rtol=1e-12, atol=1e-14)
        assert "{}^{2}f_{2} &= " in arm.latex("f_2")


def test_names_that_no_step_has_are_refused() -> None:
    arm = armdyn.derive(armdyn.load("planar_2r"))
    with pytest.raises(armdyn.UnknownName, match=r"no result 'K_3' in this derivation .* Did you mean 'K_[12]'"):
        arm["K_3"]
    for name in ("F_C3", "F_C0", "f_3", "f_0"):
        with pytest.raises(armdyn.UnknownName):
            arm.latex(name)


def test_advice_for_large_arms_is_in_the_words_of_its_reader() -> None:
    taken = r"Take equations that name shared terms, "
    with pytest.raises(armdyn.Unsupported, match=taken + r"robot.inverse_dynamics.equations\(\), .* pass limit=False"):
        armdyn.derive(armdyn.load("ur5"))
    with (
        advice.spelled(lambda name, value: f"--{name}"),
        pytest.raises(armdyn.Unsupported, match=taken + "armdyn export ur5 --to latex, .* pass --no-limit"),
    ):
        armdyn.derive(armdyn.load("ur5"))
