"""``armdyn simulate``: options and scenarios, which come first, what is kept where a motion breaks off."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import armdyn
from armdyn.constraints import SingularState
from studies.arms import TIED

Shell = Callable[..., Any]

SCENARIO = """\
robot: planar_2r
q0: [0.3, -0.5]
duration: 0.2
method: rk4
method.step: 2e-3
controller: pd_gravity
inputs: {q_ref: [0.5, 0.5], Kp: 100, Kd: [10, 5]}
"""

ROWS = "t,tau_joint_1,tau_joint_2\n0,1,0.5\n0.1,-1,0\n0.2,0,0\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands are typed, with the files of this page."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "reach.yaml").write_text(SCENARIO)
    (tmp_path / "torques.csv").write_text(ROWS)
    return tmp_path


def motion(shell: Shell, folder: Path, *words: str) -> armdyn.Trajectory:
    said = shell("simulate", *words, "--out", str(folder / "motion.npz"))
    assert said.code == 0, said.err
    return armdyn.Trajectory.load(folder / "motion.npz")


def test_options_and_a_scenario_say_the_same(shell: Shell, folder: Path) -> None:
    scenario = motion(shell, folder, "sub/reach.yaml")
    options = "--q0 0.3,-0.5 --duration 0.2 --method rk4 --set method.step=2ms --controller pd_gravity"
    options += " --input q_ref=0.5,0.5 --input Kp=100 --input Kd=10,5"
    np.testing.assert_array_equal(motion(shell, folder, "planar_2r", *options.split()).q, scenario.q)
    assert "RungeKutta4, step 0.002 s" in scenario.statistics.method


def test_options_come_before_the_scenario(shell: Shell, folder: Path) -> None:
    changed = motion(
        shell, folder, "sub/reach.yaml", "--input", "Kp=30", "--q0", "0,0", "--gravity", "0,0,0", "--set", "payload=1kg"
    )
    (folder / "sub" / "reach.yaml").write_text(
        SCENARIO.replace("Kp: 100", "Kp: 30").replace("[0.3, -0.5]", "0") + "gravity: [0, 0, 0]\npayload: {mass: 1}\n"
    )
    np.testing.assert_array_equal(motion(shell, folder, "sub/reach.yaml").q, changed.q)
    (folder / "path.csv").write_text("t,q_joint_1,q_joint_2\n0,0.3,-0.5\n0.1,0.31,-0.5\n0.2,0.4,-0.5\n")
    follows = motion(shell, folder, "sub/reach.yaml", "--set", "reference=path.csv")  # in the place of the target
    np.testing.assert_allclose(follows.signals["q_ref"][[0, -1]], [[0.3, -0.5], [0.4, -0.5]], rtol=1e-15)


def test_torques_of_a_csv(shell: Shell, folder: Path) -> None:
    linear = motion(shell, folder, "planar_2r", "--torque", "torques.csv")
    assert linear.t[-1] == 0.2
    np.testing.assert_allclose(linear.tau[np.searchsorted(linear.t, 0.05)], [0.0, 0.25], rtol=0, atol=1e-12)
    held = motion(
        shell, folder, "planar_2r", "--torque", "torques.csv", "--set", "torque.between=hold", "--duration", "0.15"
    )
    np.testing.assert_array_equal(held.tau[np.searchsorted(held.t, 0.05)], [1.0, 0.5])


def test_brakes_by_an_option_and_by_a_scenario(shell: Shell, folder: Path) -> None:
    braked = armdyn.actuators.Actuator(gear=armdyn.actuators.Gear(50.0), brake=armdyn.actuators.Brake(1.0))
    armdyn.actuators.write({"joint_2": braked}, folder / "drives.yaml")
    (folder / "held.yaml").write_text(
        "robot: planar_2r\nactuators: drives.yaml\nq0: [0.3, -0.5]\nduration: 0.2\n"
        "brakes: {joint_2: [[0.05, engaged], [0.15, released]]}\n"
    )
    scenario = motion(shell, folder, "held.yaml")
    words = "--actuators drives.yaml --q0 0.3,-0.5 --duration 0.2 --set"
    switches = "brakes.joint_2=[[50 ms, engaged], [0.15, released]]"
    np.testing.assert_array_equal(motion(shell, folder, "planar_2r", *words.split(), switches).q, scenario.q)
    true = armdyn.simulate(
        armdyn.load("planar_2r").with_actuators({"joint_2": braked}),
        [0.3, -0.5],
        duration=0.2,
        elements=[armdyn.simulation.BrakeSwitches({"joint_2": [(0.05, "engaged"), (0.15, "released")]})],
    )
    np.testing.assert_array_equal(scenario.q, true.q)


@pytest.mark.slow
def test_a_robot_with_constraints(shell: Shell, folder: Path) -> None:
    (folder / "tied.xml").write_text(TIED)
    said = shell(
        "simulate", "tied.xml", "--duration", "0.1", "--method", "rk4", "--set", "project=true", "--out", "tied.csv"
    )
    assert said.code == 0, said.err
    assert "every step was followed by a projection onto the constraints" in said.out.replace("\n", " ")
    robot = armdyn.load(folder / "tied.xml")
    operations = robot.compile(armdyn.constraints.constrained_forward_dynamics).op_counts
    assert str(operations) in said.out
    assert abs(robot.constraint_error(armdyn.Trajectory.load(folder / "tied.csv").q)).max() < 1e-14


def test_the_screen_says_what_drove_the_arm(shell: Shell, folder: Path) -> None:
    said = shell("simulate", "planar_2r", "--torque", "torques.csv", columns=120)
    assert "torques.csv, on straight lines between 3 rows" in said.out
    said = shell("simulate", "sub/reach.yaml", columns=120)
    assert "pd_gravity, called every 0.002 s" in said.out
    assert "off the reference, largest, at end" in said.out


def test_what_was_simulated_is_kept(shell: Shell, folder: Path) -> None:
    words = ("simulate", "planar_2r", "--torque", "1e9,1e9", "--method", "euler", "--set", "method.step=0.01")
    said = shell(*words, "--out", "a.csv", "--out", "a.gif")
    assert said.code == 2
    assert "What was simulated until then is in the files above." in said.err
    kept = armdyn.Trajectory.load("a.csv")
    assert f"wrote a.csv, to t = {kept.t[-1]:g} s" in said.out
    assert not Path("a.gif").exists()
    assert "can be kept by --out FILE.npz" in shell(*words).err


def test_a_file_that_fails_is_told_beside_what_broke_the_motion(
    shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device", "a.csv")

    monkeypatch.setattr(armdyn.Trajectory, "save", full)
    words = (
        "simulate",
        "planar_2r",
        "--torque",
        "1e9,1e9",
        "--method",
        "euler",
        "--set",
        "method.step=0.01",
        "--out",
        "a.csv",
    )
    said = " ".join(shell(*words).err.split())
    assert "warning: [Errno 28] No space left on device: 'a.csv'" in said
    assert "can be kept by --out FILE.npz" in said


def test_any_error_in_the_middle_keeps_it(shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Constraints that become singular, too: their error is no `SimulationError`."""
    fall = armdyn.simulate(armdyn.load("planar_2r"), [0.5, 0.0], duration=0.1)

    def breaks(*_: Any, **__: Any) -> None:
        error = SingularState("constraints of 'planar_2r' are redundant at q")
        error.trajectory = fall  # type: ignore[attr-defined]
        raise error

    monkeypatch.setattr("armdyn.studies.motion.simulate", breaks)
    said = shell("simulate", "planar_2r", "--out", "a.npz")
    assert said.code == 2
    assert "redundant at q. What was simulated until then is in the files above." in " ".join(said.err.split())
    np.testing.assert_array_equal(armdyn.Trajectory.load("a.npz").q, fall.q)


@pytest.mark.slow
def test_outputs_of_a_scenario(shell: Shell, folder: Path) -> None:
    path = folder / "sub" / "reach.yaml"
    path.write_text(SCENARIO + "out: [out/a.csv, out/a.svg]\n")
    said = shell("simulate", "sub/reach.yaml")
    assert [line for line in said.out.splitlines() if line.startswith("wrote")] == [
        "wrote out/a.csv",
        "wrote out/a.svg",
    ]
    said = shell("simulate", "sub/reach.yaml", "--out", "b.csv")
    assert [line for line in said.out.splitlines() if line.startswith("wrote")] == ["wrote b.csv"]
    path.write_text(SCENARIO + "out: sub/a.txt\n")
    said = shell("simulate", "sub/reach.yaml")
    assert said.code == 2
    assert "sub/reach.yaml:8: out 'sub/a.txt': expected a file name that ends in" in said.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("sub/reach.yaml --method rk5", "no method 'rk5' in --method (13 methods). Did you mean 'rk4'"),
        ("planar_2r --controller pd_gravity --torque 1,1", "--torque: a controller and torque are both given"),
        ("planar_2r --torque 1,1 --set torque=torques.csv", "torque is given by --torque and --set torque; expected"),
        ("sub/nosuch.yaml", "StudyError: no file 'sub/nosuch.yaml'; expected"),
        ("planar_2r --torque nosuch.csv", "no file"),
        ("ur5 --torque torques.csv", "no column 'tau_joint_1' in "),
        ("planar_2r --torque torques.csv --duration 1", "torque is known from t = 0 to 0.2 s; expected from 0 to"),
        ("planar_2r --set torque.between=hold", "--set torque.between: torque has no file; expected such as"),
        (
            "planar_2r --controller pd_gravity --input q_ref=0,0 --input Kp=1",
            "the controller has no Kd; expected in inputs, or by --input",
        ),
        (
            "planar_2r --controller pd_gravity --input Kp=1 --input Kd=1",
            "the controller has no q_ref; expected in inputs, or by --input",
        ),
        ("planar_2r --controller pd", "--controller: the controller 'pd' is called 'pd_gravity', and its inputs q_ref"),
        ("planar_2r --q-ref 0,0", "no option --q-ref; expected --input q_ref=VALUE. --words lists all words."),
        ("planar_2r --Kp 1 --Kd 1", "no option --Kp; expected --input Kp=VALUE"),
        ("planar_2r --payload-com 0,0,1", "no option --payload-com; expected --set payload.com=X,Y,Z"),
        ("planar_2r --payload 1", "no option --payload; expected --set payload=VALUE"),
        ("planar_2r --torques torques.csv", "no option --torques; expected --torque FILE.csv"),
        ("planar_2r --save-every 0.1", "no option --save-every; expected --set save.every=SECONDS"),
        ("planar_2r --step 1e-3", "no option --step; expected --set method.step=VALUE"),
        ("planar_2r --plot a.png", "no option --plot; expected --out FILE"),
        (
            "planar_2r --input Kp=1",
            "--input Kp: 'Kp' is of a controller, and there is none; expected one of admittance, computed_torque",
        ),
        ("planar_2r --controller pd_grav", "no controller 'pd_grav' in --controller (10 controllers). Did you mean"),
        ("planar_2r --set payload=-1", "--set payload: mass of the payload is -1"),
        ("planar_2r --set payload.com=0,0,1", "payload has no mass"),
        ("planar_2r --set payload=2m", "payload.mass is '2m', in m; expected a unit like kg"),
        ("planar_2r --set stops=0.5", "no such joint of 'planar_2r' has limits"),
        ("planar_2r --set brakes.joint_1=engaged", "which has no brake; give it one: --actuators FILE"),
        (
            "planar_2r --set brakes.joint_1=[[1,engaged]]",
            "brakes has joint 'joint_1' of 'planar_2r', which has no brake",
        ),
        (
            "planar_2r --set method.step=1e-3",
            "--set method.step: method 'adaptive' has no step; it chooses its steps itself. --set save.every=SECONDS",
        ),
        ("planar_2r --method rk4 --set method.step=-1", "SettingError: --set method.step: step is -1.0"),
        (
            "planar_2r --controller pd_gravity --input q_ref=0,0,0 --input Kp=1 --input Kd=1",
            "--input q_ref: q_ref has shape (3,); expected (2,)",
        ),
        ("planar_2r --q0 abc", "--q0: q0 of joint_1 is 'abc'; expected a number in rad, or one with a unit, such as"),
        ("planar_2r --q0 1mm", "--q0: q0 of joint_1 is '1mm', in m; expected a unit like rad"),
        ("planar_2r --duration 2m", "--duration: duration is '2m', in m; expected a unit like s"),
    ],
)
def test_mistakes_are_named(shell: Shell, folder: Path, words: str, message: str) -> None:
    said = shell("simulate", *words.split(), "--out", "never.csv")
    assert (said.code, said.out) == (2, "")
    assert message in " ".join(said.err.split())
    assert "Traceback" not in said.err
    assert not Path("never.csv").exists()


SCENARIOS = Path(__file__).parents[2] / "examples" / "scenarios"


def at_point(moved: armdyn.Trajectory) -> bool:
    tip = armdyn.load("planar_3r").forward_kinematics(moved.q[-1])[:2, 3]
    return bool(np.allclose(tip, [2.5, 6.0], rtol=0, atol=1e-3))


COME_OUT: dict[str, Callable[[armdyn.Trajectory], bool]] = {
    "point": at_point,
    "press": lambda moved: np.allclose(moved.signals["multipliers"], -30.0) and abs(moved.q[-1, 0] - 0.9) < 1e-3,
    "collision": lambda moved: moved.events[0].kind == "impact" and moved.t[-1] - moved.events[0].t < 1e-3,
    "drive": lambda moved: (
        abs(moved.tau).max() == 150.0 and abs(moved.q[-1] - [0.6, -1.2, 1, -0.8, 0.5, 0.3]).max() < 2e-3
    ),
}
"""What the headers of the examples say, of some."""


ON_A_TABLE = ("press", "collision")
"""Examples that a table keeps from their references."""


@pytest.mark.short_run("torques")
@pytest.mark.parametrize(
    "name",
    ["torques", "point", "press", "collision"]
    + [pytest.param(n, marks=pytest.mark.slow) for n in ("reach", "follow", "stops", "drive")],
)
def test_the_examples_run(shell: Shell, folder: Path, name: str) -> None:
    moved = motion(shell, folder, str(SCENARIOS / f"{name}.yaml"))
    assert abs(moved.energy.drift).max() < 1e-7
    if "q_ref" in moved.signals and name not in ON_A_TABLE:
        assert abs(moved.q - moved.signals["q_ref"])[-1].max() < 0.02
    if name in COME_OUT:
        assert COME_OUT[name](moved)


def test_the_documented_scenario_runs(shell: Shell, folder: Path) -> None:
    page = (SCENARIOS.parents[1] / "docs" / "scenarios.md").read_text(encoding="utf-8")
    (folder / "page.yaml").write_text(page.partition("```yaml\n")[2].partition("```")[0].replace(".png", ".npz"))
    said = shell("simulate", "page.yaml", "--duration", "0.05")
    assert said.code == 0, said.err
    assert [line for line in said.out.splitlines() if line.startswith("wrote")] == [
        "wrote reach.csv",
        "wrote reach.npz",
    ]


def test_help_shows_examples(shell: Shell) -> None:
    said = shell("simulate", "--help", columns=120)
    assert "armdyn simulate planar_2r --torque torques.csv --set torque.between=hold" in said.out
    assert '"tau_elbow [N mm]" or "q_elbow [deg]"' in said.out
    assert "inputs: {q_ref: [0.5, -1, 1, 0, 0, 0], Kp: 100, Kd: 20}" in said.out


def test_one_number_counts_for_all_joints(shell: Shell, folder: Path) -> None:
    gains = ("--input", "Kp=60", "--input", "Kd=8", "--method", "rk4", "--duration", "0.1")
    for name, text in (("one", "0.3"), ("each", "0.3,0.3"), ("blanks", "0.3 0.3")):
        words = ("--controller", "pd_gravity", "--input", f"q_ref={text}", "--q0", text, *gains)
        assert shell("simulate", "planar_2r", *words, "--out", f"{name}.npz").code == 0
    one, *others = (armdyn.Trajectory.load(folder / f"{name}.npz") for name in ("one", "each", "blanks"))
    for other in others:
        np.testing.assert_array_equal(other.q, one.q)


def test_constraints_that_follow_from_others_have_a_report(shell: Shell, folder: Path) -> None:
    line = "line={point_on_line: {frame: tip, direction: [1,0,0], through: [0,0.5,0]}}"
    words = ("--q0", "0.5,1", "--set", "close_loop=true", "--set", "redundant=least_squares", "--duration", "0.1")
    said = shell("simulate", "planar_2r", "--set", f"constraints.{line}", *words, "--out", "line.csv")
    assert (said.code, said.err) == (0, "")
    assert "energy drift, largest" in said.out
    assert "operations an evaluation" not in said.out


def test_extremes_of_few_saved_states_say_so(shell: Shell, folder: Path) -> None:
    words = ("simulate", "ur5", "--duration", "1", "--method", "rk4", "--set", "method.step=5ms")
    few, every = shell(*words, "--set", "save.every=0.5", columns=200), shell(*words, columns=200)
    assert "of the 3 states saved" in few.out
    assert "saved" not in every.out
    assert "velocity limits, which are not enforced, are left by" in every.out


def test_ucls_program_from_the_command_line(shell: Shell, folder: Path) -> None:
    """The printed formula q + qd T + 3/2 qdd T^2, and its animation: thin lines, 0.1 s a frame."""
    words = "simulate ucl_2r --q0 0.3,0.2 --duration 0.3 --method constant_acceleration_as_printed"
    said = shell(*words.split(), "--out", "ucl.csv", "--out", "ucl.gif", "--set", "style=ucl")
    assert said.code == 0, said.err
    method = armdyn.simulation.ConstantAcceleration(step=1e-3, as_printed=True)
    expected = armdyn.simulate(armdyn.load("ucl_2r"), [0.3, 0.2], duration=0.3, method=method)
    np.testing.assert_array_equal(armdyn.Trajectory.load("ucl.csv").q[-1], expected.q[-1])
    with Image.open("ucl.gif") as film:
        assert film.n_frames == 3
        assert film.info["duration"] == 100
    wrong = shell(*words.split(), "--out", "ucl.gif", "--set", "style=plain")
    assert wrong.code == 2
    assert "--set style: style is 'plain'; expected 'armdyn' or 'ucl'" in wrong.err


def test_an_animation_shows_the_planes_of_contacts(shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    monkeypatch.setattr(armdyn.Trajectory, "animate", lambda self, path, **options: given.append(options["contacts"]))
    table = "contacts.table={frame: tip, normal: [0, 1, 0], through: [0, -1, 0]}"
    said = shell("simulate", "planar_2r", "--duration", "0.1", "--set", table, "--out", "hit.gif")
    assert said.code == 0, said.err
    assert [contact.plane.name for contact in given[0]] == ["table"]


def test_any_word_of_a_scenario_by_set(shell: Shell, folder: Path) -> None:
    words = ("--duration", "0.2", "--set", "save.every=0.05", "--set", "payload={mass: 2, com: [0, 0, 0.1]}")
    moved = motion(shell, folder, "planar_2r", *words)
    assert len(moved.t) == 5
    arm = armdyn.load("planar_2r").with_payload(armdyn.Inertia(2.0, [0, 0, 0.1]))
    true = armdyn.simulate(arm, [0.0, 0.0], duration=0.2, save=armdyn.simulation.SaveAt(every=0.05))
    np.testing.assert_array_equal(moved.q, true.q)
    for text, message in (
        ("save.evry=0.05", "no setting 'evry' in save"),
        ("sav=0.05", "no key 'sav' in --set"),
        ("save", "--set has 'save'; expected NAME=VALUE, such as save.every=10ms"),
        ("save.every=0", "--set save.every: every is 0.0; expected a number above zero"),
        ("start={theta: [0, 0]}", "Start(theta=...) is given, but no joint"),
    ):
        said = shell("simulate", "planar_2r", "--set", text)
        assert said.code != 0
        assert message in said.err
    twice = shell("simulate", "planar_2r", "--set", "stops=0.5", "--set", "stops=0.4")
    assert "stops is given by --set stops twice" in twice.err
