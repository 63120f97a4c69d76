"""The equations of motion on a page: in full for a small arm, as the recursion for a larger one."""

from __future__ import annotations

from html import escape

from armdyn.base.errors import ArmdynError
from armdyn.robot import Robot

MOST_EQUATIONS = 90
"""Largest number of equations of a function that is written out."""

DIGITS = 6

RECURSION = (
    ("Outward, link by link, from the base (ω₀ = 0, ω̇₀ = 0, a₀ = -g)", (
        "ωᵢ = Rᵢᵀ ωᵢ₋₁ + zᵢ q̇ᵢ",
        "ω̇ᵢ = Rᵢᵀ ω̇ᵢ₋₁ + (Rᵢᵀ ωᵢ₋₁) × zᵢ q̇ᵢ + zᵢ q̈ᵢ",  # noqa: RUF001
        "Uᵢ = [ω̇ᵢ] + [ωᵢ]²",
        "aᵢ = Rᵢᵀ (aᵢ₋₁ + Uᵢ₋₁ pᵢ)",
        "Fᵢ = mᵢ aᵢ + Uᵢ hᵢ",
        "Nᵢ = hᵢ × aᵢ + axial(Uᵢ Σᵢ)",  # noqa: RUF001
    )),
    ("Inward, from the tip (fₙ₊₁ and nₙ₊₁ are what the tip applies)", (
        "fᵢ = Fᵢ + Rᵢ₊₁ fᵢ₊₁",
        "nᵢ = Nᵢ + Rᵢ₊₁ nᵢ₊₁ + pᵢ₊₁ × Rᵢ₊₁ fᵢ₊₁",  # noqa: RUF001
        "τᵢ = zᵢ · nᵢ + friction   (a joint that slides: zᵢ · fᵢ + friction)",
    )),
)  # fmt: skip
"""The Newton-Euler recursion for revolute joints; [x] is the matrix of the cross product by x, h = m c the first
moment, Σ the integral of r rᵀ dm about the link's origin."""

FUNCTIONS = {"mass_matrix": "M(q)", "gravity_forces": "g(q)", "inverse_dynamics": "τ(q, q̇, q̈)"}


def equations_html(robot: Robot) -> str:
    """Every function written out if the arm is small enough, otherwise the recursion with operation counts."""
    blocks, counts = [], []
    for name, symbol in FUNCTIONS.items():
        try:
            program = robot.program(name)
        except ArmdynError as error:
            blocks.append(f"<p>{escape(symbol)}: {escape(str(error))}</p>")
            continue
        counts.append(f"{symbol}: {program.op_counts}")
        result = program.equations(digits=DIGITS)
        if len(result) <= MOST_EQUATIONS:
            blocks.append(_write(symbol, str(result).splitlines()))
    if len(blocks) < len(FUNCTIONS):
        blocks.append(_recursion())
    text = "; ".join(counts)
    return (
        f"<p>Operations a state, exact: {escape(text)}. Numbers are rounded to {DIGITS} digits here.</p>"
        + "".join(blocks)
    )  # fmt: skip


def _write(symbol: str, lines: list[str]) -> str:
    text = escape("\n".join(lines))
    opened = " open" if len(lines) <= 24 else ""
    return (
        f"<details{opened}><summary>{escape(symbol)} in full</summary>"
        f'<pre class="equations scroll" tabindex="0">{text}</pre></details>'
    )


def _recursion() -> str:
    parts = "".join(
        f"<h4>{escape(title)}</h4><pre class='equations scroll' tabindex='0'>{escape(chr(10).join(lines))}</pre>"
        for title, lines in RECURSION
    )
    return f"<details open><summary>τ(q, q̇, q̈) by Newton and Euler's recursion</summary>{parts}</details>"
