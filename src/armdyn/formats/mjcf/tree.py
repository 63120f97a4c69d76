"""The bodies, joints and sites of a compiled model, as links and joints.

MuJoCo moves a body from its pose in its parent's frame by one joint after the other (its function mj_kinematics):

    hinge   Tr(p) Rot(a, qpos - qpos0) Tr(-p)      anchor p and axis a in the axes of the body
    slide   Tr(a (qpos - qpos0))

Turns about one axis and shifts along one add up, so the part of qpos0 is added to the joint's placement and q is qpos.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from armdyn.base.exact import exact
from armdyn.formats.mjcf.actuator_ranges import effort_range
from armdyn.formats.mjcf.compiler import CompiledMjcf
from armdyn.formats.mjcf.names import Names
from armdyn.formats.mjcf.places import kind_of, pose_of, refuse_what_is_no_place
from armdyn.formats.mjcf.shapes import read_shapes
from armdyn.formats.mjcf.springs import springs_of
from armdyn.model.geometry import Geometry
from armdyn.model.inertia import Inertia
from armdyn.model.limits import Limits
from armdyn.model.parts import JointPart, LinkPart, MultiDofJoint
from armdyn.spatial.rotations import Array, Z, rigid, rotation_about, rotation_from_quaternion


@dataclass
class Tree:
    """The parts of a compiled model, and the positions at which the file draws its joints, qpos0."""

    names: Names
    links: list[LinkPart] = field(default_factory=list)
    joints: list[JointPart] = field(default_factory=list)
    multi_dof: list[MultiDofJoint] = field(default_factory=list)
    geometry: list[Geometry] = field(default_factory=list)
    drawn: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def weld(self, parent: str, link: LinkPart, pose: Array, *, several: bool = False) -> None:
        """A link that is fixed to another, or called so because its joint has several freedoms."""
        self.links.append(link)
        name = self.names.new_joint(f"weld_of_{link.name}")
        self.joints.append(JointPart(name, "fixed", parent, link.name, pose, Z, where=link.where, is_multi_dof=several))


def read_tree(compiled: CompiledMjcf) -> Tree:
    """Every body, joint, site and shape."""
    tree = Tree(Names.of(compiled))
    refuse_what_is_no_place(compiled, tree.names)
    tree.links.append(LinkPart(tree.names.bodies[0], _inertia(compiled, 0)))
    for body in range(1, compiled.m.nbody):
        _add_body(compiled, tree, body)
    _add_sites(compiled, tree)
    tree.geometry, notes = read_shapes(compiled, tree.names)
    tree.notes += notes
    return tree


def _add_body(compiled: CompiledMjcf, tree: Tree, b: int) -> None:
    """A body and its joints: a massless link on each except the last, and the body itself at the end.

    A link's frame is on its joint's axis; if the last hinge's anchor is not the body's origin, the body is welded to
    the link that the hinge moves.
    """
    m, name = compiled.m, tree.names.bodies[b]
    parent, reached = tree.names.bodies[m.body_parentid[b]], pose_of(m.body_pos[b], m.body_quat[b])
    body = LinkPart(name, _inertia(compiled, b), compiled.where(compiled.name("body", b)))
    joints = range(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b])
    several = False
    for j in joints:
        kind, label = kind_of(compiled, j), tree.names.joints[j]
        if kind in ("free", "ball"):
            tree.multi_dof.append(MultiDofJoint(label, kind, name, compiled.where(label)))
            several = True
            continue
        before, after = _placement(compiled, j)
        is_body = j == joints[-1] and np.array_equal(after, np.eye(4))
        link = body if is_body else LinkPart(tree.names.new_link(f"{name}_on_{label}"), where=body.where)
        tree.links.append(link)
        tree.joints.append(_joint(compiled, tree, j, parent, link.name, reached @ before))
        tree.drawn[label] = float(compiled.m.qpos0[compiled.m.jnt_qposadr[j]])
        parent, reached = link.name, after
    if parent != name:
        tree.weld(parent, body, reached, several=several)


def _placement(compiled: CompiledMjcf, j: int) -> tuple[Array, Array]:
    """The constant transforms before and after the joint's own motion by q, in the axes of the body."""
    m = compiled.m
    axis, anchor, at_reference = m.jnt_axis[j], m.jnt_pos[j], float(m.qpos0[m.jnt_qposadr[j]])
    if kind_of(compiled, j) == "prismatic":
        return rigid(p=-at_reference * exact(axis)), np.eye(4)
    return rigid(rotation_about(axis, -at_reference), exact(anchor)), rigid(p=exact(-anchor))


def _joint(compiled: CompiledMjcf, tree: Tree, j: int, parent: str, child: str, placement: Array) -> JointPart:
    m = compiled.m
    k = m.jnt_dofadr[j]
    return JointPart(
        tree.names.joints[j],
        "prismatic" if kind_of(compiled, j) == "prismatic" else "revolute",
        parent,
        child,
        placement,
        m.jnt_axis[j].copy(),
        _limits(compiled, tree, j),
        damping=float(compiled.numbers("dof_damping", k)),
        friction=float(compiled.numbers("dof_frictionloss", k)),
        where=compiled.where(compiled.name("joint", j)),
        armature=float(m.dof_armature[k]),
        parallel_springs=springs_of(compiled, j),
    )


def _limits(compiled: CompiledMjcf, tree: Tree, j: int) -> Limits:
    """The joint's range, and the largest force of actuators on it in either direction."""
    m = compiled.m
    lower, upper = m.jnt_range[j] if m.jnt_limited[j] else (-np.inf, np.inf)
    least, most = effort_range(compiled, j)
    if least != -most:
        tree.notes.append(
            f"the range of what actuators put on joint {tree.names.joints[j]!r} ({least:g} to {most:g}) differs with "
            "the direction; its larger end is taken as the effort limit"
        )
    return Limits(float(lower), float(upper), effort=float(max(abs(least), abs(most))))


def _inertia(compiled: CompiledMjcf, b: int) -> Inertia:
    """Mass, centre of mass and inertia tensor, turned from the principal axes to those of the body."""
    m = compiled.m
    R = rotation_from_quaternion(*m.body_iquat[b])
    return Inertia(float(m.body_mass[b]), m.body_ipos[b], R @ exact(np.diag(m.body_inertia[b])) @ R.T)


def _add_sites(compiled: CompiledMjcf, tree: Tree) -> None:
    """Named sites are frames; one with the name of a body gets "_site" after its name."""
    m, unnamed = compiled.m, 0
    for s in range(m.nsite):
        name = compiled.name("site", s)
        if not name:
            unnamed += 1
            continue
        link = tree.names.new_link(f"{name}_site" if name in tree.names.links else name)
        frame = LinkPart(link, where=compiled.where(name))
        tree.weld(tree.names.bodies[m.site_bodyid[s]], frame, pose_of(m.site_pos[s], m.site_quat[s]))
    if unnamed:
        tree.notes.append(f"{unnamed} of {m.nsite} sites have no name and are left out")
