#!/usr/bin/env bash
# sarif-tools 3.0.5 (PyPI), `sarif --check error summary FILE` as the gate of a build. Tried on 2026-11-29.
#
# What was tried: SARIF 2.1.0 logs with 2, 255, 256 and 257 results of level error, and one with 2 results that are
# suppressed ("suppressions": [{"kind": "external", "status": "accepted"}]).
# A good guess: exit code 0 without errors and not 0 with errors, however many; suppressed results do not count, as SARIF
# 2.1.0 (3.27.23) has suppressions for results that are accepted.
# Seen: the exit code is the number of results, and a process has eight bits of it: 256 errors exit with 0, as none does.
# The 2 suppressed results count like others and exit with 2.
# Why: the number of issues is handed to sys.exit.
# Why it matters: a build with 256 or 512 errors is green; one in which every result was accepted is red.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q "sarif-tools==3.0.5"
venv/bin/python - <<'PYTHON'
import json

place = {"physicalLocation": {"artifactLocation": {"uri": "a.urdf"}, "region": {"startLine": 1}}}
result = {"ruleId": "r", "level": "error", "message": {"text": "wrong"}, "locations": [place]}
accepted = {**result, "suppressions": [{"kind": "external", "status": "accepted"}]}
driver = {"name": "checker", "version": "1", "rules": [{"id": "r"}]}
for name, results in (
    ("2", [result] * 2),
    ("255", [result] * 255),
    ("256", [result] * 256),
    ("257", [result] * 257),
    ("suppressed", [accepted] * 2),
):
    with open(f"{name}.sarif", "w") as out:
        json.dump({"version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}, out)
PYTHON
for name in 2 255 256 257 suppressed; do
  code=0
  venv/bin/sarif --check error summary "$name.sarif" > /dev/null 2>&1 || code=$?
  echo "$name: exit code $code"
done > seen.txt
cat seen.txt
diff seen.txt - <<'SEEN'
2: exit code 2
255: exit code 255
256: exit code 0
257: exit code 1
suppressed: exit code 2
SEEN
