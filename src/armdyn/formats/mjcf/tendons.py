"""The bodies that a tendon of MJCF pulls at."""

from __future__ import annotations

from collections.abc import Iterator

from armdyn.formats.mjcf.compiler import CompiledMjcf
from armdyn.formats.mjcf.names import Names
from armdyn.model.model import Model


def pulls_at(compiled: CompiledMjcf, names: Names, model: Model, t: int) -> bool:
    """True if a motion of the model changes the length of tendon t.

    A fixed tendon has joints; a spatial one runs over sites and geoms, of which not all are on one link.
    """
    m, wraps = compiled.m, compiled.mujoco.mjtWrap
    path = range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t])
    joints = {names.joints[m.wrap_objid[w]] for w in path if m.wrap_type[w] == int(wraps.mjWRAP_JOINT)}
    if not joints.isdisjoint(model.joint_names):
        return True
    carriers = {frame.name: frame.link for frame in model.frames}
    links = {carriers.get(names.bodies[body], model.base) for body in _bodies(compiled, path)}
    return len(links) > 1


def _bodies(compiled: CompiledMjcf, path: range) -> Iterator[int]:
    """The bodies of the sites and geoms on the path of a spatial tendon."""
    m, wraps = compiled.m, compiled.mujoco.mjtWrap
    of_kind = {
        int(wraps.mjWRAP_SITE): m.site_bodyid,
        int(wraps.mjWRAP_SPHERE): m.geom_bodyid,
        int(wraps.mjWRAP_CYLINDER): m.geom_bodyid,
    }
    for w in path:
        if int(m.wrap_type[w]) in of_kind:
            yield int(of_kind[int(m.wrap_type[w])][m.wrap_objid[w]])
