"""Sizing of drives: motors and gears of a catalogue that fulfil a task, and the lightest of them."""

from armdyn.base.lazy import modules_of
from armdyn.sizing.arm_loads import joint_loads
from armdyn.sizing.catalogue import Catalogue, CatalogueError
from armdyn.sizing.choosing import Choice, JointSizing
from armdyn.sizing.drives import Sizing, size
from armdyn.sizing.gear_entry import CatalogueGear
from armdyn.sizing.given_drives import DriveCheck, GivenDrive, check
from armdyn.sizing.history import DriveHistory
from armdyn.sizing.judging import CRITERIA
from armdyn.sizing.load import JointLoad
from armdyn.sizing.matching import RatioSweep, matching_ratio, ratio_sweep, task_matching_ratio
from armdyn.sizing.task import CycleError, MotionCycle

__all__ = [
    "CRITERIA",
    "Catalogue",
    "CatalogueError",
    "CatalogueGear",
    "Choice",
    "CycleError",
    "DriveCheck",
    "DriveHistory",
    "GivenDrive",
    "JointLoad",
    "JointSizing",
    "MotionCycle",
    "RatioSweep",
    "Sizing",
    "check",
    "joint_loads",
    "matching_ratio",
    "ratio_sweep",
    "size",
    "task_matching_ratio",
]

__getattr__ = modules_of(__name__)
