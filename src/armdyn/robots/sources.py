"""The sources of the numbers of the bundled robots, a line each; their files describe the reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class BundledSource(NamedTuple):
    """A bundled robot's kind, and the source of its numbers."""

    what: str
    source: str


SOURCES: Mapping[str, BundledSource] = {
    "planar_2r": BundledSource("planar arm, point masses", "Modern Robotics, figure 8.1, example 8.5"),
    "planar_2r_geared": BundledSource("planar_2r with a geared motor at each joint", "Modern Robotics, 8.9.2"),
    "planar_3r": BundledSource("planar arm", "Craig, Introduction to Robotics, MATLAB exercise 6A"),
    "ucl_2r": BundledSource("planar arm, point masses", "UCL, lecture on manipulator dynamics, week 9"),
    "rp": BundledSource(
        "one joint that turns, one that slides", "of the kind of Craig, chapter 6; round numbers of our own"
    ),
    "furuta": BundledSource("rotational inverted pendulum", "Modern Robotics, exercise 8.4"),
    "scara": BundledSource("small assembly robot", "round numbers of our own"),
    "stanford": BundledSource("Stanford (Scheinman) arm", "Paul 1981, tables 6.5 and 6.6; Stanford AIM-177"),
    "puma560": BundledSource("Unimation PUMA 560", "Armstrong, Khatib, Burdick, ICRA 1986"),
    "kg_puma": BundledSource("PUMA-type arm in inches and pounds", "Kazerounian, Gupta 1985, tables 1 and 2"),
    "ur5": BundledSource("Universal Robots UR5", "Modern Robotics, 4.2; ROS-Industrial universal_robot"),
}
"""By the names that `armdyn.load` knows."""
