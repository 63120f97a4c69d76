"""Fuzzing: descriptions that were damaged at random, and what armdyn makes of them.

Every input follows from its kind, a seed and its number alone. What is looked for: exceptions that are not ours, inputs
that take more than two seconds, crashes, and results that silently differ from those of Pinocchio or MuJoCo. By hand:

    python -m tests.fuzz --kind urdf --count 1000000 --seed 0 --jobs 2 --findings /tmp/findings
"""
