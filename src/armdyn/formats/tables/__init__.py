"""Tables of numbers from files and memory: csv, Parquet, npz, ROS bags, MCAP and data frames, as columns by label."""

from armdyn.base.lazy import modules_of

__getattr__ = modules_of(__name__)
