"""SARIF logs beside the schema of SARIF 2.1.0."""

from __future__ import annotations

from pathlib import Path

import pytest

from armdyn.doctor import log_of
from doctor.arms import RIGHT, examined, replaced


def test_a_log_obeys_the_schema(tmp_path: Path) -> None:
    model = pytest.importorskip("pydantic_sarif.model")
    schema = model.StaticAnalysisResultsFormatSarifVersion210JsonSchema
    findings = [
        examined(text, tmp_path, f"arm_{k}.urdf")
        for k, text in enumerate((RIGHT, replaced('iyy="0.0321"', 'iyy="-0.0321"'), '<robot name="r"/>'))
    ]
    log = log_of(findings)
    schema.model_validate(log)
    results = log["runs"][0]["results"]
    assert len(results) == sum(map(len, findings))
    assert results[0]["fixes"]
    results[0]["level"] = "fatal"
    with pytest.raises(ValueError, match="level"):
        schema.model_validate(log)
