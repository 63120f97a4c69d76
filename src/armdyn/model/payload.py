"""Payloads: another body on one of the links, merged with it, or an input of the compiled function.

Mass, first moment and second moment of a link and of bodies fixed to it add up, so both ways are exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array, number
from armdyn.base.errors import DTypeError, ModelError
from armdyn.base.exact import exact
from armdyn.model.inertia import Inertia
from armdyn.model.model import Frame, Link, Model
from armdyn.model.notes import renew_notes
from armdyn.spatial.rotations import rigid


def with_payload(
    model: Model,
    inertia: Inertia | ArrayLike | None = None,
    frame: str | None = None,
    *,
    mass: float | None = None,
    com: ArrayLike | None = None,
    name: str | None = None,
    check_inertia: bool = True,
) -> Model:
    """A copy of the robot with a body fixed to one of its frames: a tool, a load, a camera.

    Its inertia is added to the link's, exactly. For a load that changes from state to state make its mass an input:
    ``robot.compile(fn, parameters=["tool0.payload.mass"])``.

    Args:
        inertia: of the body, seen from the frame, an `armdyn.Inertia`; or with ``mass`` the tensor about its centre of
            mass in the frame's axes, kg m^2, shape (3, 3), zero by default.
        frame: name of the frame it is fixed to; the tip by default.
        mass: of the body, kg, in place of an `armdyn.Inertia`.
        com: its centre of mass in the frame, m, shape (3,); the frame's origin by default.
        name: of a new frame at the body's centre of mass, with the axes of the frame; none by default.
        check_inertia: refuse an inertia that no rigid body has; otherwise accept it unchanged, with a note.

    Raises:
        ModelError: an invalid inertia, or a name that is taken.
        UnknownName: a frame the robot does not have.

    >>> robot = armdyn.load("planar_2r")
    >>> load = armdyn.inertia.sphere(0.05, mass=2.0).at([0.1, 0, 0])
    >>> robot.with_payload(load).gravity_forces([0.0, 0.0]) - robot.gravity_forces([0.0, 0.0])
    array([41.202, 21.582])
    >>> robot.with_payload(mass=2.0, com=[0.1, 0, 0]).gravity_forces([0.0, 0.0]) - robot.gravity_forces([0.0, 0.0])
    array([41.202, 21.582])
    """
    place = model.frame(frame)
    subject = f"payload {name!r}" if name is not None else f"payload on {place.name!r}"
    inertia = _body(subject, inertia, mass, com)
    moves = place.link != model.base
    notes = checked_inertia(subject, inertia, check_inertia=check_inertia and moves)
    links = tuple(
        Link(link.name, link.inertia + inertia.seen_from(place.pose)) if link.name == place.link else link
        for link in model.links
    )
    frames = model.frames
    if name is not None:
        if not isinstance(name, str) or not name.strip():
            raise ModelError(f"the payload is called {name!r}; expected a name.")
        if name in {other.name for other in frames}:
            raise ModelError(f"{model.name!r} has a frame {name!r} already; give the payload another name.")
        frames = (*frames, Frame(name, place.link, exact(place.pose) @ rigid(p=exact(inertia.com))))
    return renew_notes(model, model.replace(links=links, frames=frames), *notes)


def _body(subject: str, inertia: object, mass: float | None, com: ArrayLike | None) -> Inertia:
    """The inertia given as an `armdyn.Inertia`, or by mass, centre of mass and tensor."""
    if mass is None and com is None:
        return _refuse_what_is_no_inertia(subject, inertia)
    if mass is None or isinstance(inertia, Inertia):
        values = "com without mass" if mass is None else "both an armdyn.Inertia and mass= or com="
        raise ModelError(f"{subject}: {values}; give an armdyn.Inertia, or mass=, com= and the tensor inertia=.")
    m = number(f"mass of the {subject}", mass, least=0.0, unit="kg")
    at = np.zeros(3) if com is None else array(f"com of the {subject}", com, (3,), "m")
    tensor = np.zeros((3, 3)) if inertia is None else array(f"inertia of the {subject}", inertia, (3, 3), "kg m^2")
    return Inertia(m, at, tensor)


def _refuse_what_is_no_inertia(subject: str, inertia: object) -> Inertia:
    if not isinstance(inertia, Inertia):
        raise DTypeError(
            f"{subject} is {inertia!r}; expected an armdyn.Inertia, such as armdyn.inertia.sphere(0.05, mass=2.0), "
            "or mass=2.0 and com=(0, 0, 0.1)"
        )
    return inertia


def checked_inertia(subject: str, inertia: Inertia, *, check_inertia: bool) -> list[str]:
    """The notes on an inertia that no rigid body has; an error if it is to be checked."""
    _refuse_what_is_no_inertia(subject, inertia)
    problems = [f"{subject}: {problem}." for problem in inertia.problems()]
    if problems:
        raise ModelError(problems)
    impossible = [f"{subject}: {problem}" for problem in inertia.impossibilities()]
    if impossible and check_inertia:
        remedy = "mend it, or take it as it stands with check_inertia=False"
        raise ModelError([f"{problem}; {remedy}." for problem in impossible])
    return [f"{problem}; taken as it stands" for problem in impossible]


PAYLOAD = ".payload"
"""The word between the name of a frame and the quantity of the payload on it."""

POINT: dict[str, Any] = {"com": np.zeros(3), "inertia": np.zeros((3, 3))}
"""The defaults of a payload except its mass: a point at the frame's origin."""


def payload_frame(model: Model, owner: str) -> str | None:
    """The frame that the owner of a parameter means, "tool0" of "tool0.payload"; None if it means no payload.

    A link of that full name has priority. A payload on the base loads no joint, and is not counted as one.
    """
    if not owner.endswith(PAYLOAD) or owner in model.link_names:
        return None
    name = owner.removesuffix(PAYLOAD)
    return name if any(frame.name == name and frame.link != model.base for frame in model.frames) else None


def check_complete(of_payload: dict[str, dict[str, Any]]) -> None:
    """Refuse a payload whose centre or inertia is an input and whose mass is not: no body would have them."""
    for owner, values in of_payload.items():
        if "mass" not in values:
            text = " and ".join(f"'{owner}.{quantity}'" for quantity in values)
            raise ModelError(f"{text} without '{owner}.mass' describe no body; make the mass an input too.")
