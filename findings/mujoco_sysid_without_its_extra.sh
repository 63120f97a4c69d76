#!/usr/bin/env bash
# mujoco 4.0.0 (PyPI), `mujoco.sysid` after `pip install mujoco`. Tried on 2026-11-29.
#
# What was tried: `from mujoco import sysid`, and a function of it, without the extra `mujoco[sysid]`.
# A good guess: an ImportError that names the library that is missing, or the extra.
# Seen: the import succeeds and the module is empty: `sysid.optimize` raises AttributeError "module 'mujoco.sysid' has no
# attribute 'optimize'". `mujoco.sysid._src.optimize` names the library: ModuleNotFoundError, "No module named 'absl'".
# Why: all imports of mujoco/sysid/__init__.py stand in one try with `except ModuleNotFoundError: pass`.
# Why it matters: who catches ImportError to do without sysid gets on with an empty module, and the message of the first
# call looks like another version of the API.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q "mujoco==4.0.0"
venv/bin/python - > seen.txt <<'PYTHON'
from mujoco import sysid

print("imported; public names:", [name for name in dir(sysid) if not name.startswith("_")])
try:
    sysid.optimize
except AttributeError as problem:
    print("AttributeError:", problem)
try:
    import mujoco.sysid._src.optimize
except ModuleNotFoundError as problem:
    print("ModuleNotFoundError:", problem)
PYTHON
cat seen.txt
diff seen.txt - <<'SEEN'
imported; public names: []
AttributeError: module 'mujoco.sysid' has no attribute 'optimize'
ModuleNotFoundError: No module named 'absl'
SEEN
