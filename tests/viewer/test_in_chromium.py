"""The page in a browser: it draws the robot, and asks nobody else for anything."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import armdyn

sync_api = pytest.importorskip("playwright.sync_api")
pytest.importorskip("viser")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
OPTIONS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking"]
BLUE = np.array([0, 114, 178])

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")]


def bluish(pixels: np.ndarray) -> int:
    """How many pixels have the colour of the drums of joints, in any light."""
    red, green, blue = (pixels[..., k].astype(int) for k in range(3))
    return int(((blue > 60) & (blue > 1.3 * green) & (green > 1.5 * red)).sum())


def draw(page: Any) -> None:
    """Let the page draw some frames, which take seconds without a graphics card on a machine with other work."""
    page.wait_for_timeout(700)
    page.evaluate("new Promise((done) => { const next = (k) => k ? requestAnimationFrame(() => next(k - 1)) : done();"
                  " next(6); })")  # fmt: skip


def test_the_page_draws_the_robot_and_its_controls() -> None:
    viewer = armdyn.load("ur5").view([0.3, -1.2, 1.4, -0.7, 1.1, 0.2], port=0, browser=False)
    with viewer, sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        page = browser.new_page(viewport={"width": 900, "height": 600})
        asked: list[str] = []
        errors: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(viewer.url, timeout=120_000)
        page.get_by_text("elbow_joint").first.wait_for(timeout=120_000)
        page.get_by_text("Tip tool0").first.wait_for(timeout=120_000)
        for _ in range(60):
            shot = np.asarray(Image.open(io.BytesIO(page.screenshot(timeout=120_000))).convert("RGB"))
            if bluish(shot[:, :480]) > 200:
                break
            page.wait_for_timeout(500)
        scene = viewer.screenshot(width=320, height=240, timeout=120.0)  # by that browser
        browser.close()
    assert bluish(shot[:, :480]) > 200, "the scene beside the controls is empty"
    assert scene.shape == (240, 320, 3)
    assert bluish(scene) > 50
    assert errors == []
    assert [
        url for url in asked if not url.startswith((viewer.url, viewer.url.replace("http", "ws"), "data:", "blob:"))
    ] == []


def test_a_saved_motion_stays_together_when_it_begins_again(tmp_path: Path) -> None:
    """Stopped after some rounds it looks as where one goes to the same time."""
    robot = armdyn.load("rp")
    with armdyn.simulate(robot, [0.3, 0.5], [1.0, 1.5], duration=0.8).view(robot=robot, port=0, browser=False) as view:
        view.save(tmp_path / "fall.html", fps=5.0)
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        page = browser.new_page(viewport={"width": 480, "height": 360})
        page.goto((tmp_path / "fall.html").as_uri() + "?fixedDpr=1")  # else slow frames become coarser
        slider = page.locator("[role=slider]").first  # it has no size
        slider.wait_for(timeout=120_000, state="attached")
        message = page.get_by_text("Software WebGL rendering detected").first  # over the arm, for some seconds
        message.wait_for(timeout=120_000, state="attached")
        message.wait_for(timeout=120_000, state="hidden")
        compared = 0
        for _ in range(20):
            page.wait_for_timeout(1300)
            page.keyboard.press("Space")
            draw(page)
            t = float(slider.get_attribute("aria-valuenow") or 0.0)
            k = int(t * 5.0)
            if 0.1 < 5.0 * t - k < 0.9 and k > 0:  # else its neighbour may be shown
                stopped = page.screenshot(timeout=120_000)
                page.locator("input").first.fill(f"{(k + 0.05) / 5.0:.3f}")
                draw(page)
                gone = page.screenshot(timeout=120_000)
                (tmp_path / "stopped.png").write_bytes(stopped)
                (tmp_path / "gone.png").write_bytes(gone)
                one, other = (
                    np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"))[:310].astype(int)  # above the controls
                    for shot in (stopped, gone)
                )
                assert bluish(one) > 20
                assert (np.abs(one - other).max(axis=-1) > 100).sum() < 40, f"at {t} s"
                compared += 1
            if compared == 4:
                break
            page.locator("input").first.blur()
            page.keyboard.press("Space")
        browser.close()
    assert compared >= 2
