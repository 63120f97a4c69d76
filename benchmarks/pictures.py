"""``python -m benchmarks.pictures FOLDER [--site out/docs]``: pictures and pages that once were wrong, drawn again.

Each has a title, the fault that it had, and what to look for. FOLDER/index.html shows all of them. Pages are opened in
Chromium by Playwright; without it, without example-robot-data, or without the built site their entries name what is
missing.
"""

from __future__ import annotations

import argparse
import html
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import armdyn
from armdyn import plots
from armdyn.actuators import Actuator, Gear, Motor, MotorLimits, Thermal
from armdyn.simulation import Stops
from benchmarks.doctor import robot_data

BENT = [0.3, -1.2, 1.4, -0.7, 1.1, 0.2]
MOTOR = Motor(
    1.4e-5,
    torque_constant=0.0302,
    resistance=0.299,
    friction=0.004,
    limits=MotorLimits(voltage=24.0, current=12.0, continuous_current=6.0),
    thermal=Thermal(2.0, 20.0, 4.0, 150.0, winding_limit=155.0),
)


class Case(NamedTuple):
    """A picture that was wrong.

    Args:
        name: of its file.
        fault: what was wrong.
        now: what the picture must show.
        draw: function of the folder and the browser, None without one, that writes the picture and returns its path,
            or returns a text.
    """

    name: str
    fault: str
    now: str
    draw: Callable[[Path, Any], Path | str]


def _drawn(path: Path, figure: Any) -> Path:
    plots.write_figure(figure, path)
    return path


def _panda(folder: Path, _: Any) -> Path | str:
    file = robot_data() / "panda_description" / "urdf" / "panda.urdf"
    panda = armdyn.load(file, locked={"panda_finger_joint1": 0.0, "panda_finger_joint2": 0.0})
    return _drawn(folder / "panda.png", panda.plot([0.0, -0.6, 0.0, -2.2, 0.0, 1.7, 0.8]))


def _stops(folder: Path, _: Any) -> Path:
    arm = armdyn.load("ur5")
    near = {name: armdyn.Limits(lower=-0.3, upper=0.3) for name in arm.joint_names}
    motion = armdyn.simulate(arm.with_limits(near), np.zeros(6), duration=0.6, elements=[Stops()])
    return _drawn(folder / "stops.png", motion.plot())


def _motors() -> armdyn.Trajectory:
    arm = armdyn.load("planar_2r").with_actuators(
        {"joint_1": Actuator(MOTOR, Gear(40.0)), "joint_2": Actuator(MOTOR, Gear(20.0))}
    )
    law = armdyn.control.through_motors(armdyn.control.pd_gravity)
    loop = armdyn.ClosedLoop(arm, law, record=["current", "winding_rise"])
    aim = {"q_ref": [0.6, -0.4], "qd_ref": np.zeros(2), "Kp": [400.0, 100.0], "Kd": [60.0, 20.0]}
    return loop.simulate([0.3, -0.2], steps=1000, **aim)


def _screenshot(page_path: Path, picture: Path, browser: Any, do: Callable[[Any], None], **options: Any) -> Path | str:
    if browser is None:
        return f"{page_path.name} is written; no browser takes its picture here"
    page = browser.new_page(**{"viewport": {"width": 1280, "height": 800}, **options})
    page.goto(page_path.absolute().as_uri())
    page.wait_for_timeout(1500)
    do(page)
    page.screenshot(path=picture)
    page.close()
    return picture


def _page(folder: Path, browser: Any) -> Path | str:
    def fall(page: Any) -> None:
        page.get_by_role("button", name="Let it fall").click()
        page.wait_for_timeout(2000)

    path = armdyn.load("ur5").to_page().write(folder / "ur5.html")
    return _screenshot(path, folder / "page.png", browser, fall)


def _phone(folder: Path, browser: Any) -> Path | str:
    path = armdyn.load("ur5").to_page().write(folder / "ur5.html")
    size = {"width": 390, "height": 844}
    return _screenshot(path, folder / "phone.png", browser, lambda page: None, viewport=size, color_scheme="dark")


def _report(folder: Path, browser: Any) -> Path | str:
    fall = armdyn.simulate(armdyn.load("ur5"), BENT, duration=1.0)
    fall.report(folder / "report.html", robot=armdyn.load("ur5"))

    def scroll(page: Any) -> None:
        page.get_by_role("heading", name="The motion").evaluate("heading => heading.scrollIntoView()")
        page.wait_for_timeout(2000)

    return _screenshot(folder / "report.html", folder / "report.png", browser, scroll)


def _zero_position(folder: Path, _: Any) -> Path:
    arm = armdyn.load("kg_puma")
    run = armdyn.masp.run_masp(arm, samples=31)
    inches = armdyn.masp.InputUnits("in", "lbf", "deg")
    figure = plots.draw_zero_position(arm, run.path, start=run.joints.q[0], units=inches)
    return _drawn(folder / "zero_position.png", figure)


def _of_site(site: Path | None, name: str, word: str = "") -> Callable[[Path, Any], Path | str]:
    def draw(folder: Path, browser: Any) -> Path | str:
        if site is None or not (site / name).exists():
            return "the site is not built: make docs, then --site out/docs"

        def look(page: Any) -> None:
            if word:
                page.goto(f"{(site / 'search.html').absolute().as_uri()}?q={word}")
                page.wait_for_timeout(4000)

        return _screenshot(site / name, folder / f"site_{name.removesuffix('.html')}.png", browser, look)

    return draw


def cases(site: Path | None) -> list[Case]:
    """The fifteen worst."""
    ur5 = armdyn.load("ur5")
    fall = armdyn.simulate(ur5, np.zeros(6), duration=1.0)
    terms = ([0.0, np.pi / 2, -0.5], [1.0, 1.0, 1.0])
    return [
        Case("panda", "a white ring went through the arm: triangles were sorted by their centres",
             "no part behind comes through; white links, black caps", _panda),
        Case("stops", "twelve forces of stops shared eight colours",
             "a joint has one colour in every panel; each force can be named", _stops),
        Case("zeros", "three of twelve panels held only zeros, each with a legend of its own",
             "no panel of zeros, their names in the footer, one legend",
             lambda folder, _: _drawn(folder / "zeros.png", fall.plot())),
        Case("signals", "signals of motors were called current 0 to 5, without unit and joint",
             "titles with words and units, the colours of joints",
             lambda folder, _: _drawn(folder / "signals.png", _motors().plot())),
        Case("velocity_terms", "four of seven arrows were cut",
             "every arrow is inside its panel",
             lambda folder, _: _drawn(
                 folder / "velocity_terms.png", plots.draw_velocity_terms(armdyn.load("planar_3r"), *terms))),
        Case("zero_pose", "names of axes covered numbers of ticks at q = 0",
             "no text covers another", lambda folder, _: _drawn(folder / "zero_pose.png", ur5.plot())),
        Case("zero_position", "MASP had no picture of the zero reference position",
             "axes, points, body vectors, the path and the hand, in one unit", _zero_position),
        Case("efficiency", "the efficiency map left out the loss without load",
             "efficiency is zero at no load, whose current and loss are stated",
             lambda folder, _: _drawn(folder / "efficiency.png", plots.draw_efficiency_map(MOTOR))),
        Case("print", "print(trajectory) said -25.16 to 14.69 J of a motion that lost energy",
             "energy at start and at end, and the work", lambda folder, _: str(_motors())),
        Case("page", "M(q) was cut at 1280 pixels; 5 of 88 J were lost; 1x was a quarter of the true rate",
             "M(q) whole, a drift below a millijoule, the rate printed", _page),
        Case("phone", "the scene left the window, chips filled three rows", "scene first, one row of chips", _phone),
        Case("report", "the HTML of a report was not the page", "the arm, its curves and one cursor", _report),
        Case("site", "the first screen had no picture", "install line, code, the living arm",
             _of_site(site, "index.html")),
        Case("search", "the search found tests before functions", "the function or the page first",
             _of_site(site, "search.html", "RNEA")),
        Case("tables", "tables did not fit", "a table scrolls or wraps in its column", _of_site(site, "results.html")),
    ]  # fmt: skip


def main() -> None:
    """Draw all, and write the index."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--site", type=Path, default=None, help="folder of the built documentation")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    entries = []
    with _browser() as browser:
        for number, case in enumerate(cases(options.site), start=1):
            try:
                result = case.draw(options.folder, browser)
            except (ImportError, FileNotFoundError) as error:
                result = f"missing: {error}"
            shown = f"<pre>{html.escape(result)}</pre>" if isinstance(result, str) else f'<img src="{result.name}">'
            words = f"<h2>{number}. {html.escape(case.name)}</h2><p>Was: {html.escape(case.fault)}.</p>"
            entries.append(f"{words}<p>Now: {html.escape(case.now)}.</p>{shown}")
            print(f"{number:2}. {case.name}: {result if isinstance(result, Path) else result.splitlines()[0]}")
    style = "<style>body{font:16px sans-serif;max-width:70em;margin:2em auto}img{max-width:100%}</style>"
    (options.folder / "index.html").write_text(f"<!doctype html><meta charset=utf-8>{style}{''.join(entries)}")


class _browser:  # noqa: N801 - used as a function
    """Chromium without a window; None without Playwright or Chromium."""

    def __enter__(self) -> Any:
        self._playwright: Any = None
        program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        try:
            from playwright.sync_api import sync_playwright
        except ImportError:
            return None
        if program is None:
            return None
        self._playwright = sync_playwright().start()
        options = ["--disable-background-networking", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        return self._playwright.chromium.launch(executable_path=program, args=options, chromium_sandbox=False)

    def __exit__(self, *_: object) -> None:
        if self._playwright is not None:
            self._playwright.stop()


if __name__ == "__main__":
    main()
