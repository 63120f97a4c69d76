"""The page in a browser: it draws the robot, and asks nobody else for anything."""

from __future__ import annotations

import io
import shutil

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
