"""What holds for all verbs: --json, --help with examples, one word for one thing, Tab, pipes."""

import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
import typer.main

import armdyn
from armdyn import Inertia, Part, Robot
from armdyn.cli import verbs
from armdyn.cli.app import app
from armdyn.cli.json_output import as_json
from armdyn.cli.verbs import callback_of, documentation
from armdyn.robots.sources import SOURCES
from oracles.robot_data import ROBOTS
from oracles.short_run import short_run

Shell = Callable[..., Any]

VERBS = typer.main.get_command(app).commands  # type: ignore[attr-defined]

MJCF = """<mujoco model="mast"><worldbody><body name="mast" pos="0 0 0.3"><joint name="slew" type="hinge" axis="0 0 1"/>
<geom type="box" size="0.1 0.2 0.3" density="900"/></body></worldbody></mujoco>"""

SCENARIO = (
    "robot: planar_2r\nduration: 0.02\nsamples: {q0: {normal: [0, 0.1]}}\nruns: 3\nmethod: rk4\nmethod.step: 0.01\n"
)


def motion_file(path: Path, name: str = "ur5") -> None:
    """A slow cycle of all joints."""
    t = np.linspace(0.0, 2.0, 41)
    arm = armdyn.load(name)
    q, w = 0.1 * np.sin(np.pi * t)[:, None] * np.ones(arm.dof), np.pi
    header = ["t", *(f"{k}_{joint}" for k in ("q", "qd", "qdd") for joint in arm.joint_names)]
    qd = 0.1 * w * np.cos(w * t)[:, None] * np.ones(arm.dof)
    table = np.column_stack([t, q, qd, -w * w * q])
    np.savetxt(path, table, delimiter=",", header=",".join(header), comments="", fmt="%.17g")


def torque_log(path: Path, mass: float) -> None:
    """Five seconds of two joints with torques, with a point of this mass at the tip."""
    t = np.arange(0.0, 5.0, 0.02)[:, None]
    arm, w = armdyn.load("planar_2r"), np.array([2.0, 3.1])
    q, qd, qdd = np.sin(w * t), w * np.cos(w * t), -(w**2) * np.sin(w * t)
    tau = arm.with_payload(mass=mass).inverse_dynamics(q, qd, qdd)
    header = ",".join(["t", *(f"{k}_{joint}" for k in ("q", "qd", "tau") for joint in arm.joint_names)])
    np.savetxt(path, np.column_stack([t, q, qd, tau]), delimiter=",", header=header, comments="")


@pytest.fixture
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    motion_file(tmp_path / "motion.csv")
    for name, mass in (("empty", 0.0), ("held", 1.0)):
        torque_log(tmp_path / f"{name}.csv", mass)
    Path("currents.csv").write_text(Path("empty.csv").read_text().replace("tau_", "current_"))
    Path("study.yaml").write_text(SCENARIO)
    Path("arm.xml").write_text(MJCF)
    Path("drives.yaml").write_text("elbow_joint:\n  gear: {ratio: 101}\n")
    shutil.copy(ROBOTS / "panda_description/urdf/panda.urdf", "panda.urdf")


ANSWERS = {
    "list": "list",
    "info": "info stanford --cost",
    "fk": "fk ur5 --q 0,-1,1,0,0,0",
    "ik": "ik ur5 --xyz 0.4,0.2,0.3",
    "jacobian": "jacobian rp",
    "torque": "torque ur5 --motion motion.csv",
    "simulate": "simulate planar_2r --duration 0.01 --out fall.csv",
    "excite": "excite planar_2r --duration 4 --harmonics 2 --starts 1 -o excite.csv --ros e.yaml --plot excite.png",
    "size": "size ur5 --motion motion.csv --joint wrist_3_joint --bare",
    "identify": "identify planar_2r held.csv",
    "gains": "gains planar_2r currents.csv",
    "payload": "payload planar_2r held.csv --unloaded empty.csv",
    "compensate": "compensate ur5 -o floating",
    "collisions": "collisions planar_2r empty.csv",
    "bench": "bench planar_2r --states 10",
    "export": "export planar_2r --to python -f mass_matrix -o modules",
    "convert": "convert ur5 --to screws",
    "doctor": "doctor panda.urdf --fail-on never",
    "diff": "diff ur5 ur5",
    "derive": "derive planar_2r --symbols all",
    "page": "page planar_2r -o planar.html",
    "report": "report motion.csv --robot ur5 -o motion.html",
    "study": "study study.yaml",
    "masp": "masp --samples 5 --out figures",
    "view": "view planar_2r --save view.html",
}


def strict(text: str) -> Any:
    """JSON as the standard has it, without NaN."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.mark.short_run(without=("info",))
@pytest.mark.usefixtures("_files", "undrawn")
@pytest.mark.parametrize("verb", short_run(VERBS, *(verb for verb in VERBS if verb != "bench")))
def test_json(shell: Shell, verb: str) -> None:
    said = shell(*ANSWERS[verb].split(), "--json")
    assert said.code == 0, said.err
    answer = strict(said.out)
    assert isinstance(answer, dict)
    if verb not in {"list", "doctor", "diff"}:
        assert answer["robot"] in SOURCES
    for file in answer.get("files", ()) if verb != "doctor" else ():
        name = answer["files"][file] if isinstance(answer["files"], dict) else file
        assert Path(name).exists()


@pytest.mark.slow
@pytest.mark.usefixtures("_files")
def test_the_numbers_of_json_are_the_functions(shell: Shell) -> None:
    info = strict(shell("info", "stanford", "--json").out)
    arm = armdyn.load("stanford")
    for shown, link in zip(info["links"], arm.model.links, strict=True):
        assert shown["mass"] == link.inertia.mass
        np.testing.assert_array_equal(shown["inertia"], link.inertia.tensor)
    assert [joint["upper"] for joint in info["joints"]][2] == arm.joints[2].limits.upper
    assert "operations" not in info
    counted = strict(shell("info", "stanford", "--cost", "--json").out)["operations"]["mass_matrix"]
    assert counted["multiplications"] == arm.mass_matrix.op_counts.multiplications
    table = strict(shell("torque", "ur5", "--motion", "motion.csv", "--json").out)
    expected = armdyn.load("ur5").inverse_dynamics(table["q"], table["qd"], table["qdd"])
    np.testing.assert_allclose(table["tau"], expected, rtol=1e-15)
    assert len(table["t"]) == 41


def test_json_of_what_is_not_finite() -> None:
    data = {"a": np.array([1.0, np.nan, -np.inf]), "b": [{}, []], "p": Path("x"), "n": np.int64(3), "\x1b": True}
    assert strict(as_json(data)) == {"a": [1.0, None, None], "b": [{}, []], "p": "x", "n": 3, "\x1b": True}
    assert "\x1b" not in as_json(data)


# ---- words


def options() -> dict[str, dict[str, str]]:
    """The options by their word: which verbs have it, and the type of one value."""
    found: dict[str, dict[str, str]] = {}
    for verb in VERBS:
        for parameter in inspect.signature(callback_of(verb), eval_str=True).parameters.values():
            kind, *about = get_args(parameter.annotation) or (None,)
            words = (word for option in about for word in (option.default, *(option.param_decls or ())))
            for word in words:
                if str(word).startswith("--"):
                    of_one = re.sub(r"list\[(.*)\]|\| None|<class '(.*)'>", r"\1\2", str(kind)).strip()
                    found.setdefault(word, {})[verb] = of_one
    return found


def test_one_word_for_one_thing() -> None:
    for word, of_word in options().items():
        assert len(set(of_word.values())) == 1, (word, of_word)
    shared = options()
    assert {"fk", "ik", "jacobian"} <= set(shared["--frame"])
    assert set(shared["--motion"]) == {"fk", "page", "size", "torque", "view"}
    assert set(shared["--q0"]) == {"ik", "masp", "simulate"}
    writers = "compensate convert excite export fk identify jacobian masp page report simulate study torque"
    assert set(shared["--out"]) == set(writers.split())
    assert set(shared["--plot"]) == {"collisions", "excite", "identify", "masp", "size"}
    assert set(shared["--json"]) >= set(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_help(shell: Shell, verb: str) -> None:
    said = shell(verb, "--help", columns=100)
    assert said.code == 0
    assert "Examples" in said.out
    assert f"armdyn {verb}" in said.out
    assert all(param.help for param in VERBS[verb].params)
    texts = [VERBS[verb].help, *(param.help for param in VERBS[verb].params)]
    lost = set(re.findall(r"(?<!\\)\[[^]]*\]", " ".join(texts))) - {"[bold]", "[/]"}
    assert not lost, "rich takes these for markup and leaves them out; write \\["


def test_summaries_are_the_first_paragraphs_of_the_documentation() -> None:
    """What the list of verbs shows without importing them."""
    for name, verb in verbs.VERBS.items():
        assert verb.summary == documentation(callback_of(name)).split("\n\n")[0], name
        assert VERBS[name].name == name


@pytest.mark.parametrize(
    ("words", "left_out"),
    [
        (["--help"], ["numpy", "armdyn.robot", "armdyn.simulation"]),
        (["fk", "ur5"], ["scipy", "matplotlib", "armdyn.studies", "armdyn.sizing", "armdyn.cli.simulate"]),
    ],
)
def test_a_verb_imports_what_it_uses(words: list[str], left_out: list[str]) -> None:
    code = f"import sys\nsys.argv = {['armdyn', *words]}\nfrom armdyn.cli import main\ntry:\n    main()\nfinally:\n"
    code += f"    print([name for name in {left_out} if name in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip().splitlines()[-1] == "[]"


def test_start_imports_nothing_slow() -> None:
    slow = ("scipy", "matplotlib", "llvmlite", "yaml", "sympy", "pyarrow", "mujoco")
    code = f"import sys, armdyn.cli; print([name for name in {slow} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def examples(verb: str) -> list[str]:
    text = VERBS[verb].help.replace("\\[", "[")
    return re.findall(rf"^ +(armdyn {verb}\b.*)$", text, re.MULTILINE)


ALL = [line for verb in ("list", "info", "fk", "ik", "jacobian", "torque", "convert") for line in examples(verb)]
RUN = short_run(ALL, *(line for line in ALL if "--pictures" not in line))
"""Pictures of all robots are drawn by `make test-all`; test_kinematics.py draws two of them."""


@pytest.mark.usefixtures("_files")
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("line", RUN)
def test_examples_run(shell: Shell, line: str) -> None:
    words = shlex.split(line)[1:]
    if "arm.xml" in words:
        pytest.importorskip("mujoco")
    said = shell(*words)
    assert said.code == 0, said


# ---- Tab


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("armdyn con", ["convert"]),
        ("armdyn fk u", ["ucl_2r", "ur5"]),
        ("armdyn fk ./u", []),
        ("armdyn simulate pu", ["puma560"]),
        ("armdyn masp kg", ["kg_puma"]),
        ("armdyn ik ur5 --xyz 1,2,3 --frame t", ["tool0"]),
        ("armdyn fk nosuch --frame t", []),
        ("armdyn torque ur5 --lock el", ["elbow_joint="]),
        ("armdyn torque ur5 --tip wrist_3", ["wrist_3_link"]),
        ("armdyn size ur5 --joint el", ["elbow_joint"]),
        ("armdyn export ur5 --to c --function mass_matrix", ["mass_matrix", "mass_matrix_dot"]),
        ("armdyn export ur5 --to num", ["numpy"]),
        ("armdyn convert ur5 --to z", ["zero_reference"]),
        ("armdyn convert ur5 --convention m", ["modified"]),
        ("armdyn ik ur5 --choose n", ["nearest"]),
        ("armdyn jacobian ur5 --expressed-in s", ["space"]),
        ("armdyn simulate ur5 --controller comp", ["computed_torque"]),
    ],
)
def test_tab(shell: Shell, monkeypatch: pytest.MonkeyPatch, line: str, expected: list[str]) -> None:
    words = line.split()
    monkeypatch.setenv("_ARMDYN_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    said = shell()
    assert said.code == 0, said
    assert said.out.split() == expected
    assert said.err == ""


# ---- names, pipes


def test_json_and_tables_of_odd_names(shell: Shell, tmp_path: Path) -> None:
    name = "[red]arm[/] :x: \x7f'\""
    part = Part(f"link {name}", "base", axis=(0, 0, 1), inertia=Inertia.point(1.0, [0.3, 1.0, 0.2]), joint=f"j {name}")
    Robot.from_links([part], base="base", name=name).to_urdf(tmp_path / "arm.urdf")
    path = str(tmp_path / "arm.urdf")
    for verb in ("fk", "jacobian", "torque"):
        assert strict(shell(verb, path, "--json").out)["robot"] == name
        said = shell(verb, path, columns=300)
        assert said.code == 0, said.err
        assert "[red]arm[/] :x: \\x7f'\"" in said.out
        assert "\x7f" not in said.out
    assert "[red]arm[/] :x:" in shell("ik", path, "--xyz", "0,0,0", columns=300).out
    for to in ("screws", "zero_reference"):
        assert f"j {name[:12]}" in shell("convert", path, "--to", to, columns=300).out


READ = [("list",), ("torque", "planar_2r", "--out", "-"), ("fk", "ur5", "--json")]


@pytest.mark.parametrize("words", short_run(READ, READ[0], READ[1]))
def test_a_reader_that_goes_is_no_error(words: tuple[str, ...]) -> None:
    """As in ``armdyn list | head -1``: no traceback, nothing on standard error."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    running = subprocess.Popen(
        [sys.executable, "-m", "armdyn", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.close()
    assert running.stderr.read() == b""
    running.stderr.close()
    assert running.wait() == 1


@pytest.mark.slow
@pytest.mark.parametrize("reader", ["gone", "none"])
def test_a_motion_is_written_where_nobody_reads_of_it(tmp_path: Path, reader: str) -> None:
    """All files, as they are asked for; a shell's ``>&-`` leaves no standard output at all."""
    words = ("simulate", "planar_2r", "--duration", "0.1", "--out", "a.csv", "--out", "a.npz")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    asked = [sys.executable, "-m", "armdyn", *words]
    closing = [] if reader == "gone" else ["/bin/sh", "-c", '"$@" >&-', "sh"]
    running = subprocess.Popen(
        [*closing, *asked], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=tmp_path
    )
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.close()
    assert running.stderr.read() == b""
    running.stderr.close()
    assert running.wait() == (1 if reader == "gone" else 0)
    of_csv, of_npz = (armdyn.Trajectory.load(tmp_path / name) for name in ("a.csv", "a.npz"))
    np.testing.assert_array_equal(of_csv.q, of_npz.q)


def test_sources_are_of_the_bundled_robots() -> None:
    assert tuple(SOURCES) == armdyn.bundled_robots()
    assert inspect.getdoc(SOURCES["ur5"].__class__)
