"""Trajectories in files, and files of motions and torques that are read: npz, csv, Parquet."""

from armdyn.base.lazy import modules_of

__getattr__ = modules_of(__name__)
