"""Gears and rotors as <transmission> elements, which ROS and Drake read; <armdyn> has the complete actuators."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from armdyn.formats.export.numbers import number
from armdyn.formats.urdf.transmissions import GEAR_RATIO, REDUCTIONS, ROTOR_INERTIA, TAG, Transmission
from armdyn.model.model import Model

NAMESPACE = {"xmlns:drake": "http://drake.mit.edu"}
"""Namespace of Drake's elements, which parsers with namespaces require to be declared."""

TYPE = "transmission_interface/SimpleTransmission"
INTERFACE = "hardware_interface/EffortJointInterface"
"""ROS requires the name of an interface; this library computes torques."""


def add_transmissions(root: Element, model: Model) -> None:
    """Add a <transmission> for each joint that has a gear or the inertia of a rotor."""
    result = [Transmission.of(joint) for joint in model.joints]
    if any(result):
        root.attrib.update(NAMESPACE)
    for text in filter(None, result):
        element = SubElement(root, TAG, name=f"transmission_of_{text.joint}")
        SubElement(element, "type").text = TYPE
        joint = SubElement(element, "joint", name=text.joint)
        SubElement(joint, "hardwareInterface").text = INTERFACE
        motor = SubElement(element, "actuator", name=f"motor_of_{text.joint}")
        SubElement(motor, REDUCTIONS[0]).text = number(text.ratio)
        SubElement(motor, GEAR_RATIO, value=number(text.ratio))
        SubElement(motor, ROTOR_INERTIA, value=number(text.rotor_inertia or 0.0))
