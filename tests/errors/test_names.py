"""How errors on names count what there is."""

import pytest

import armdyn
from armdyn import UnknownName


@pytest.mark.parametrize(
    ("kind", "several"),
    [
        ("frame", "frames"),
        ("axis", "axes"),
        ("moving joint", "moving joints"),
        ("array or parameter", "arrays or parameters"),
        ("axis or way", "axes or ways"),
    ],
)
def test_one_and_several(kind: str, several: str) -> None:
    two, one, none = (str(UnknownName.of(kind, "x", known, "here")) for known in (["abc", "def"], ["abc"], []))
    assert two == f"no {kind} 'x' in here (2 {several}). Known: abc, def."
    assert one == f"no {kind} 'x' in here (1 {kind}). Known: abc."
    assert none == f"no {kind} 'x' in here (0 {several})."


def test_in_the_errors_of_functions() -> None:
    robot = armdyn.load("ur5")
    with pytest.raises(UnknownName, match=r"\(\d+ arrays or parameters\)"):
        robot.inverse_dynamics.derivative("qddd")
    with pytest.raises(UnknownName, match=r"no axis 'k' .*\(6 axes\)"):
        armdyn.constraints.Held("tool0", "base_link", ("k",), name="x")
