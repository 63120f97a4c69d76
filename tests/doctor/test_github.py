"""The workflow of docs/doctor.md: its YAML is read, its commands run in a clean folder; the hook for pre-commit."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from doctor.arms import RIGHT, replaced
from oracles.shell import Shell

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parents[2]


def test_the_commands_of_the_workflow_run(tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "doctor.md").read_text()
    text = next(block for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "upload-sarif" in block)
    steps = yaml.safe_load(text)["jobs"]["doctor"]["steps"]
    commands = [shlex.split(step["run"])[1:] for step in steps if step.get("run", "").startswith("armdyn")]
    assert len(commands) == 2
    uploaded = next(step["with"]["sarif_file"] for step in steps if "upload-sarif" in step.get("uses", ""))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "urdf").mkdir()
    path = tmp_path / "urdf" / "arm.urdf"
    path.write_text(replaced('lower="-2.5" upper="2.6"', 'lower="2.6" upper="-2.5"', "joint_2"))
    assert [shell(*words).code for words in commands] == [0, 1]
    (result,) = json.loads(Path(uploaded).read_text())["runs"][0]["results"]
    assert result["ruleId"] == "limit/swapped"
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "urdf/arm.urdf"
    path.write_text(RIGHT)
    assert [shell(*words).code for words in commands] == [0, 0]


def test_the_hook_is_the_command() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["id"] == "armdyn-doctor"
    assert hook["entry"] == "armdyn doctor"
    assert re.search(hook["files"], "urdf/arm.urdf")
    assert not re.search(hook["files"], "arm.urdf.xacro")
