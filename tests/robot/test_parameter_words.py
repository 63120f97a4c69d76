"""Parameters of links and joints whose names are no identifiers of Python: one keyword for each, everywhere."""

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import UnknownName
from armdyn.model.parameter_words import parameter_of, parameter_words
from armdyn.model.parameters import parameter_names
from armdyn.studies import grid
from armdyn.studies.motion import MotionSettings
from armdyn.studies.words import Words

ROD = armdyn.Inertia(1.0, [0.2, 0.0, 0.1], np.diag([0.1, 0.2, 0.2]))
ODD = ("1link", "tool-0", "left/tip", "tool_0", "tool 0", "ﬁnger")
CHAIN = ["base", *ODD]
PARTS = [
    armdyn.Part(child, parent, joint=f"joint-{k}", axis=(0, 0, 1) if k % 2 else (0, 1, 0), xyz=(0.3, 0, 0), inertia=ROD)
    for k, (parent, child) in enumerate(zip(CHAIN, ODD, strict=False))
]
ROBOT = armdyn.Robot.from_links(PARTS, name="odd")
PLAIN = ROBOT.renamed({name: f"part{k}" for k, name in enumerate(ODD)} | {f"joint-{k}": f"j{k}" for k in range(6)})
N = ROBOT.dof
Q = np.linspace(-1.0, 1.0, N)
MASSES = {"1link.mass": 2.0, "tool-0.mass": 3.0, "left/tip.mass": 4.0, "tool_0.mass": 5.0, "tool 0.mass": 6.0}
WORDS = {"1link.mass": "x1link_mass", "tool-0.mass": "tool_0_mass_2", "left/tip.mass": "left_tip_mass",
         "tool_0.mass": "tool_0_mass", "tool 0.mass": "tool_0_mass_3"}  # fmt: skip


def test_each_parameter_has_one_word_and_each_word_one_parameter() -> None:
    for robot in (ROBOT, armdyn.load("ur5"), armdyn.load("planar_2r_geared")):
        names, words = list(parameter_names(robot.model)), parameter_words(robot.model)
        assert list(words) == list(dict.fromkeys(names))
        assert len(set(words.values())) == len(words)
        for name, word in words.items():
            assert word.isidentifier()
            assert parameter_of(robot.model, word) == name
            if robot is not ROBOT:
                assert word == name.replace(".", "_")
    assert {name: parameter_words(ROBOT.model)[name] for name in MASSES} == WORDS
    assert parameter_words(ROBOT.model)["ﬁnger.mass"] == "finger_mass"
    assert parameter_of(ROBOT.model, "tool_0_com_9") is None


def plain_masses() -> dict[str, float]:
    return {f"part{ODD.index(name.removesuffix('.mass'))}_mass": value for name, value in MASSES.items()}


def test_calls_and_derivatives() -> None:
    """As of the same arm with plain names, by keywords and by the names themselves."""
    forces = ROBOT.compile(armdyn.algorithms.gravity_forces, parameters=list(MASSES))
    plain_names = [f"part{ODD.index(name.removesuffix('.mass'))}.mass" for name in MASSES]
    plain = PLAIN.compile(armdyn.algorithms.gravity_forces, parameters=plain_names)
    expected = plain(Q, **plain_masses())
    by_words = {WORDS[name]: value for name, value in MASSES.items()}
    np.testing.assert_array_equal(forces(Q, **by_words), expected)
    np.testing.assert_array_equal(forces(Q, **MASSES), expected)
    assert list(inspect.signature(forces).parameters) == ["q", *WORDS.values(), "out", "workers"]
    assert "; tool_0_mass_2 is 'tool-0.mass'; left_tip_mass is 'left/tip.mass'" in repr(forces)
    assert "tool_0_mass is" not in repr(forces)
    with pytest.raises(TypeError, match=r"misses 1link.mass \(x1link_mass=\), tool-0.mass \(tool_0_mass_2=\), "):
        forces(Q)
    by = forces.derivative("tool-0.mass", "left/tip.mass")(Q, **by_words)
    assert by._fields == ("d_tool_0_mass_2", "d_left_tip_mass")
    others = plain.derivative("part1.mass", "part2.mass")(Q, **plain_masses())
    np.testing.assert_array_equal(np.stack(by), np.stack(others))
    rates = forces.jvp("tool-0.mass")(Q, **by_words, tangent_tool_0_mass_2=2.0)
    np.testing.assert_allclose(rates, 2.0 * by.d_tool_0_mass_2, rtol=1e-14)
    with pytest.raises(UnknownName, match=r"Did you mean 'tool-0\.mass'"):
        ROBOT.compile(armdyn.algorithms.gravity_forces, parameters=["tool-1.mass"])


@armdyn.function("(n)->()")
def cost(model: Any, q: Any) -> Any:
    """A cost, scalar."""
    return q @ q


def test_loops_and_their_derivatives() -> None:
    loop = armdyn.ClosedLoop(ROBOT, parameters=["tool-0.mass", "joint-1.damping"])
    plain = armdyn.ClosedLoop(PLAIN, parameters=["part1.mass", "j1.damping"])
    given: dict[str, Any] = {"tau": np.zeros(N), "steps": 10}
    words = parameter_words(ROBOT.model)
    assert words["joint-1.damping"] == "joint_1_damping"
    found = loop.gradient(cost, ["tool-0.mass", "joint_1_damping"], Q, tool_0_mass_2=2.0, joint_1_damping=0.3, **given)
    expected = plain.gradient(cost, ["part1.mass", "j1.damping"], Q, part1_mass=2.0, j1_damping=0.3, **given)
    assert found._fields == ("cost", "d_tool_0_mass_2", "d_joint_1_damping")
    np.testing.assert_array_equal(np.stack(found), np.stack(expected))
    rates = loop.jvp("tool-0.mass")(Q, tool_0_mass_2=2.0, joint_1_damping=0.3, tangent_tool_0_mass_2=1.0, **given)
    assert np.isfinite(rates.final.q).all()
    assert rates.final.q.any()
    with pytest.raises(UnknownName, match=r"no argument 'tool_1_mass' in .* Did you mean 'tool_0_mass_2'"):
        loop(Q, tool_1_mass=2.0, joint_1_damping=0.3, **given)


def test_studies_and_scenarios(tmp_path: Path) -> None:
    same: dict[str, Any] = {"inputs": {"q0": Q}, "steps": 5}
    found = [
        armdyn.study(ROBOT, grid({name: [1.0, 3.0]}), **same)["final.q"] for name in ("tool-0.mass", "tool_0_mass_2")
    ]
    expected = armdyn.study(PLAIN, grid({"part1.mass": [1.0, 3.0]}), **same)["final.q"]
    np.testing.assert_array_equal(found[0], expected)
    np.testing.assert_array_equal(found[1], expected)
    ROBOT.to_urdf(tmp_path / "odd.urdf")
    (tmp_path / "odd.yaml").write_text(
        "robot: odd.urdf\nduration: 0.01\ninputs: {left/tip.mass: 3, tool_0_mass_3: 2}\n"
    )
    words = Words.read(tmp_path / "odd.yaml")
    motion = MotionSettings.of(words, words.robot())
    assert motion.robot.model.link("left/tip").inertia.mass == 3.0
    assert motion.robot.model.link("tool 0").inertia.mass == 2.0


def test_fmus_of_all_parameters() -> None:
    fmu = ROBOT.to_fmu(parameters=list(MASSES), derivatives=False)
    names = {place.name for place in fmu.code.layout.places}
    assert {"tool-0.mass", "left/tip.mass", "1link.mass"} <= {name.replace("'", "") for name in names}


def test_patterns_stand_for_the_parameters_that_match() -> None:
    """g is linear in the masses: with all of them doubled by the pattern it is twice as large."""
    arm = armdyn.load("planar_3r")
    masses = arm.compile("gravity_forces", parameters=["*.mass"])
    assert masses.parameters == ("link_1.mass", "link_2.mass", "link_3.mass")
    own = [link.inertia.mass for link in arm.model.links[1:]]
    q = np.array([0.3, -0.4, 0.5])
    np.testing.assert_allclose(masses(q, *(2.0 * np.array(own))), 2.0 * arm.gravity_forces(q), rtol=1e-12)
    some = arm.compile("gravity_forces", parameters=["link_[23].mass", "link_3.*", "gravity"])
    assert some.parameters == ("link_2.mass", "link_3.mass", "link_3.com", "link_3.inertia", "gravity")
    payloads = arm.compile("mass_matrix", parameters=["*.payload.mass"])
    assert set(payloads.parameters) == {f"{frame}.payload.mass" for frame in arm.frame_names if frame != "base"}
    with pytest.raises(armdyn.UnknownName, match=r"no parameter that matches '\*\.weight' in 'planar_3r'"):
        arm.compile("mass_matrix", parameters=["*.weight"])
