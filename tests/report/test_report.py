"""Reports: their numbers are those of the motion, what is beyond limits is marked, logs are read, PDFs are printed."""

from __future__ import annotations

import re
import shutil
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import Limits, actuators
from armdyn.actuators import Actuator, Gear, Motor
from armdyn.base import browser
from armdyn.base.errors import ShapeError, UnknownName
from armdyn.logs import LogError
from armdyn.report import ReportError
from armdyn.report.account import joint_accounts
from armdyn.robot import Robot
from armdyn.simulation import Trajectory
from oracles.shell import Shell


class Cells(HTMLParser):
    """The cells of the tables as text, those with the mark of a passed limit, and addresses."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.beyond: list[str] = []
        self.addresses: list[str] = []
        self.tags: list[str] = []
        self._class: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = dict(attrs)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag == "td":
            self._class = found.get("class") or ""
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "td":
            if "beyond" in (self._class or ""):
                self.beyond.append(self.cells[-1])
            self._class = None

    def handle_data(self, data: str) -> None:
        if self._class is not None:
            self.cells[-1] += data


@pytest.fixture(scope="module")
def arm() -> Robot:
    limits = {"joint_1": Limits(-0.3, 1.0, 2.0, 5.0), "joint_2": Limits(-9.0, 9.0, 90.0, 90.0)}
    return armdyn.load("planar_2r").with_limits(limits)


@pytest.fixture(scope="module")
def driven(arm: Robot) -> Trajectory:
    """Under constant torques, beyond some limits."""
    return armdyn.simulate(arm, [0.0, 0.5], duration=1.0, torque=[7.0, -2.0])


def test_accounts_are_those_of_the_motion(arm: Robot, driven: Trajectory) -> None:
    one, other = joint_accounts(driven, arm)
    assert (one.strongest, other.strongest) == (7.0, 2.0)
    assert one.rms == pytest.approx(7.0, rel=1e-12)
    assert one.lowest == driven.q[:, 0].min()
    assert other.fastest == np.abs(driven.qd[:, 1]).max()
    work = sum(account.delivered - account.absorbed_energy for account in (one, other))
    assert work == pytest.approx(float(driven.energy.work[-1]), rel=1e-4)  # trapezia beside the integrator's own


def test_limits_that_were_passed(arm: Robot, driven: Trajectory) -> None:
    found = armdyn.simulation.limits_passed(arm, driven.t, driven.q, driven.qd, driven.tau)
    passed = {(one.joint, one.quantity): one for one in found}
    low = passed["joint_1", "position"]
    beyond = driven.q[:, 0] < -0.3
    assert low.reached == driven.q[:, 0].min()
    assert low.since == driven.t[beyond.argmax()]
    assert low.lasts == pytest.approx(beyond.mean(), abs=2e-3)
    assert low.at == driven.t[driven.q[:, 0].argmin()]
    assert passed["joint_1", "effort"].limit == 5.0
    assert not any(joint == "joint_2" for joint, _ in passed)


def test_the_document(arm: Robot, driven: Trajectory, tmp_path: Path) -> None:
    report = driven.report(tmp_path / "motion.html", robot=arm)
    text = (tmp_path / "motion.html").read_text(encoding="utf-8")
    assert text == report.html
    cells = Cells(text)
    assert cells.addresses == ["data:,"] or all(a.startswith(("data:", "#")) for a in cells.addresses)
    licence = "https://github.com/leeoniya/uPlot"  # in a comment
    assert not re.search(r"(?<!xmlns=\")(?<!xlink=\")https?://(?!www\.w3\.org|matplotlib)", text.replace(licence, ""))
    assert cells.tags.count("svg") == 2
    assert "7" in cells.beyond
    assert len(cells.beyond) == 3 if np.abs(driven.qd[:, 0]).max() > 2.0 else 2
    assert arm.model.digest in text
    assert driven.report(robot=arm).html == report.html  # nothing in it is of the day


@pytest.mark.usefixtures("without_pictures")
def test_the_document_has_the_page_of_the_motion(arm: Robot, driven: Trajectory) -> None:
    """In a frame, every name of it escaped; the PDF is printed without it."""
    from armdyn.report.document import _for_print

    html = driven.report(robot=arm).html
    (frame,) = re.findall(r'<iframe class="motion" [^>]*srcdoc="([^"]*)"></iframe>', html)
    assert unescape(frame) == driven.page(robot=arm).html
    printed = _for_print(html)
    assert "<iframe" not in printed
    assert "<script" not in printed
    assert Cells(printed).cells == Cells(html).cells


@pytest.mark.usefixtures("without_pictures")
def test_the_document_lists_actuators_damping_and_friction() -> None:
    from armdyn.actuators import Actuator, Coulomb, Gear, Motor, MotorLimits

    motor = Motor(rotor_inertia=1e-4, torque_constant=0.05, limits=MotorLimits(voltage=24.0))
    drive = Actuator(motor, Gear(100.0, efficiency=0.8), [Coulomb(1.25)])
    robot = armdyn.load("planar_2r").with_friction({"joint_1": (0.625, 0.375)}).with_actuators({"joint_2": drive})
    motion = armdyn.simulate(robot, [0.0, 0.5], duration=0.1)
    for html in (motion.report(robot=robot).html, robot.to_page().html):
        assert "<h3>Actuators</h3>" in html
        assert "<td>joint_2</td><td>Motor</td><td>rotor_inertia 0.0001, torque_constant 0.05</td>" in html
        assert "<td>joint_2</td><td>MotorLimits</td><td>voltage 24</td>" in html
        assert "<td>joint_2</td><td>Gear</td><td>ratio 100, efficiency 0.8</td>" in html
        assert "<td>joint_2</td><td>Coulomb</td><td>size 1.25</td>" in html
        assert '<td class="number">0.625</td><td class="number">0.375</td>' in html
    assert "<h3>Actuators</h3>" not in armdyn.load("planar_2r").to_page().html


@pytest.mark.usefixtures("without_pictures")
def test_names_are_text(driven: Trajectory, arm: Robot) -> None:
    hostile = "</script><img src=x onerror=alert(1)>"
    named = arm.renamed({"joint_1": hostile}, name=hostile)
    motion = armdyn.simulate(named, [0.0, 0.5], duration=0.1)
    cells = Cells(motion.report(robot=named, title=hostile).html)
    assert "img" not in cells.tags
    assert hostile in cells.cells


@pytest.mark.usefixtures("without_pictures")
def test_without_a_robot(driven: Trajectory) -> None:
    text = driven.report().html
    assert "nothing is said of its limits" in text
    assert "not known" in text


@pytest.mark.usefixtures("without_pictures")
def test_what_is_refused(arm: Robot, driven: Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = armdyn.simulate(arm, [[0.0, 0.5], [0.1, 0.2]], duration=0.1)
    with pytest.raises(ReportError, match=r"batch \(2,\); choose one: trajectory.pick\(0\).report"):
        batch.report()
    with pytest.raises(ShapeError, match="Give the robot that was simulated"):
        driven.report(robot=armdyn.load("ur5"))
    with pytest.raises(ReportError, match=r"ends in \.html, \.htm, \.pdf"):
        driven.report(tmp_path / "motion.docx")
    with pytest.raises(ReportError, match="cannot be written"):
        driven.report(tmp_path / "missing" / "motion.html")
    monkeypatch.setattr(browser, "NAMES", ("no-such-browser",))
    with pytest.raises(ReportError, match=r"none was found: install Chromium.* write the report as \.html"):
        driven.report(tmp_path / "motion.pdf")


@pytest.mark.usefixtures("without_pictures")
def test_a_browser_that_fails_is_told(driven: Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = tmp_path / "browser"
    failing.write_text("#!/bin/sh\necho cannot open display >&2\nexit 3\n")
    failing.chmod(0o755)
    monkeypatch.setattr(browser, "NAMES", (str(failing),))
    with pytest.raises(ReportError, match=r"printed no PDF \(exit code 3\): cannot open display"):
        driven.report(tmp_path / "motion.pdf")


def test_pdf(driven: Trajectory, arm: Robot, tmp_path: Path) -> None:
    if not any(map(shutil.which, browser.NAMES)):
        pytest.skip("needs Chromium")
    driven.report(tmp_path / "motion.pdf", robot=arm)
    content = (tmp_path / "motion.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert len(content) > 20_000


# ---- logs


def log(path: Path, columns: dict[str, Any]) -> Path:
    table = np.column_stack(list(columns.values()))
    np.savetxt(path, table, delimiter=",", header=",".join(columns), comments="", fmt="%.17g")
    return path


@pytest.mark.slow
def test_a_log_is_the_motion(tmp_path: Path) -> None:
    """Positions in degrees over milliseconds: rates from the spline, forces from inverse dynamics."""
    arm, t = armdyn.load("planar_2r"), np.linspace(0.5, 2.5, 401)
    q = np.stack([np.sin(2 * t), 0.5 * np.cos(3 * t)], axis=-1)
    qd = np.stack([2 * np.cos(2 * t), -1.5 * np.sin(3 * t)], axis=-1)
    qdd = np.stack([-4 * np.sin(2 * t), -4.5 * np.cos(3 * t)], axis=-1)
    columns = {"t [ms]": 1000 * t, "q_joint_2 [deg]": np.degrees(q[:, 1]), "q_joint_1 [deg]": np.degrees(q[:, 0])}
    motion = armdyn.Trajectory.from_log(log(tmp_path / "log.csv", columns), arm)
    np.testing.assert_allclose(motion.t, t, rtol=1e-14)
    np.testing.assert_allclose(motion.q, q, atol=1e-14)
    np.testing.assert_allclose(motion.qd, qd, atol=1e-8)
    np.testing.assert_allclose(motion.tau, arm.inverse_dynamics(q, qd, qdd), atol=1e-4)
    assert np.abs(motion.energy.drift).max() < 1e-3  # the work is summed by trapezia
    assert len(motion.notes) == 2
    assert "Motion of planar_2r" in motion.report(robot=arm).html


def test_recorded_forces_are_kept(tmp_path: Path) -> None:
    arm, t = armdyn.load("rp"), np.linspace(0.0, 1.0, 21)
    columns = {
        "q_joint_1": 0.1 * t,
        "q_joint_2 [mm]": 1000.0 + 0.0 * t,
        "tau_joint_1 [N mm]": 5.0 + t,
        "tau_joint_2": t,
    }
    motion = armdyn.Trajectory.from_log(log(tmp_path / "log.csv", columns), arm, rate=20.0)
    np.testing.assert_allclose(motion.t, t, atol=1e-15)
    np.testing.assert_allclose(motion.tau, np.stack([(5.0 + t) / 1000.0, t], axis=-1), rtol=1e-14)
    np.testing.assert_allclose(motion.q[:, 1], 1.0, rtol=1e-14)
    assert any("as recorded" in note for note in motion.notes)


@pytest.mark.parametrize("rows", [3, 4, 5, 6])
def test_a_short_log(tmp_path: Path, rows: int) -> None:
    """A parabola comes back exactly from three rows on."""
    t = np.arange(rows) * 0.1
    columns = {"t": t, "q_joint_1": t, "q_joint_2": 1.0 + 2.0 * t}
    motion = armdyn.Trajectory.from_log(log(tmp_path / "log.csv", columns), armdyn.load("rp"))
    np.testing.assert_allclose(motion.qd, np.tile([1.0, 2.0], (rows, 1)), rtol=1e-12)


def test_logs_that_are_refused(tmp_path: Path) -> None:
    arm, t = armdyn.load("rp"), np.linspace(0.0, 1.0, 5)
    q = {"q_joint_1": t, "q_joint_2": 1.0 + t}
    path = tmp_path / "log.csv"
    with pytest.raises(LogError, match=r"log.csv:1 has no column t.* --rate HZ"):
        armdyn.Trajectory.from_log(log(path, q), arm)
    with pytest.raises(LogError, match="has a column t, and rate=10 Hz is given too"):
        armdyn.Trajectory.from_log(log(path, {"t": t, **q}), arm, rate=10.0)
    with pytest.raises(LogError, match="rate"):
        armdyn.Trajectory.from_log(log(path, q), arm, rate=-1.0)
    with pytest.raises(LogError, match="has 1 rows of numbers, without 4 that were left out"):
        armdyn.Trajectory.from_log(log(path, {"t": 0.0 * t, **q}), arm)
    with pytest.raises(LogError, match="has 2 rows of numbers"):
        armdyn.Trajectory.from_log(log(path, {"t": t[:2], "q_joint_1": t[:2], "q_joint_2": t[:2]}), arm)
    with pytest.raises(LogError, match="no column q_joint_2"):
        armdyn.Trajectory.from_log(log(path, {"t": t, "q_joint_1": t}), arm)
    with pytest.raises(UnknownName, match="no column 'q_elbow'"):
        armdyn.Trajectory.from_log(log(path, {"t": t, "q_joint_1": t, "q_elbow": t}), arm)
    lost = {"qd_joint_1": np.where(t < 0.6, np.nan, t), "qd_joint_2": t}
    with pytest.raises(LogError, match="has 2 rows of numbers, without 3 that were left out"):
        armdyn.Trajectory.from_log(log(path, {"t": t, **q} | lost), arm)


@pytest.mark.usefixtures("without_pictures")
def test_the_command_names_limits_that_were_passed(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    joints = armdyn.load("ur5").joint_names
    log(Path("arm.csv"), {"t": np.arange(5.0), **{f"q_{joint}": 3.0 * np.arange(5.0) for joint in joints}})
    said = shell("report", "arm.csv", "--robot", "ur5")
    assert said.code == 0, said.err
    assert "limit: shoulder_pan_joint: position 12 rad at 4 s; first at 3 s, 1.5 s in all; limit 6.283 rad" in said.err
    assert said.err.count("limit: ") >= 6


def test_the_command(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    armdyn.simulate(armdyn.load("planar_2r"), [0.0, 0.5], duration=0.1).save("fall.npz")
    said = shell("report", "fall.npz")
    assert said.code == 0, said.err
    assert "fall.html: " in said.out
    assert "The robot planar_2r" in Path("fall.html").read_text(encoding="utf-8")  # a bundled one is known by its name
    log(Path("log.csv"), {"q_joint_1": np.arange(5.0), "q_joint_2": np.ones(5)})
    said = shell("report", "log.csv")
    assert said.code == 2
    assert "--robot ROBOT" in said.err
    said = shell("report", "log.csv", "--robot", "rp")
    assert said.code == 2
    assert "--rate HZ" in said.err
    said = shell("report", "log.csv", "--robot", "rp", "--rate", "100", "-o", "out/log.html", "--title", "Ramp")
    assert said.code == 0, said.err
    assert "<h1>Ramp</h1>" in Path("out/log.html").read_text(encoding="utf-8")
    assert shell("report", "missing.csv").code == 2
    assert shell("report", "fall.npz", "-o", "fall.docx").code == 2
    assert "leave --rate out" in shell("report", "fall.npz", "--rate", "5").err
    for option, text in (
        ("--base", "link_1"),
        ("--lock", "joint_1=0"),
        ("--gravity", "0,0,0"),
        ("--actuators", "a.yaml"),
    ):
        said = shell("report", "fall.npz", option, text)
        assert f"{option} is of a robot, and none is named; expected --robot ROBOT too" in said.err
    assert "--payload is of a robot, and none is named" in shell("report", "fall.npz", "--payload", "1").err
    said = shell("report", "fall.npz", "--robot", "rp", "--payload", "{com: [0, 0, 1]}")
    assert "--payload: payload has no mass" in said.err
    assert "payload.mass is '2m', in m" in shell("report", "fall.npz", "--robot", "rp", "--payload", "2m").err


LOSSY = Actuator(Motor(2e-5), Gear(100.0, efficiency=0.7, back_efficiency=0.5))
GEARED = armdyn.load("planar_2r").with_actuators({"joint_1": LOSSY, "joint_2": LOSSY})
LOAD = armdyn.Inertia(2.0, (0.1, 0.0, 0.0), np.zeros((3, 3)))


def recorded(robot: Robot, path: Path) -> Path:
    """A log with all there is of a motion, whose torques are those of the equations."""
    t = np.linspace(0.0, 1.0, 401)
    q, qd = np.stack([np.sin(t), np.cos(2 * t)], -1), np.stack([np.cos(t), -2 * np.sin(2 * t)], -1)
    qdd = np.stack([-np.sin(t), -4 * np.cos(2 * t)], -1)
    values = {"q": q, "qd": qd, "qdd": qdd, "tau": robot.inverse_dynamics(q, qd, qdd)}
    columns = {f"{name}_joint_{k + 1}": value[:, k] for name, value in values.items() for k in range(2)}
    return log(path, {"t": t, **columns})


def test_a_log_of_joints_whose_friction_depends_on_the_load(tmp_path: Path) -> None:
    """The accelerations of the log give the loads, by which the account is closed to the error of the trapezia."""
    motion = armdyn.Trajectory.from_log(recorded(GEARED, tmp_path / "log.csv"), GEARED)
    assert abs(motion.energy.drift).max() < 1e-4 * motion.energy.scale
    taken = GEARED.friction_forces(motion.q, motion.qd, motion.qdd)
    assert abs(taken).max() > 1.0  # N m
    without = armdyn.Trajectory.from_log(tmp_path / "log.csv", GEARED.without_friction())
    assert abs(without.energy.drift).max() > 0.1 * without.energy.scale


@pytest.mark.usefixtures("without_pictures")
def test_the_command_takes_the_options_of_robots(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the gravity, the load and the drives that it moved with, a log's account is closed, and else it is not."""
    monkeypatch.chdir(tmp_path)
    actuators.write({"joint_1": LOSSY, "joint_2": LOSSY}, "drives.yaml")
    recorded(GEARED.with_gravity((0, -4.0, 0)).with_payload(LOAD), Path("log.csv"))
    moved = ("--gravity", "0,-4,0", "--payload", "{mass: 2, com: [100mm, 0, 0]}", "--actuators", "drives.yaml")

    def drift(*options: str) -> float:
        said = shell("report", "log.csv", "--robot", "planar_2r", *options, "-o", "log.html")
        assert said.code == 0, said.err
        page = Path("log.html").read_text(encoding="utf-8")
        return float(re.findall(r"drift of the account, largest\D*([-+0-9.e]+) J", page)[0])

    closed = drift(*moved)
    assert closed < 1e-2  # J, of the trapezia
    for k in (0, 2, 4):
        assert drift(*moved[:k], *moved[k + 2 :]) > 100.0 * closed
    said = shell("report", "log.csv", "--robot", "planar_2r", "--lock", "joint_2=0", "-o", "log.html")
    assert said.code == 0, said.err
    assert "columns not used: 'q_joint_2'" in said.err
