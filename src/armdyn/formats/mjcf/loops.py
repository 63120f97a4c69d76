"""Equalities of MJCF between bodies: connect and weld, which close loops.

MuJoCo keeps two points together, and for a weld two sets of axes (its function mj_instantiateEquality):

    connect   body1 data[0:3]                    at  body2 data[3:6]
    weld      body1 (data[3:6], quat data[6:10]) at  body2 (data[0:3], no turn)

or two sites. Here they hold exactly; MuJoCo makes them compliant (solref, solimp).
"""

from __future__ import annotations

from armdyn.base.exact import exact
from armdyn.constraints.held import AXES, POSITIONS, Held
from armdyn.formats.mjcf.compiler import CompiledMjcf
from armdyn.formats.mjcf.names import Names
from armdyn.formats.mjcf.places import pose_of
from armdyn.model.model import Model
from armdyn.spatial.rotations import Array, rigid

KINDS = ("connect", "weld")


def with_loops(model: Model, compiled: CompiledMjcf, names: Names) -> Model:
    """The model with the constraints that connect and weld its bodies to each other."""
    loops, notes = [], []
    carriers = {frame.name: frame.link for frame in model.frames}
    for e, kind in compiled.equalities():
        if kind not in KINDS:
            continue
        (first, T1), (second, T2) = _ends(compiled, names, e, kind)
        name = compiled.name("equality", e) or f"equality_{e}"
        if first not in carriers or second not in carriers:
            notes.append(f"equality {name!r} between {first!r} and {second!r} is left out: one of them is")
        elif carriers[first] != carriers[second]:
            turns = kind == "weld" and compiled.m.eq_data[e, 10] != 0.0  # torquescale 0: free to turn
            axes = AXES if turns else POSITIONS
            loops.append(Held(first, second, axes, T1, T2, name, "base"))
    if loops:
        notes.append(
            f"equality constraints hold exactly, solref and solimp are not used: {', '.join(one.name for one in loops)}"
        )
    return model.replace(constraints=(*model.constraints, *loops), notes=(*model.notes, *notes))


def _ends(compiled: CompiledMjcf, names: Names, e: int, kind: str) -> tuple[tuple[str, Array], tuple[str, Array]]:
    """The two bodies, and the poses on them that are kept together."""
    m, data = compiled.m, compiled.m.eq_data[e]
    ids = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
    if hasattr(m, "eq_objtype") and m.eq_objtype[e] == int(compiled.mujoco.mjtObj.mjOBJ_SITE):
        first, second = ((names.bodies[m.site_bodyid[s]], pose_of(m.site_pos[s], m.site_quat[s])) for s in ids)
        return first, second
    if kind == "connect":
        poses = rigid(p=exact(data[0:3])), rigid(p=exact(data[3:6]))
    else:
        poses = pose_of(data[3:6], data[6:10]), rigid(p=exact(data[0:3]))
    return (names.bodies[ids[0]], poses[0]), (names.bodies[ids[1]], poses[1])
