"""Live pages in Chromium: their numbers beside NumPy's, the fall beside armdyn.simulate, what is drawn and logged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import ellipsoids
from armdyn.constraints import PointOnLine
from armdyn.robot import Robot
from armdyn.simulation import Constraints, RungeKutta4, named_method
from page.browser import chromium, opened, until

BENT = [0.3, -1.2, 1.4, -0.7, 1.1, 0.2]
HOSTILE = "</script><img src=x onerror='window.broken=1'><b>"


@pytest.fixture(scope="module")
def ur5(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The page of the UR5."""
    with opened(browser, written(armdyn.load("ur5"), tmp_path_factory.mktemp("ur5"))) as page:
        yield page


def written(robot: Robot, folder: Path) -> Path:
    return robot.to_page().write(folder / "arm.html")


def listed(page: Any, expression: str) -> np.ndarray:
    return np.array(page.evaluate(f"Array.from({expression})"), dtype=float)


def slide(page: Any, k: int, value: float) -> None:
    """Move the slider of a joint, degrees or metres."""
    page.evaluate(
        "([k, value]) => { const slider = document.querySelectorAll('#joints input[type=range]')[k];"
        " slider.value = value; slider.dispatchEvent(new Event('input')); }",
        [k, value],
    )


def numbers(texts: list[str]) -> np.ndarray:
    return np.array([text.replace("\u2212", "-") for text in texts], dtype=float)


def test_numbers_at_a_place_of_the_sliders(ur5: Any) -> None:
    robot, q = armdyn.load("ur5"), np.array([0.5, -1.1, 0.8, 2.2, -0.4, 0.9])
    for k, value in enumerate(np.degrees(q)):
        slide(ur5, k, value)
    now = listed(ur5, "armdyn.state.q")
    np.testing.assert_allclose(now, q, atol=1e-12)
    M, g, T = (listed(ur5, f"armdyn.now().at.{each}") for each in ("mass_matrix", "gravity_forces", "tip_pose"))
    np.testing.assert_allclose(M, robot.mass_matrix(now).ravel(), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(g, robot.gravity_forces(now), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(T, robot.forward_kinematics(now).ravel(), rtol=1e-12, atol=1e-12)
    assert ur5.evaluate("armdyn.drawing") == "WebGlDrawing"
    assert ur5.evaluate("armdyn.disagreement") < 1e-13
    held = f"{g[1]:.3f}".replace("-", "\u2212")  # of the second joint, in the picture after the last slider
    until(ur5, f"document.querySelectorAll('#forces td.number:not(.share)')[3].innerText === '{held}'")
    assert ur5.evaluate("document.querySelector('#joints input[type=number]').value") == f"{np.degrees(now[0]):.1f}"
    shown = numbers(ur5.locator("#forces td.number:not(.share)").all_inner_texts()).reshape(-1, 3)
    np.testing.assert_allclose(shown[:, 0], g, atol=6e-4)
    cells = numbers(ur5.locator("#mass .matrix span").all_inner_texts())
    np.testing.assert_allclose(cells, M, rtol=0.05, atol=1e-12)
    position = numbers(ur5.locator("#tip dd").first.inner_text().split())
    np.testing.assert_allclose(position, T.reshape(4, 4)[:3, 3], atol=6e-5)


def test_ellipsoids(ur5: Any) -> None:
    """Their semi-axes are those of armdyn.ellipsoids."""
    robot = armdyn.load("ur5")
    ur5.evaluate("(q) => armdyn.set(q)", BENT)
    expected = {"velocity": ellipsoids.velocity, "force": ellipsoids.force, "acceleration": ellipsoids.tip_acceleration}
    for name, made in expected.items():
        lengths = np.sort(listed(ur5, f"armdyn.now().ellipsoids.{name}.lengths"))
        np.testing.assert_allclose(lengths, np.sort(made(robot, BENT).lengths), rtol=1e-10)
        before = ur5.evaluate("armdyn.frames")
        ur5.locator("#layers").get_by_role("button", name=name).click()
        until(ur5, f"armdyn.scene.layers.{name} && armdyn.frames > {before}")


def test_the_tip_is_dragged(ur5: Any) -> None:
    """Inverse kinematics in the page: the tip goes with the pointer in the plane of the screen, and keeps its turn."""
    robot = armdyn.load("ur5")
    ur5.evaluate("(q) => armdyn.set(q)", BENT)
    before = robot.forward_kinematics(BENT)
    box = ur5.locator("#view").bounding_box()
    x, y = ur5.evaluate("(p) => armdyn.camera.placeOf(p)", before[:3, 3].tolist())
    right, above, metres = ur5.evaluate("(p) => armdyn.camera.plane(p)", before[:3, 3].tolist())
    ur5.mouse.move(box["x"] + x, box["y"] + y)
    until(ur5, "armdyn.scene.held")
    ur5.mouse.down()
    ur5.mouse.move(box["x"] + x + 40, box["y"] + y + 25, steps=8)
    ur5.mouse.up()
    q = listed(ur5, "armdyn.state.q")
    after = robot.forward_kinematics(q)
    goal = before[:3, 3] + metres * (40 * np.array(right) - 25 * np.array(above))
    np.testing.assert_allclose(after[:3, 3], goal, atol=2e-4)
    np.testing.assert_allclose(after[:3, :3], before[:3, :3], atol=2e-3)
    assert np.linalg.norm(goal - before[:3, 3]) > 0.05
    ur5.mouse.move(box["x"] + 5, box["y"] + box["height"] - 5)
    until(ur5, "!armdyn.scene.held")


def test_inverse_kinematics_keep_the_limits(browser: Any, tmp_path: Path) -> None:
    """A point out of reach brings the arm next to it, with no joint beyond its limit."""
    limits = {"joint_1": armdyn.Limits(-0.5, 0.5), "joint_2": armdyn.Limits(-1.0, 0.1), "joint_3": armdyn.Limits(-2, 2)}
    arm = armdyn.load("planar_3r").with_limits(limits)
    with opened(browser, written(arm, tmp_path)) as page:
        point = [11.0, 3.0, 0.0]
        q = np.array(page.evaluate("(point) => Array.from(armdyn.towards(point))", point))
    assert (q >= arm.lower).all()
    assert (q <= arm.upper).all()
    grid = np.stack(np.meshgrid(*(np.linspace(*ends, 41) for ends in zip(arm.lower, arm.upper, strict=True))), -1)
    distance = np.linalg.norm(arm.forward_kinematics(grid.reshape(-1, 3))[:, :3, 3] - point, axis=1)
    reach = np.linalg.norm(arm.forward_kinematics(np.zeros(3))[:3, 3])
    assert np.linalg.norm(arm.forward_kinematics(q)[:3, 3] - point) < distance.min() + 0.005 * reach


@pytest.mark.parametrize("method", ["semi_implicit_euler", "rk4"])
def test_the_fall_is_that_of_simulate(ur5: Any, method: str) -> None:
    expected = armdyn.simulate(armdyn.load("ur5"), BENT, duration=1.0, method=named_method(method, step=1e-3))
    ur5.evaluate("(q) => { armdyn.set(q); armdyn.fall.stopped = armdyn.fall.damped = false; }", BENT)
    ur5.evaluate("(method) => { armdyn.fall.method = method; }", method)
    ur5.evaluate("for (let k = 0; k < 100; k++) { armdyn.fall.step(10); armdyn.fall.record(); }")
    np.testing.assert_allclose(listed(ur5, "armdyn.state.q"), expected.q[-1], atol=1e-10)
    np.testing.assert_allclose(listed(ur5, "armdyn.state.qd"), expected.qd[-1], atol=1e-9)
    drift, total = listed(ur5, "armdyn.fall.drift"), listed(ur5, "armdyn.fall.total")
    assert len(drift) == 101
    np.testing.assert_allclose(drift, expected.energy.drift[::10], atol=1e-9)
    np.testing.assert_allclose(total, expected.energy.total[::10], atol=1e-9)


def test_the_fall_of_joints_that_rub(browser: Any, tmp_path: Path) -> None:
    """The loop's states heat and bristles, of friction with a state of its own."""
    from armdyn.actuators import Actuator, LuGre, Viscous

    law = LuGre(40.0, 0.8, 0.1, static=1.5, kinetic=1.0, speed=0.1)
    arm = armdyn.load("planar_2r").with_actuators({"joint_1": Actuator(friction=[law, Viscous(0.2)])})
    expected = armdyn.simulate(arm, BENT[:2], duration=0.5, method=RungeKutta4(step=1e-3))
    with opened(browser, written(arm, tmp_path)) as page:
        page.evaluate("(q) => { armdyn.set(q); armdyn.fall.stopped = armdyn.fall.damped = false; }", BENT[:2])
        page.evaluate(
            "armdyn.fall.method = 'rk4'; for (let k = 0; k < 50; k++) armdyn.fall.step(10); armdyn.fall.record()"
        )
        np.testing.assert_allclose(listed(page, "armdyn.state.q"), expected.q[-1], atol=1e-10)
        np.testing.assert_allclose(listed(page, "armdyn.fall.bristles"), expected.signals["bristles"][-1], atol=1e-12)
        np.testing.assert_allclose(listed(page, "armdyn.fall.drift")[-1], expected.energy.drift[-1], atol=1e-9)


def test_joints_that_friction_holds_in_the_fall(browser: Any, tmp_path: Path) -> None:
    """They do not accelerate; their friction is what gravity and the other joints take, as of armdyn.simulate."""
    arm = armdyn.load("planar_2r").with_friction({"joint_1": (0.0, 60.0), "joint_2": (0.0, 0.5)})
    expected = armdyn.simulate(arm, [0.3, 0.2], duration=0.2, method=RungeKutta4(step=1e-3))
    with opened(browser, written(arm, tmp_path)) as page:
        page.evaluate("armdyn.set([0.3, 0.2]); armdyn.fall.stopped = false; armdyn.fall.step(200)")
        np.testing.assert_allclose(listed(page, "armdyn.state.qdd"), expected.qdd[-1], rtol=1e-8)
        rows = [listed(page, f"armdyn.forces.of(armdyn.now(), {k})") for k in (0, 1)]
        assert expected.qdd[-1, 0] == rows[0][3] == 0.0
        np.testing.assert_allclose([row[2] for row in rows], expected.signals["friction"][-1], rtol=1e-7)
        page.evaluate("armdyn.set([0.3, 0.2])")
        assert page.evaluate("armdyn.now().held") is None


def test_the_fall_of_a_flexible_arm(browser: Any, tmp_path: Path) -> None:
    """Rotors, links and springs have the energy, which stays what it is."""
    from armdyn.actuators import Actuator, Gear, Motor, Spring

    drive = Actuator(Motor(rotor_inertia=2e-5), Gear(100.0), spring=Spring(300.0))
    arm = armdyn.load("planar_2r").with_actuators({"joint_1": drive})
    expected = armdyn.simulate(arm, BENT[:2], duration=0.5, method=RungeKutta4(step=1e-3))
    with opened(browser, written(arm, tmp_path)) as page:
        page.evaluate("(q) => { armdyn.set(q); armdyn.fall.stopped = armdyn.fall.damped = false; }", BENT[:2])
        page.evaluate(
            "armdyn.fall.method = 'rk4'; for (let k = 0; k < 50; k++) armdyn.fall.step(10); armdyn.fall.record()"
        )
        np.testing.assert_allclose(listed(page, "armdyn.state.q"), expected.q[-1], atol=1e-10)
        np.testing.assert_allclose(listed(page, "armdyn.fall.total")[-1], expected.energy.total[-1], atol=1e-9)
        np.testing.assert_allclose(listed(page, "armdyn.fall.drift")[-1], expected.energy.drift[-1], atol=1e-9)


def test_a_phone_and_a_dark_room(ur5: Any) -> None:
    """Nothing is wider than the window; the colours are those of the scheme."""
    backs = set()
    ur5.set_viewport_size({"width": 390, "height": 844})
    for scheme in ("light", "dark"):
        ur5.emulate_media(color_scheme=scheme)
        assert ur5.evaluate("document.documentElement.scrollWidth") <= 390
        chips = [box["y"] for box in (one.bounding_box() for one in ur5.locator("#layers button").all())]
        assert len(set(chips)) == 1
        backs.add(ur5.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(backs) == 2
    ur5.evaluate("window.scrollTo(0, 900)")
    until(ur5, "Math.abs(document.querySelector('.view').getBoundingClientRect().top) < 2")
    ur5.evaluate("window.scrollTo(0, 0)")
    ur5.set_viewport_size({"width": 1000, "height": 600})
    ur5.emulate_media(color_scheme="light")


def test_numbers_are_not_cut(browser: Any, tmp_path: Path) -> None:
    """M(q) and joint forces of eight joints in a window of 1280 pixels and on a phone, still and as they fall."""
    inertia, limits = armdyn.Inertia(3.0, (0.05, 0.02, 0.01), np.eye(3) * 1e-2), armdyn.Limits(-2, 2, 3, 150)
    names = [f"a_long_name_of_link_{k}" for k in range(8)]
    chain = zip(names, ["base", *names], [(k % 2, 0, 1 - k % 2) for k in range(8)], strict=False)
    parts = [
        armdyn.Part(name, parent, axis=axis, xyz=(0.2, 0.1, 0.0), inertia=inertia, limits=limits)
        for name, parent, axis in chain
    ]
    arm = Robot.from_links(parts, name="long")
    arm = arm.with_friction(dict.fromkeys(arm.joint_names, (0.2, 0.1)))
    cut = """[...document.querySelectorAll('#mass .matrix span, #forces td.number')].filter((cell) => {
      const range = document.createRange(), box = (one) => one.getBoundingClientRect();
      range.selectNodeContents(cell);
      const text = box(range), card = box(cell.closest('.card')), own = box(cell);
      const cut = text.left < own.left - 0.5 || text.right > own.right + 0.5 || own.right > card.right;
      return cell.offsetParent && (cut || !cell.textContent);
    }).map((cell) => cell.textContent)"""
    with opened(browser, written(arm, tmp_path)) as page:
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 800})
            page.get_by_role("button", name="Let it fall").click()
            until(page, "armdyn.fall.time > 0.3")
            page.get_by_role("button", name="Pause").click()
            assert page.evaluate(cut) == []
            page.get_by_role("button", name="reset").click()
        friction = listed(
            page, "armdyn.functions.moving(armdyn.state.q, armdyn.state.q, armdyn.state.qdd).friction_forces"
        )
        q = listed(page, "armdyn.state.q")
        np.testing.assert_allclose(friction, arm.friction_forces(q, q), rtol=1e-12)


def test_a_four_bar_falls_with_its_loop_closed(browser: Any, tmp_path: Path) -> None:
    """The fall of `armdyn.simulate` with projection; a slider moves the crank and the loop with it, or nothing."""
    arm, q = armdyn.load("planar_3r"), np.array([1.2, -1.0, -1.1])
    pin = PointOnLine("tip", (0.0, 0.0, 1.0), tuple(arm.forward_kinematics(q)[:3, 3]))
    loop = arm.with_constraints(pin)
    kept = Constraints(project=True)
    expected = armdyn.simulate(loop, q, duration=0.5, method=RungeKutta4(step=1e-3), elements=[kept])
    with opened(browser, loop.to_page(q=q).write(tmp_path / "loop.html")) as page:
        page.evaluate("armdyn.fall.stopped = false; armdyn.fall.begin()")
        page.evaluate("for (let k = 0; k < 50; k++) armdyn.fall.step(10); armdyn.fall.record()")
        np.testing.assert_allclose(listed(page, "armdyn.state.q"), expected.q[-1], atol=1e-9)
        np.testing.assert_allclose(listed(page, "armdyn.state.qd"), expected.qd[-1], atol=1e-9)
        np.testing.assert_allclose(listed(page, "armdyn.state.qdd"), expected.qdd[-1], atol=1e-7)
        np.testing.assert_allclose(listed(page, "armdyn.fall.drift")[-1], expected.energy.drift[-1], atol=1e-7)
        page.evaluate("(q) => armdyn.set(q)", q.tolist())
        for turned in (-0.1, -0.25, -0.7):
            slide(page, 0, np.degrees(q[0] + turned))
            now = listed(page, "armdyn.state.q")
            assert now[0] == pytest.approx(q[0] + turned, abs=1e-7)
            assert np.abs(loop.constraint_error(now)).max() < 1e-9
        slide(page, 0, 150.0)  # the links do not reach that far: at 1.37 rad they are in line
        now = listed(page, "armdyn.state.q")
        assert now[0] < 1.371
        assert np.abs(loop.constraint_error(now)).max() < 1e-9
        page.get_by_role("button", name="Let it fall").click()
        until(page, "armdyn.fall.time > 0.3")
        assert np.abs(loop.constraint_error(listed(page, "armdyn.state.q"))).max() < 1e-9


def test_let_it_fall(browser: Any, tmp_path: Path) -> None:
    """The button starts it, pauses it; reset brings the arm back; damping takes energy that the account knows.

    Names that are markup elsewhere are text, and an axis without bounds is told.
    """
    arm = armdyn.load("planar_2r").renamed({"joint_1": HOSTILE}, name=HOSTILE)
    with opened(browser, written(arm, tmp_path)) as page:
        assert page.locator("h1").inner_text() == HOSTILE
        assert page.locator("#joints .name").first.inner_text() == HOSTILE
        assert page.evaluate("window.broken") is None
        assert page.locator("img").count() == 0
        assert page.evaluate("armdyn.now().ellipsoids.force.lengths[2]") is None
        assert "no bound" in page.locator("#tip").inner_text()
        start = listed(page, "armdyn.state.q")
        page.get_by_label("damping").check()
        assert page.get_by_label("integrator").input_value() == "rk4"
        page.get_by_role("button", name="Let it fall").click()
        until(page, "armdyn.fall.time > 0.3")
        assert re.search(r"plays at \d\.\d\d \S the true rate · t = ", page.locator(".clock").inner_text())
        page.get_by_role("button", name="Pause").click()
        assert np.abs(listed(page, "armdyn.state.q") - start).max() > 0.01
        work, drift, total = (listed(page, f"armdyn.fall.{each}") for each in ("works", "drift", "total"))
        assert work[-1] < 0.0
        assert total[-1] < total[0]
        assert np.abs(drift).max() < 1e-3 * np.ptp(total)
        page.get_by_role("button", name="reset").click()
        np.testing.assert_array_equal(listed(page, "armdyn.state.q"), start)


def test_speeds_and_accelerations_make_forces(browser: Any, tmp_path: Path) -> None:
    """Of an arm that turns and slides."""
    robot = armdyn.load("rp")
    with opened(browser, written(robot, tmp_path)) as page:
        page.get_by_role("button", name="speeds").click()
        page.get_by_label("speed of joint joint_1").fill("90")
        page.get_by_label("acceleration of joint joint_2").fill("0.5")
        page.keyboard.press("Tab")
        q, qd, qdd = (listed(page, f"armdyn.state.{each}") for each in ("q", "qd", "qdd"))
        np.testing.assert_allclose([*qd, *qdd], [np.pi / 2, 0, 0, 0.5], rtol=1e-15)
        tau = listed(page, "armdyn.now().moving.inverse_dynamics")
        np.testing.assert_allclose(tau, robot.inverse_dynamics(q, qd, qdd), rtol=1e-12)


@pytest.mark.slow
def test_without_webgl(playwright: Any, tmp_path: Path) -> None:
    """The arm is still drawn, by lines on a plain canvas."""
    path = written(armdyn.load("planar_2r"), tmp_path)
    with chromium(playwright, "--disable-gpu", "--disable-3d-apis") as plain, opened(plain, path) as page:
        assert page.evaluate("armdyn.drawing") == "FlatDrawing"
        inked = page.evaluate("""(() => {
          const canvas = document.getElementById("view");
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return data.filter((value, k) => k % 4 === 3 && value > 0).length;
        })()""")
        assert inked > 3000
