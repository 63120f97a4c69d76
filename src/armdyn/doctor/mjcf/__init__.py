"""MJCF files as a doctor reads them: numbers as they stand, with their places in the text.

armdyn reads MJCF through MuJoCo's compiler, which refuses a wrong file and keeps no places. This package resolves
includes, defaults, frames and angles itself, refuses nothing, and is compared with the compiler by
``tests/doctor/test_mjcf_reading.py``.
"""
