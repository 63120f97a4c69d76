#!/usr/bin/env bash
# xacrodoc 2.0.1 with xacro 2.1.1 (PyPI). Tried on 2026-11-29.
#
# What was tried: XacroDoc.from_file("robot/arm.urdf.xacro"), whose <xacro:include filename="rod.xacro"/> names a file beside
# it, from the folder above and from the folder of the file; and xacro.process_file of the same path.
# A good guess: an included name is relative to the file that includes it, as in ROS, wherever the caller stands.
# Seen: xacro finds it from both folders. XacroDoc.from_file looks in the current folder: it fails from above, and works
# only from the file's own folder; with another rod.xacro in the current folder it takes that one without a word, so that
# the robot has its mass.
# Why: from_file reads the text and hands it on as a string, and xacro does not know the name of the file any more (in
# a process that has called xacro.process_file before, it takes the folder of that call's file).
# Why it matters: the same call gives another robot, or none, by where a script is started.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q "xacrodoc==2.0.1" "xacro==2.1.1" "rospkg==1.6.3"
mkdir robot elsewhere
xmlns='xmlns:xacro="http://www.ros.org/wiki/xacro"'
echo "<robot name='arm' $xmlns><xacro:include filename='rod.xacro'/><xacro:rod/></robot>" > robot/arm.urdf.xacro
for place in robot:1 elsewhere:9; do
  echo "<robot $xmlns><xacro:macro name='rod'><link name='rod'><inertial><mass value='${place#*:}'/></inertial></link>" \
       "</xacro:macro></robot>" > "${place%:*}/rod.xacro"
done
cat > try.py <<'PYTHON'
import re
import sys

import xacro
from xacrodoc import XacroDoc

path, called = sys.argv[1:]
read = {
    "xacro.process_file": lambda: xacro.process_file(path).toxml(),
    "XacroDoc.from_file": lambda: XacroDoc.from_file(path).to_urdf_string(),
}
try:
    said = "mass " + re.search(r'mass value="(\d+)"', read[called]())[1]
except Exception as error:
    said = type(error).__name__
print(f"{called}: {said}")
PYTHON
for place in . robot elsewhere; do
  for called in xacro.process_file XacroDoc.from_file; do
    (cd "$place" && echo "in $place: $("$folder/venv/bin/python" "$folder/try.py" "$folder/robot/arm.urdf.xacro" "$called")")
  done
done > seen.txt
cat seen.txt
diff seen.txt - <<'SEEN'
in .: xacro.process_file: mass 1
in .: XacroDoc.from_file: XacroException
in robot: xacro.process_file: mass 1
in robot: XacroDoc.from_file: mass 1
in elsewhere: xacro.process_file: mass 1
in elsewhere: XacroDoc.from_file: mass 9
SEEN
