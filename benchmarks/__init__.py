"""armdyn beside other rigid-body dynamics libraries, on the same states. Run with ``python -m benchmarks``."""
