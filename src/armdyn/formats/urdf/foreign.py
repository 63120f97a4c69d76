"""Words in a URDF file that Gazebo, Drake or ros2_control use, that change a motion, and that are not modelled.

    <gazebo reference="turn"> <springStiffness>5</springStiffness> </gazebo>            a spring of Gazebo's
    <drake:linear_bushing_rpy> ... </drake:linear_bushing_rpy>                          a bushing of Drake's

Each is `Unsupported` if it acts on a moving link or a joint of the requested part. With ``problems="warn"`` it is
ignored, with a warning. Words that do not change a motion are notes of `armdyn.formats.urdf.unused`.
docs/descriptions.md has a table of all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from armdyn.base.advice import option
from armdyn.base.errors import Unsupported
from armdyn.formats.findings import DocumentFindings, read_number
from armdyn.formats.urdf.transmissions import ROS2, of_several_with_rotors
from armdyn.formats.urdf.transmissions import TAG as TRANSMISSION
from armdyn.formats.xml_tree import XmlElement
from armdyn.model.messages import first_of, quote
from armdyn.model.model import Model

GAZEBO = "gazebo"

SHOWN = 10
"""The most words that one error lists."""

OF_DYNAMICS: Mapping[str, str] = {
    **dict.fromkeys(("spring_stiffness", "springStiffness", "stiffness"), "a spring"),
    **dict.fromkeys(("rotor_inertia", "rotorInertia"), 'an inertia whose ratio is open (as armature="..." it counts)'),
}
"""Attributes of <dynamics>, and their meanings."""

OF_ROBOT: Mapping[str, str] = {
    "drake:linear_bushing_rpy": "a bushing of Drake's",
    "drake:linear_spring_damper": "a spring of Drake's",
    "drake:tendon_constraint": "a constraint of Drake's",
    "constraint": "a constraint",
    "coupling": "a coupling of URDF+",
}
"""Elements of <robot>, and their meanings."""

OF_GAZEBO: Mapping[str, str] = {
    "joint": "a joint that only Gazebo has",
    "link": "a link that only Gazebo has",
    "model": "a model that only Gazebo has",
    "include": "a model that only Gazebo has",
}
"""Elements of a <gazebo> without a reference, and their meanings."""

OF_LINKS_IN_GAZEBO: Mapping[str, str] = {
    **dict.fromkeys(("dampingFactor", "velocity_decay"), "a damping of the link's velocity"),
    "kinematic": "a link that no force moves",
    "inertial": "another inertia",
}
"""Elements of a <gazebo> that refers to a link, and their meanings."""

OF_JOINTS_IN_GAZEBO: Mapping[str, str] = {
    **dict.fromkeys(("springStiffness", "spring_stiffness"), "a spring"),
    **dict.fromkeys(("damping", "friction"), "friction besides that of <dynamics>"),
    **dict.fromkeys(("thread_pitch", "screw_thread_pitch"), "a screw"),
    **dict.fromkeys(("gearbox_ratio", "gearbox_reference_body"), "a gear between two joints"),
}
"""Elements, at any depth, of a <gazebo> that refers to a joint, and their meanings."""

MIMIC_PLUGIN = "mimic"
"""A part of the file names of Gazebo's plugins that couple joints."""

Names = frozenset[str]


@dataclass(frozen=True)
class ForeignWord:
    """A word that another program uses.

    Args:
        line: of the file.
        text: the word with its value, and its meaning.
        names: of the links and joints on which it acts; it acts on the robot if there are none.
        joint: the joint that can be locked; the element does not act then.
    """

    line: int
    text: str
    names: Names = frozenset()
    joint: str | None = None


@dataclass(frozen=True)
class _NamesInFile:
    """The names of links and joints of a file; those of links with a mass, and of joints that ``<mimic>`` others."""

    links: Names
    joints: Names
    heavy: Names
    mimics: Names

    @classmethod
    def of(cls, root: XmlElement) -> _NamesInFile:
        links, joints = root.all("link"), root.all("joint")
        heavy = _names(link for link in links if _mass(link) != 0.0)
        mimics = _names(joint for joint in joints if joint.first("mimic") is not None)
        return cls(_names(links), _names(joints), heavy, mimics)


def _names(elements: Iterable[XmlElement]) -> Names:
    return frozenset(element.attributes.get("name", "") for element in elements)


def _mass(link: XmlElement) -> float:
    inertial = link.first("inertial")
    mass = None if inertial is None else inertial.first("mass")
    return 0.0 if mass is None else read_number(mass.attributes.get("value", "0"))


def foreign_words(root: XmlElement) -> list[ForeignWord]:
    """Every word in a file that changes a motion and is not modelled."""
    names = _NamesInFile.of(root)
    words: list[ForeignWord] = []
    for element in root.children:
        if reader := _READERS.get(element.tag):
            words += reader(element, names)
        elif element.tag in OF_ROBOT:
            words.append(_of_robot(element, names))
    return words


def refuse_foreign(words: Collection[ForeignWord], model: Model, findings: DocumentFindings) -> Model:
    """Raise for the words that act on the model, or accept them; the others have no effect.

    Args:
        words: of `foreign_words`.
        model: of the part that is read.
        findings: records the accepted words.

    Raises:
        Unsupported: those that act, unless the caller accepts faults.
    """
    moving = {frame.name for frame in model.frames if frame.link != model.base} | {*model.joint_names}
    acting = [word for word in words if not word.names or word.names & moving]
    if not acting:
        return model
    if findings.policy != "warn":
        raise Unsupported("\n".join(first_of([_refusal(word, findings) for word in acting], SHOWN)))
    accepted = [f"{findings.document}:{word.line} {word.text}; it is passed over" for word in acting]
    findings.accepted += accepted
    return model.replace(notes=(*model.notes, *first_of(accepted, SHOWN)))


def _refusal(word: ForeignWord, findings: DocumentFindings) -> str:
    hold = "" if word.joint is None else f", hold the joint with {option('locked', {word.joint: 0.0})}"
    return (
        f"{findings.document}:{word.line} {word.text}, which changes the motion and is not modelled. Take it out of "
        f"the file{hold}, or read the file with {option('problems', 'warn')}, and it is passed over."
    )


def _joint(element: XmlElement, _: _NamesInFile) -> Iterator[ForeignWord]:
    name = element.attributes.get("name", "")
    of_joint = f"of joint {quote(name)}"
    for dynamics in element.all("dynamics"):
        for attribute, meaning in OF_DYNAMICS.items():
            value = dynamics.attributes.get(attribute, "")
            if _counts(value):
                text = f'{attribute}="{value[:40]}" of <dynamics> {of_joint} is {meaning}'
                yield ForeignWord(dynamics.line, text, frozenset({name}), name)
    if (mimic := element.first("drake:mimic")) is not None:
        text = f"<drake:mimic> {of_joint} is a coupling (as <mimic> it counts)"
        yield ForeignWord(mimic.line, text, frozenset({name}), name)
    yield from _ignored(element, name)


def _link(element: XmlElement, _: _NamesInFile) -> Iterator[ForeignWord]:
    name = element.attributes.get("name", "")
    for contact in element.all("contact"):
        for scaling in contact.all("inertia_scaling"):
            if read_number(value := _text(scaling)) != 1.0:
                text = f"<inertia_scaling> {value[:40]} of link {quote(name)} is another inertia"
                yield ForeignWord(scaling.line, text, frozenset({name}))
    yield from _ignored(element, name)


def _ignored(element: XmlElement, name: str) -> Iterator[ForeignWord]:
    if element.attributes.get("drake_ignore") == "true":
        text = f'drake_ignore="true" of {element.tag} {quote(name)} takes it out of the robot'
        yield ForeignWord(element.line, text, frozenset({name}))


def _of_robot(element: XmlElement, names: _NamesInFile) -> ForeignWord:
    """An element between links or joints; if it names none of this file it is still taken to act."""
    text = {value for part in element.walk() for value in (*part.attributes.values(), part.text.strip())}
    name = element.attributes.get("name", "")
    called = f" {quote(name)}" if name else ""
    return ForeignWord(
        element.line,
        f"<{element.tag}>{called} is {OF_ROBOT[element.tag]}",
        frozenset(text & (names.links | names.joints)),
    )


def _origin(element: XmlElement, _: _NamesInFile) -> Iterator[ForeignWord]:
    """The pose of the robot in Gazebo's world: a turn about another line than the vertical turns gravity."""
    angles = [read_number(word) for word in element.attributes.get("rpy", "").split()[:2]]
    if any(angle != 0.0 for angle in angles):
        text = f'<origin rpy="{element.attributes["rpy"][:60]}"> of <robot> turns it against gravity in Gazebo'
        yield ForeignWord(element.line, f"{text} (a link world and a turned fixed joint count, as does gravity=)")


def _gazebo(element: XmlElement, names: _NamesInFile) -> Iterator[ForeignWord]:
    of = element.attributes.get("reference", "")
    if not of:
        yield from _gazebo_of_robot(element, names)
    if of in names.links:
        yield from _gazebo_of_link(element, of, has_mass=of in names.heavy)
    if of in names.joints:
        yield from _gazebo_of_joint(element, of)


def _gazebo_of_robot(element: XmlElement, names_in_file: _NamesInFile) -> Iterator[ForeignWord]:
    for child in element.children:
        if child.tag in OF_GAZEBO:
            name = child.attributes.get("name", "")
            yield ForeignWord(child.line, f"<{child.tag}> {quote(name)} of <{GAZEBO}> is {OF_GAZEBO[child.tag]}")
        elif child.tag == "static" and _is_true(_text(child)):
            yield ForeignWord(child.line, f"<static> of <{GAZEBO}> holds the whole robot still")
        elif child.tag == "plugin" and MIMIC_PLUGIN in child.attributes.get("filename", "").lower():
            names = {_text(part) for part in child.walk() if part.tag == "mimicJoint"}
            if not names or names - names_in_file.mimics:
                name = quote(child.attributes.get("name", ""))
                text = f"plugin {name} of <{GAZEBO}> couples joints (as <mimic> it counts)"
                yield ForeignWord(child.line, text, frozenset(names & names_in_file.joints))


def _gazebo_of_link(element: XmlElement, link: str, *, has_mass: bool) -> Iterator[ForeignWord]:
    of = f"of <{GAZEBO}> of link {quote(link)}"
    for child in element.children:
        value = _text(child)
        off = child.tag == "turnGravityOff" and not _is_false(value)
        if has_mass and (off or (child.tag == "gravity" and _is_false(value))):
            yield ForeignWord(child.line, f"<{child.tag}> {value[:40]} {of} takes its weight away", frozenset({link}))
        elif child.tag in OF_LINKS_IN_GAZEBO and any(_counts(_text(part)) for part in child.walk()):
            text = f"<{child.tag}> {of} is {OF_LINKS_IN_GAZEBO[child.tag]}"
            yield ForeignWord(child.line, text, frozenset({link}))


def _gazebo_of_joint(element: XmlElement, joint: str) -> Iterator[ForeignWord]:
    for part in element.walk():
        if part.tag in OF_JOINTS_IN_GAZEBO and _counts(value := _text(part)):
            text = f"<{part.tag}> {value[:40]} of <{GAZEBO}> of joint {quote(joint)} is {OF_JOINTS_IN_GAZEBO[part.tag]}"
            yield ForeignWord(part.line, text, frozenset({joint}), joint)


def _ros2_control(element: XmlElement, names: _NamesInFile) -> Iterator[ForeignWord]:
    for child in element.all("joint"):
        name = child.attributes.get("name", "")
        leads = [param for param in child.all("param") if param.attributes.get("name") == "mimic"]
        if leads and name in names.joints - names.mimics:
            text = f"mimic of <{ROS2}> of joint {quote(name)} is a coupling (as <mimic> of the joint it counts)"
            yield ForeignWord(leads[0].line, text, frozenset({name}), name)
    for transmission in element.all(TRANSMISSION):
        yield from _transmission(transmission, names)


def _transmission(element: XmlElement, names_in_file: _NamesInFile) -> Iterator[ForeignWord]:
    if names := of_several_with_rotors(element):
        name = quote(element.attributes.get("name", ""))
        text = f"<{TRANSMISSION}> {name} between several joints, or of a linkage, has rotors with an inertia"
        yield ForeignWord(element.line, text, frozenset(names) & names_in_file.joints)


_READERS: Mapping[str, Callable[[XmlElement, _NamesInFile], Iterator[ForeignWord]]] = {
    "joint": _joint,
    "link": _link,
    "origin": _origin,
    GAZEBO: _gazebo,
    ROS2: _ros2_control,
    TRANSMISSION: _transmission,
}
"""Readers by the tag of an element of <robot>."""


def _text(element: XmlElement) -> str:
    return element.attributes.get("value", "") or element.text.strip()


def _counts(text: str) -> bool:
    """True if a value has an effect: it is not empty, not zero and not false."""
    return bool(text) and read_number(text) != 0.0 and not _is_false(text)


def _is_true(text: str) -> bool:
    return text.lower() in ("true", "yes", "1")


def _is_false(text: str) -> bool:
    return text.lower() in ("false", "no", "0")
