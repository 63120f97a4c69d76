"""How equations look: names, parentheses, matrices, headers; documents that compile; what bad input gets."""

import copy
import math
import pickle
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import DTypeError, Unsupported
from armdyn.program import Port, Program, trace
from armdyn.targets.equations import heading, latex_document, paragraph
from targets.exported import odd_shapes, single_operations
from targets.test_equations import module


def of(function, *ports: tuple[str, tuple[int, ...]], name: str = "f") -> Program:
    return trace(function, [Port(*port) for port in ports], name=name)


def rows(program: Program, **options) -> dict[str, str]:
    return dict(program.equations(**options))


def test_planar_arm() -> None:
    program = armdyn.load("planar_2r").inverse_dynamics.program()
    assert str(program).splitlines() == [
        "inverse_dynamics(q[2], qd[2], qdd[2]) -> tau[2]: 10m + 10a + 4t",
        "",
        "s₁ = sin q₁",
        "c₁ = cos q₁",
        "s₂ = sin q₂",
        "c₂ = cos q₂",
        "t₁ = q̈₁ + q̈₂",
        "t₂ = q̇₁ + q̇₂",
        "τ₂ = c₂·(q̈₁ + 9.81·c₁) - s₂·(9.81·s₁ - q̇₁²) + t₁",
        "τ₁ = 19.62·c₁ + 2·q̈₁ + τ₂ + c₂·t₁ - s₂·t₂²",
    ]
    assert r"\tau_{2} &= c_{2} (\ddot{q}_{1} + 9.81\,c_{1}) - s_{2} (9.81\,s_{1} - \dot{q}_{1}^{2}) + t_{1}" in (
        program.latex()
    )


def test_parentheses() -> None:
    def law(a, b, c, d):
        return np.array([
            (a + b) * (c - d), a - (b - c), a - (b + c) / d, -(a + b) * d, a / (b * c), a * b / c, a / b * c,
            -a * b - c, (a - b) / (c / d), 2.0 * (a + d) - 3.0, -3.0 * a, a * 1e-9 / b, (a / b) / (c - d),
            (a * c) * (b * d), a + (b + d), d - (-b * c), a**2 * d**2, (a + c) ** 2, -(b - d), 1.0 / a,
        ])  # fmt: skip

    shown = of(law, *((name, ()) for name in "abcd")).equations()
    assert [right for _, right in shown] == [
        "a + b", "c - d", "t₁·t₂", "a - (b - c)", "a - (b + c)/d", "-d·t₁", "b·c", "a/t₃", "a·b", "t₄/c", "a/b", "c·t₅",
        "-(c + t₄)", "(a - b)/(c/d)", "2·(a + d) - 3", "-3·a", "10⁻⁹·a/b", "t₅/t₂", "a·c·b·d", "a + b + d",
        "d + t₃", "a²·d²", "a + c", "t₆²", "-(b - d)", "1/a",
    ]  # fmt: skip
    quotients = of(lambda a, b, c, d: np.array([(a / c) * (b + d), b / (a * d), d / c / b]), *((n, ()) for n in "abcd"))
    assert list(rows(quotients).values()) == ["(a/c)·(b + d)", "b/(a·d)", "(d/c)/b"]
    python = shown.to_python()
    assert "= a * c * (b * d)" in python
    assert "= a + (b + d)" in python


def test_symbols_of_parameters() -> None:
    arm = armdyn.load("ur5")
    program = arm.compile(armdyn.algorithms.gravity_forces, parameters=["forearm_link.mass", "gravity"]).program()
    shown = program.equations()
    assert "forearm_link.mass + 2.6259" in dict(shown).values()
    assert any("gravity₃·s₂" in right for right in dict(shown).values())
    assert r"\mathrm{forearm\_link.mass} + 2.6259" in shown.latex()
    assert "forearm_link_mass + 2.6259" in shown.to_python()


def test_sums_of_angles() -> None:
    program = of(lambda q: np.sin(q[0] + q[1]) * np.cos(q[2] + q[1] + q[0]) + np.sin(q[0] + 0.3), ("q", (3,)))
    shown = rows(program)
    assert list(shown) == ["q₁₂", "q₁₂₃", "s₁₂", "c₁₂₃", "out"]
    assert shown["q₁₂"] == "q₁ + q₂"
    assert shown["s₁₂"] == "sin q₁₂"
    assert shown["q₁₂₃"] == "q₁ + q₂ + q₃"
    assert shown["c₁₂₃"] == "cos q₁₂₃"
    assert shown["out"] == "s₁₂·c₁₂₃ + sin(q₁ + 0.3)"


def test_letters_that_are_taken() -> None:
    program = of(lambda q, s, t: np.sin(q) * s[0] + (t + s[1]) * (t + s[1]), ("q", (2,)), ("s", (2,)), ("t", (2,)))
    shown = rows(program)
    assert shown["sin₁"] == "sin q₁"
    assert shown["u₁"] == "s₂ + t₁"
    assert module(program.to_python())([0.5, 0.6], [1.0, 2.0], [3.0, 4.0]) == pytest.approx(
        np.sin([0.5, 0.6]) + np.array([25.0, 36.0]), rel=1e-15
    )


def test_names_that_meet_in_python() -> None:
    taken = of(lambda q, q1: q * q1, ("q", (2,)), ("q1", ()))
    assert "q_1 * q1" in taken.to_python()
    with pytest.raises(Unsupported, match=r"'a\.b' and 'a_b' are both 'a_b' in Python; rename one of them"):
        of(lambda a, b: a * b, ("a.b", ()), ("a_b", ())).to_python()
    with pytest.raises(Unsupported, match=r"q₁ and q_1 are both 'q_1' in Python; rename one of the arrays of f"):
        of(lambda q, one, two: q * one * two, ("q", (2,)), ("q1", ()), ("q_1", ())).to_python()
    reserved = of(lambda np, lam: np[0] + lam, ("np", (2,)), ("lambda", ()), name="class")
    assert module(reserved.to_python())([1.0, 2.0], 3.0) == 4.0
    assert "def class_(np_, lambda_):" in reserved.to_python(numpy=True)


def test_an_output_that_is_called_like_an_input() -> None:
    program = trace(lambda q: (q * 2.0, q + 1.0), [Port("q", (2,))], ["q", "next"], name="step")
    assert rows(program)["q_out₁"] == "2·q₁"
    assert module(program.to_python())([1.0, 2.0]) == ([2.0, 4.0], [2.0, 3.0])


def test_results_as_matrices() -> None:
    pose = str(armdyn.load("planar_2r").forward_kinematics.equations())
    assert pose.endswith(
        "T = ⎡ T₁₁  -T₂₁  0  T₁₄ ⎤\n    ⎢ T₂₁  T₁₁   0  T₂₄ ⎥\n    ⎢ 0    0     1  0   ⎥\n    ⎣ 0    0     0  1   ⎦"
    )
    shapes = str(odd_shapes().equations())
    assert "out0 = ⎡ 3.5  3.5 ⎤" in shapes
    assert "out4[2] = " not in shapes
    large = armdyn.load("ur5").regressor.equations()
    assert "elements of Y are 0" in str(large)
    assert r"\text{the other " in large.latex()
    assert "bmatrix" not in large.latex()


def test_print() -> None:
    arm = armdyn.load("ur5")
    assert str(arm.gravity_forces.program()).startswith("gravity_forces(q[6]) -> g[6]: ")
    lines = str(arm.inverse_dynamics.program()).splitlines()
    assert lines[0] == f"inverse_dynamics(q[6], qd[6], qdd[6]) -> tau[6]: {arm.inverse_dynamics.op_counts}"
    assert len(lines) == 15
    assert lines[-1].startswith(f"... {len(arm.inverse_dynamics.equations()) - 12} more equations: print(program.eq")
    assert str(trace(lambda: np.array([1.0, 2.5]), [], name="fixed")) == "fixed() -> out[2]: 0\n\nout = (1, 2.5)"


def test_rounded_and_named_constants() -> None:
    program = armdyn.load("puma560").gravity_forces.program()
    rounded = str(program.equations(digits=3))
    assert "37.2·c₂" in rounded
    named = program.equations(named_constants=True)
    constants = {left: right for left, right in named if left.startswith("k")}
    values = [node[1] for node in program.nodes if node[0] == "const" and len(repr(node[1])) > 4]
    assert [float(text) for text in constants.values()] == values
    with pytest.raises(DTypeError, match="Python source is exact"):
        program.to_python(digits=3)


@pytest.mark.parametrize("name", ["digits", "longest"])
def test_limits_that_are_none(name: str) -> None:
    program = armdyn.load("planar_2r").gravity_forces.program()
    with pytest.raises(ValueError, match=f"{name} is 0; expected 1 or more"):
        program.equations(**{name: 0})
    with pytest.raises(DTypeError, match=f"{name} is 2.5; expected a whole number"):
        program.latex(**{name: 2.5})


def test_numbers_read_back() -> None:
    values = [0.1, 1 / 3, 1e-7, 6.02214076e23, 5e-324, math.inf, 2.0**60]
    program = of(lambda x: np.array([armdyn.maximum(x, v) for v in values]), ("x", ()))
    assert module(program.to_python())(0.0) == values
    assert r"6.02214076 \cdot 10^{23}" in program.latex()
    assert r"\infty" in program.latex()
    assert "max(x, 10⁻⁷)" in str(program.equations())


def test_what_is_not_chosen_may_have_no_value() -> None:
    def law(x):
        return armdyn.select(x[0] > 0.0, np.sqrt(x[0]) / x[1], np.log(x[0] + 1.0))

    program = of(law, ("x", (2,)))
    f = module(program.to_python())
    assert f([4.0, 0.0]) == math.inf
    assert f([4.0, -0.0]) == -math.inf
    assert f([-0.5, 0.0]) == math.log(0.5)
    assert f([0.25, 2.0]) == 0.25
    assert np.array_equal(module(program.to_python(numpy=True))([[0.25, 2.0], [4.0, 4.0]]), [0.25, 0.5])


def test_nan() -> None:
    program = of(
        lambda x: np.array([armdyn.minimum(x[0], x[1]), armdyn.maximum(x[0], x[1]), armdyn.sign(x[0])]), ("x", (2,))
    )
    found = module(program.to_python())
    assert all(map(math.isnan, found([math.nan, 1.0])))
    assert all(map(math.isnan, found([1.0, math.nan])[:2]))
    assert found([-0.5, 2.0]) == [-0.5, 2.0, -1.0]
    assert found([0.0, 2.0])[2] == 0.0


def test_arrays_broadcast() -> None:
    arm = armdyn.load("puma560")
    f = module(arm.inverse_dynamics.to_python(numpy=True))
    q, qd = np.random.default_rng(1).uniform(-1, 1, (2, 4, 3, 6))
    np.testing.assert_allclose(
        f(q, qd[0, 0], np.ones(6)), arm.inverse_dynamics(q, qd[0, 0], np.ones(6)), rtol=1e-12, atol=1e-12
    )
    assert module(arm.kinetic_energy.to_python(numpy=True))(np.zeros(6), np.ones(6)).shape == ()
    constant = module(armdyn.load("scara").gravity_forces.to_python(numpy=True))
    assert constant(np.zeros((5, 2, 4))).shape == (5, 2, 4)


def test_document() -> None:
    program = armdyn.load("planar_2r").mass_matrix.program()
    document = program.equations().document()
    assert r"{\Large\bfseries Mass matrix\par}" in document
    assert "Given: $q$ ($2$). Result: $M$ ($2 \\times 2$). Operations: 1 multiplication, 6 additions, " in document
    assert r"s_{2} &= \sin q_{2} &\qquad c_{2} &= \cos q_{2} &\qquad t_{1} &= s_{2}^{2} \\" in document
    assert r"\begin{bmatrix} M_{11} & M_{12} \\ M_{12} & 1 \end{bmatrix}" in document
    assert r"{\Large\bfseries 100 \% of \#1\par}" in program.equations().document("100 % of #1")


def test_copies() -> None:
    shown = armdyn.load("ur5").inverse_dynamics.equations(longest=100_000, digits=4)
    for twin in (pickle.loads(pickle.dumps(shown)), copy.deepcopy(shown)):  # noqa: S301
        assert str(twin) == str(shown)
    assert repr(shown) == f"<{len(shown)} equations of inverse_dynamics: {shown.op_counts}>"


def test_notebooks() -> None:
    small, large = armdyn.load("planar_2r").mass_matrix.equations(), armdyn.load("ur5").regressor.equations(longest=1)
    assert small._repr_latex_().startswith("$\\displaystyle \\begin{aligned}\ns_{2} &= ")
    assert small._repr_html_() is None
    assert large._repr_latex_() is None
    assert large._repr_html_().startswith("<pre style=")
    assert "&lt;" in armdyn.targets.equations.text.html(of(lambda x: armdyn.less(x, 1.0), ("x", ())).equations())


def compiled(engine: str, source: str, folder: Path) -> str:
    """What a LaTeX engine says of a document."""
    (folder / "printed.tex").write_text(source, encoding="utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "printed.tex"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    assert run.returncode == 0, run.stdout[-2000:]
    return run.stdout


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["pdflatex", "xelatex", "lualatex"])
def test_documents_compile(engine: str, tmp_path: Path) -> None:
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not installed")
    ur5, puma = armdyn.load("ur5"), armdyn.load("puma560")
    shown = [
        ur5.inverse_dynamics.equations(),
        ur5.mass_matrix.equations(longest=5000),
        puma.inverse_dynamics.equations(named_constants=True, digits=5),
        puma.regressor.equations(),
        armdyn.load("planar_3r").forward_dynamics.equations(),
        odd_shapes().equations(),
        *(program.equations() for program in single_operations()),
    ]
    blocks = [block for one in shown for block in (heading(repr(one)), one.latex(), *one.blocks())]
    text = paragraph("50 % of a_b & c^d ~ {e} \\ #1 $2; θ, 轴, ü")
    assert "Overfull" not in compiled(
        engine, latex_document("Everything & more_", [text, *blocks], author="A. N."), tmp_path
    )
    for one in shown[:6]:
        assert "Overfull" not in compiled(engine, one.document(), tmp_path)
