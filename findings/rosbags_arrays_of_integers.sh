#!/usr/bin/env bash
# rosbags 0.11.9 (PyPI), serialization of sensor_msgs/JointState with arrays of integers. Tried on 2026-11-29.
#
# What was tried: position=np.array([1, 2]), which NumPy makes integers, written as CDR (ROS 2) and as ROS 1, and read back
# by the same library; the same with np.array([1.0, 2.0]).
# A good guess: [1.0, 2.0], by a conversion as of `array.astype(float64)`, or an error of the type.
# Seen: no error; [5e-324, 1e-323], the bits of the integers as doubles.
# Why: the buffer of the array is written as it is, with the length of the field's type.
# Why it matters: positions of 0 and whole numbers, as of tests and of servos in ticks, become zeros of 1e-323 in a bag that
# every reader accepts. Convert before writing: np.asarray(values, dtype=np.float64).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q "rosbags==0.11.9" "numpy==2.4.6"
venv/bin/python - > seen.txt <<'PYTHON'
import numpy as np
from rosbags.typesys import Stores, get_typestore

empty = np.zeros(0)
for store, seq in ((get_typestore(Stores.ROS2_HUMBLE), {}), (get_typestore(Stores.ROS1_NOETIC), {"seq": 0})):
    kind = "CDR" if not seq else "ROS 1"
    write = store.serialize_cdr if not seq else store.serialize_ros1
    read = store.deserialize_cdr if not seq else store.deserialize_ros1
    types = store.types
    header = types["std_msgs/msg/Header"](stamp=types["builtin_interfaces/msg/Time"](sec=1, nanosec=0), frame_id="", **seq)
    for values in (np.array([1.0, 2.0]), np.array([1, 2])):
        state = types["sensor_msgs/msg/JointState"](
            header=header, name=["a", "b"], position=values, velocity=empty, effort=empty
        )
        again = read(write(state, "sensor_msgs/msg/JointState"), "sensor_msgs/msg/JointState")
        print(kind, values.dtype, values.tolist(), "->", again.position.tolist())
PYTHON
cat seen.txt
diff seen.txt - <<'SEEN'
CDR float64 [1.0, 2.0] -> [1.0, 2.0]
CDR int64 [1, 2] -> [5e-324, 1e-323]
ROS 1 float64 [1.0, 2.0] -> [1.0, 2.0]
ROS 1 int64 [1, 2] -> [5e-324, 1e-323]
SEEN
