"""The page of a doctor: without network, each finding in its table, ellipsoids of the stated numbers, a click."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armdyn.doctor import doctor
from doctor.arms import RIGHT, replaced
from oracles.shell import Shell
from page.browser import opened, until

WRONG = replaced('iyy="0.0321" iyz="0" izz="0.0321"', 'iyy="32.1" iyz="0" izz="32.1"')


def page_of(folder: Path, text: str) -> str:
    (folder / "arm.urdf").write_text(text)
    return doctor(folder / "arm.urdf").page(folder / "arm.html").html


def data_of(html: str) -> Any:
    return json.loads(re.search(r"const DOCTOR = (.*);\n", html)[1])  # type: ignore[index]


def test_each_finding_has_a_row_and_no_name_is_markup(tmp_path: Path) -> None:
    text = WRONG.replace('name="link_2"', 'name="&lt;b&gt;2"').replace('link="link_2"', 'link="&lt;b&gt;2"')
    html = page_of(tmp_path, text)
    findings = doctor(tmp_path / "arm.urdf")
    assert html.count("data-finding=") == len(findings) >= 1
    assert "<b>2" not in html.split("<script")[0].replace("<b>link", "")
    assert "&lt;b&gt;2" in html
    assert findings[0].repairs[0].title.split(" ")[0] in html
    assert not re.search(r'(src|href)="(?!data:)', html)
    assert (tmp_path / "arm.html").read_text() == html


def test_ellipsoids_have_the_mass_and_moments_of_the_file(tmp_path: Path) -> None:
    """A solid box of a x b x c has the ellipsoid of semi-axes sqrt(5/12) a, b, c; joints at zero, links on x."""
    data = data_of(page_of(tmp_path, RIGHT))
    assert data["worst"] == {}
    for k, one in enumerate(data["inertias"]):
        axes = np.array(one["axes"])
        half = np.sqrt(5 / 12) * np.array([0.3, 0.08, 0.08])
        np.testing.assert_allclose(np.sort(np.linalg.norm(axes, axis=1)), np.sort(half), rtol=3e-3)
        np.testing.assert_allclose(one["com"], [0.3 * k + 0.15, 0.0, 0.0], atol=1e-12)
    assert [segment["axis"] for segment in data["segments"]] == [[0.0, 1.0, 0.0]] * 3
    assert len(data["bodies"]) == 3


def test_what_cannot_be_loaded_is_drawn_as_far_as_it_can_be_read(tmp_path: Path) -> None:
    text = replaced('<mass value="4"/>', '<mass value="four"/>')
    data = data_of(page_of(tmp_path, replaced('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>', "joint_3", text)))
    assert [one["link"] for one in data["inertias"]] == ["link_1", "link_3"]
    assert data["segments"][2]["axis"] is None
    assert data["worst"] == {"link_2": "error", "link_3": "error"}


def test_a_centre_far_away_does_not_shrink_the_arm(tmp_path: Path) -> None:
    data = data_of(page_of(tmp_path, replaced('xyz="0.15 0 0" rpy', 'xyz="100 0 0" rpy')))
    assert data["size"] < 1.0
    assert [one["drawn"] for one in data["inertias"]] == [True, False, True]


def test_a_file_that_is_no_robot_has_a_page(tmp_path: Path) -> None:
    html = page_of(tmp_path, "<html><body/></html>")
    assert "1 error" in html
    assert data_of(html)["bodies"] == []


def test_the_command_writes_a_page_of_one_file(tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("arm.urdf").write_text(WRONG)
    assert "wrote out.html" in shell("doctor", "arm.urdf", "--page", "out.html").out
    assert "inertia/size" in Path("out.html").read_text()
    assert shell("doctor", "arm.urdf", "arm.urdf", "--page", "out.html").code == 2


def test_in_a_browser_a_row_shows_its_link(browser: Any, tmp_path: Path) -> None:
    page_of(tmp_path, WRONG)
    with opened(browser, tmp_path / "arm.html") as page:
        assert page.evaluate("window.armdyn.scene.chosen") == "link_2"
        assert "4 kg" in page.inner_text("#link")
        page.click("tr[data-finding='0']")
        assert page.evaluate("window.armdyn.scene.chosen") is None
        page.focus("tr[data-finding='0']")
        page.keyboard.press("Enter")
        assert page.evaluate("window.armdyn.scene.chosen") == "link_2"
        page.click("#layers button")
        before = page.evaluate("window.armdyn.frames")
        page.keyboard.press("Tab")
        page.focus("#view")
        page.keyboard.press("ArrowLeft")
        until(page, f"window.armdyn.frames > {before}")
