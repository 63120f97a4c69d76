"""Kazerounian and Gupta's program (1985), end to end: the Manipulator Analysis and Simulation Package.

`read_masp` reads an input file: the arm in its zero reference position (tables 1 and 2), the hand's path with the cam
law, payload, load, limits, in the units of the file. Its `MaspProblem` has two halves: `MaspProblem.analyse`, from the
hand's path to joint positions, rates, accelerations, forces and reactions; and `MaspProblem.simulate`, from torques
over time to the motions of the joints and the hand. `run_masp` is the first half for any robot and path, the paper's
circle by default.
"""

from armdyn.base.lazy import modules_of
from armdyn.masp.circle import DISTANCE, NEXT_TO_ZERO, RADIUS, TILT, circle_of_the_paper
from armdyn.masp.columns import columns
from armdyn.masp.configurations import configurations
from armdyn.masp.hand_load import HandLoad
from armdyn.masp.input_file import EXAMPLE, read_masp
from armdyn.masp.problem import Configuration, MaspProblem, SimulationSettings
from armdyn.masp.run import PUBLISHED, MaspRun, run_masp
from armdyn.masp.simulation import MaspSimulation, simulate_torques
from armdyn.masp.torques import TorqueTable, TorqueTableError, read_torques, torques_of_path
from armdyn.masp.units import InputUnits

__all__ = [
    "DISTANCE",
    "EXAMPLE",
    "NEXT_TO_ZERO",
    "PUBLISHED",
    "RADIUS",
    "TILT",
    "Configuration",
    "HandLoad",
    "InputUnits",
    "MaspProblem",
    "MaspRun",
    "MaspSimulation",
    "SimulationSettings",
    "TorqueTable",
    "TorqueTableError",
    "circle_of_the_paper",
    "columns",
    "configurations",
    "read_masp",
    "read_torques",
    "run_masp",
    "simulate_torques",
    "torques_of_path",
]

__getattr__ = modules_of(__name__)
