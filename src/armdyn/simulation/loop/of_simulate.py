"""Arguments of `armdyn.simulate` that a call of a closed loop does not have, and their counterparts."""

from __future__ import annotations

OF_SIMULATE = {
    "duration": "give steps=, the number of steps",
    **dict.fromkeys(("step", "dt"), "the step belongs to the loop's method, method=RungeKutta4(step=1e-3), or is h="),
    **dict.fromkeys(("save", "save_every"), "give every=, keep every this many steps"),
    "method": "the method belongs to the loop, armdyn.ClosedLoop(robot, controller, method=RungeKutta4(step=1e-3))",
    "controller": "the controller belongs to the loop, armdyn.ClosedLoop(robot, controller)",
    "project": "the projection belongs to the loop, armdyn.ClosedLoop(..., elements=[Constraints(project=True)])",
    **dict.fromkeys(("theta0", "thetad0", "bristles0"), "the initial state of rotors is theta=, thetad=, bristles="),
    "torque": "tau is the controller's; a loop without a controller takes tau=",
    **dict.fromkeys(
        ("elements", "stops", "contacts"), "elements belong to the loop, armdyn.ClosedLoop(..., elements=[Stops(...)])"
    ),
    "events": "events are located by armdyn.simulate(robot, q0, duration=..., controller=..., events=[...])",
}
"""Advice by the name of an argument of `armdyn.simulate`."""

OF_LOOPS = {
    **dict.fromkeys(
        ("step", "dt", "h", "sample_time"), "the step belongs to the method, give method=RungeKutta4(step=1e-3), s"
    ),
    "project": "give elements=[armdyn.simulation.Constraints(project=True)]",
    "brakes": "give elements=[armdyn.simulation.BrakeSwitches({'joint': [(0.5, 'engaged')]})], an empty list of "
    "switches if the controller or the input brakes= switches",
    "stops": "give elements=[armdyn.simulation.Stops(...)]",
    "contacts": "give elements=[armdyn.simulation.Contact(...), ...]",
}
"""Parts of the mechanical system as arguments of their own, and the elements that they are."""
