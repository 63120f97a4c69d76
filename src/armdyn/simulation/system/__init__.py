"""Mechanical systems: coordinates, states, equations of motion, and rows of bounded forces.

A motion has coordinates x of joints and of rotors on springs, velocities v, and states z of bristles and elements
(`system`). Rows a . v of joints with dry friction (`friction_rows`), stops and contacts have forces within bounds, and
the mode of a row is to be held at rest, to slip in a direction, or to be open. In given modes the equations of motion
are traced once (`mode_motion`): compiled loops between events (`segment`, `rates`), event-driven
motions on numbers (`bounded_rows`) and time steps (`frictional_arm`) evaluate them. The modes of rows at rest, impacts
and time steps are one boxed LCP in the metric of M^-1 (`bounded`) with Newton's method for friction under load: on
numbers, for one state, until it is right (`at_rest`, `holding`), or in a program, for batches and loops
(`frictional_arm`, `response`). States are put back onto constraints, without moving joints that are held
(`corrections`).
"""

from armdyn.base.lazy import modules_of

__getattr__ = modules_of(__name__)
