"""The JavaScript of WebAssembly modules: in node where it is installed, in Chromium in the long run."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.program import Port, trace
from armdyn.targets.wasm import WasmModule, module
from targets.test_wasm import falling, falling_from
from targets.wasm_calls import Instance

NODE, CHROMIUM = shutil.which("node"), shutil.which("chromium")
needs_node = pytest.mark.skipif(NODE is None, reason="needs node")


def in_node(found: WasmModule, script: str, folder: Path) -> Any:
    """What a script prints as JSON; it has the module's functions as f."""
    (folder / "module.mjs").write_text(found.javascript)
    begin = 'import { load } from "./module.mjs"; const f = await load();\n'
    (folder / "script.mjs").write_text(begin + script)
    assert NODE is not None
    ended = subprocess.run([NODE, "script.mjs"], cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@needs_node
def test_states(tmp_path: Path) -> None:
    arm = armdyn.load("ur5")
    M, derivatives = arm.mass_matrix, arm.inverse_dynamics_derivatives
    q, qd, qdd = np.random.default_rng(2).uniform(-3, 3, (3, 5, 6))
    script = f"""
    const q = {q.tolist()}, qd = {qd.tolist()}, qdd = {qdd.tolist()};
    const one = f.mass_matrix(q[0]), all = f.mass_matrix(new Float64Array(q.flat()));
    const by = f.inverse_dynamics_derivatives(q, qd[0], qdd);
    const names = Object.keys(by);
    const many = f.mass_matrix(new Float64Array(6e5)); // memory grows
    const derivatives = names.map((name) => [...by[name]]), after = f.mass_matrix(q[0]);
    console.log(JSON.stringify([[...one], [...all], names, derivatives, many.length, [...after]]));
    """
    one, every, names, by, count, after = in_node(module([M.program(), derivatives.program()]), script, tmp_path)
    np.testing.assert_allclose(np.reshape(one, (6, 6)), M(q[0]), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(np.reshape(every, (5, 6, 6)), M(q), rtol=1e-12, atol=1e-13)
    assert count == 36 * 100_000
    assert after == one
    expected = derivatives(q, qd[0], qdd)
    assert tuple(names) == expected._fields
    for mine, other in zip(by, expected, strict=True):
        np.testing.assert_allclose(np.reshape(mine, other.shape), other, rtol=1e-12, atol=1e-12)


@needs_node
def test_no_states(tmp_path: Path) -> None:
    """As in NumPy: an array of no states beside arrays that all states share gives no results."""
    torques = armdyn.load("rp").inverse_dynamics.program().to_wasm(name="torques")
    script = """
    const none = f.torques([], [], new Float64Array(0)), shared = f.torques([1, 2], [], [3, 4]);
    let said = "";
    try { f.torques([1, 2, 3, 4], [], []); } catch (error) { said = error.message; }
    console.log(JSON.stringify([[...none], [...shared], said]));
    """
    none, shared, said = in_node(torques, script, tmp_path)
    assert (none, shared) == ([], [])
    assert said == "torques: q has 4 numbers; expected 2, or 2 a state"


@needs_node
def test_a_rollout(tmp_path: Path) -> None:
    rollout = falling(armdyn.load("scara"))
    arrays = falling_from()
    found = module({"fall": rollout}, sine="own")
    given = json.dumps({p.name: a.tolist() for p, a in zip(rollout.inputs, arrays, strict=True)})
    script = f"""
    const {{state, records}} = f.fall(4, {given}, 2);
    console.log(JSON.stringify([[...state.q], [...state.qd], [...records.q], [...records.energy]]));
    """
    numbers = in_node(found, script, tmp_path)
    for mine, other in zip(numbers, Instance(found).steps("fall", rollout, 4, 2, arrays), strict=True):
        np.testing.assert_array_equal(mine, other.ravel())  # armdyn's own sine: the same bits everywhere


@needs_node
def test_errors(tmp_path: Path) -> None:
    robot = armdyn.load("planar_2r")
    calls = {
        "f.M()": "M takes 1 arrays (q), not 0",
        "f.M([1, 2, 3])": "M: q has 3 numbers; expected 2, or 2 a state",
        'f.M("12")': "M: q is 12; expected numbers of shape (2)",
        "f.M([1, undefined])": "M: q has a value of type undefined in it; expected numbers of shape (2)",
        'f.M([[1, "2"]])': "M: q has a value of type string in it; expected numbers of shape (2)",
        "f.M(new Float64Array(2e8))": "M: arrays and results take 4800000000 bytes, for which there is no memory; "
        "call it with fewer states",
        "f.fall(1)": "fall: expected arrays by name: {q,qd,tau,damping}",
        "f.M({})": "M: q is [object Object]; expected numbers of shape (2)",
        "f.tau([0, 0, 0, 0], [0, 0], [0, 0, 0, 0, 0, 0])": "tau: q has 4 numbers; expected 2, or 2 a state",
        "f.fall(2, {q: [0, 0], qd: [0, 0], tau: [0, 0], damping: [0, 0]})": "fall: tau has 2 numbers; expected 4",
        "f.fall(1.5, {})": "fall: steps is 1.5; expected a whole number below 2^32",
        "f.fall(2 ** 32 + 1, {}, 2)": "fall: steps is 4294967297; expected a whole number below 2^32",
        "f.fall(1, {}, 0)": "fall: every is 0; expected 1, 2, ... below 2^32",
    }
    tries = "\n".join(f"try {{ {call} }} catch (e) {{ said.push(e.message) }}" for call in calls)
    script = f"const said = [];\n{tries}\nconsole.log(JSON.stringify(said));"
    found = module({"M": robot.mass_matrix.program(), "tau": robot.inverse_dynamics.program(), "fall": falling(robot)})
    assert in_node(found, script, tmp_path) == list(calls.values())


@needs_node
def test_names(tmp_path: Path) -> None:
    """One that makes a promise of an object, and two arrays that become one word."""
    program = trace(lambda x, y: x - y, [Port("a.b", (2,)), Port("a_b", (2,))], name="then")
    found = program.to_wasm()
    assert in_node(found, "console.log(JSON.stringify([...f.then_([3, 4], [1, 5])]));", tmp_path) == [2, -1]
    assert "then_(a_b: Numbers, a_b_2: Numbers): Float64Array;" in found.typescript
    outputs = ["</script>", "2 b"]
    pair = trace(lambda x: (x, 2 * x), [Port("x", ())], outputs, name="pair").to_wasm()
    assert "</script>" not in pair.javascript
    assert in_node(pair, "console.log(JSON.stringify(Object.keys(f.pair(1))));", tmp_path) == outputs


def test_files(tmp_path: Path) -> None:
    paths = armdyn.load("ur5").inverse_dynamics.to_wasm().write(tmp_path / "web")
    assert [path.name for path in paths] == ["inverse_dynamics.wasm", "inverse_dynamics.js", "inverse_dynamics.d.ts"]
    types = paths[2].read_text()
    assert "  /** 151m + 125a + 10t a state */\n" in types
    assert "  inverse_dynamics(q: Numbers, qd: Numbers, qdd: Numbers): Float64Array;\n" in types


PAGE = """<!doctype html><meta charset="utf-8"><title>waiting</title><pre id="out"></pre>
<script type="module">
{script}
const f = await load();
document.getElementById("out").textContent = JSON.stringify(Array.from(f.inverse_dynamics(...STATE)));
</script>"""


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None or sys.platform != "linux", reason="needs Debian's Chromium")
def test_in_chromium_from_disk(tmp_path: Path) -> None:
    """A page that is opened from disk, with no server."""
    f = armdyn.load("ur5").inverse_dynamics
    state = np.random.default_rng(4).uniform(-2, 2, (3, 6))
    script = f.to_wasm().javascript + f"\nconst STATE = {state.tolist()};\n"
    page = tmp_path / "page.html"
    page.write_text(PAGE.replace("{script}", script))
    flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--virtual-time-budget=9000",
    ]
    command = [CHROMIUM, *flags, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page.as_uri()]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    numbers = ended.stdout.split('<pre id="out">')[1].split("</pre>")[0]
    np.testing.assert_allclose(json.loads(numbers), f(*state), rtol=1e-12)
