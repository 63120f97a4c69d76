"""Descriptions from the example-robot-data wheel, made readable for every library alike."""

import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree.ElementTree import Element

import numpy as np
import pinocchio

ROBOTS = Path(pinocchio.__file__).parents[4] / "share/example-robot-data/robots"


@cache
def description(path: str) -> ET.ElementTree:
    return ET.parse(ROBOTS / path)


def bare(path: str) -> ET.ElementTree:
    """The moving parts alone: no shapes, no mimicry, and no inertia that no rigid body has."""
    tree = ET.ElementTree(ET.fromstring(ET.tostring(description(path).getroot())))
    root = tree.getroot()
    for link in root.iter("link"):
        for shape in ("visual", "collision"):
            for element in link.findall(shape):
                link.remove(element)
        for inertia in link.iter("inertia"):
            _mend(inertia)
    for joint in root.iter("joint"):
        for element in joint.findall("mimic"):
            joint.remove(element)
    return tree


def _mend(inertia: Element) -> None:
    xx, xy, xz, yy, yz, zz = (float(inertia.get(k, "0")) for k in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    a, b, c = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if a < 0.0 or a + b < c:
        for name in ("ixy", "ixz", "iyz"):
            inertia.set(name, "0")
        for name in ("ixx", "iyy", "izz"):
            inertia.set(name, repr(float(c)))


def sub_chain(tree: ET.ElementTree, base: str, tip: str) -> ET.ElementTree:
    """A description of the moving joints from ``base`` to ``tip`` and all that is welded to them, and nothing else."""
    root = ET.fromstring(ET.tostring(tree.getroot()))
    joints = {j.find("child").get("link"): j for j in root.findall("joint")}  # type: ignore[union-attr]
    path = {tip}
    link = tip
    while link != base:
        link = joints[link].find("parent").get("link")  # type: ignore[union-attr, assignment]
        path.add(link)
    keep, growing = {base}, True
    while growing:
        before = len(keep)
        for child, joint in joints.items():
            if joint.find("parent").get("link") in keep and (joint.get("type") == "fixed" or child in path):  # type: ignore[union-attr]
                keep.add(child)
        growing = len(keep) > before
    for element in [*root.findall("link"), *root.findall("transmission")]:
        if element.get("name") not in keep:
            root.remove(element)
    for child, joint in joints.items():
        if child not in keep or child == base:
            root.remove(joint)
    return ET.ElementTree(root)


def written(tree: ET.ElementTree, name: str) -> Path:
    """The description as a file, in a folder that goes when this process ends."""
    path = Path(_folder().name) / f"{name}.urdf"
    tree.write(path)
    return path


@cache
def _folder() -> TemporaryDirectory:
    return TemporaryDirectory(prefix="armdyn-descriptions-")
