"""Arguments of other programs, and of other functions of armdyn, and their counterparts: advice of the errors."""

from __future__ import annotations

OPTIONS = {
    "step": "the step belongs to the method, method=armdyn.simulation.RungeKutta4(step=1e-3)",
    "rtol": "tolerances belong to the method, method=armdyn.simulation.Adaptive(rtol=1e-8, atol=1e-8)",
    "atol": "tolerances belong to the method, method=armdyn.simulation.Adaptive(rtol=1e-8, atol=1e-8)",
    "save_every": "the times that are saved are save=armdyn.simulation.SaveAt(every=0.01), s",
    "times": "the times that are saved are save=armdyn.simulation.SaveAt(times=...), s",
    "dense_output": "interpolants are saved by save=armdyn.simulation.SaveAt(dense=True)",
    "dense": "interpolants are saved by save=armdyn.simulation.SaveAt(dense=True)",
    "redundant": "give elements=[armdyn.simulation.Constraints(redundant=...)]",
    "project": "give elements=[armdyn.simulation.Constraints(project=True)]",
    "stops": "give elements=[armdyn.simulation.Stops(...)]",
    "contact": "give elements=[armdyn.simulation.Contact(...)]",
    "restitution": "give elements=[armdyn.simulation.Stops(restitution=...)]",
    "contacts": "give elements=[armdyn.simulation.Contact(...), ...]",
    "brakes": "give elements=[armdyn.simulation.BrakeSwitches({'joint': [(0.5, 'engaged')]})]",
    **{f"{name}0": f"give elements=[armdyn.simulation.Start({name}=...)]" for name in ("theta", "thetad", "bristles")},
}
"""Options as arguments of their own, and the objects that have them."""

OF_OTHERS = {
    **dict.fromkeys(
        ("dt", "h", "timestep", "time_step", "max_step"),
        "steps of one length belong to a method, method=armdyn.simulation.RungeKutta4(step=1e-3), s; the adaptive "
        "method chooses its own",
    ),
    **dict.fromkeys(
        ("t_span", "tspan", "t_end", "tf", "t_final", "T", "time", "horizon"),
        "a motion goes from t = 0 to duration=, s; save=armdyn.simulation.SaveAt(times=...) chooses the times that are "
        "kept",
    ),
    **dict.fromkeys(("t_eval", "t", "saveat"), "save=armdyn.simulation.SaveAt(times=...), s, chooses the times kept"),
    **dict.fromkeys(
        ("control", "law", "policy"),
        "a declared controller is controller=, a plain function of (t, q, qd) is torque=, or "
        "torque=armdyn.control.callback(function, sample_time=1e-3)",
    ),
    **dict.fromkeys(("tau", "torques", "u", "input"), "joint forces are torque="),
    **dict.fromkeys(("v0", "dq0", "qdot0", "dq"), "joint velocities at t = 0 are qd0="),
    **dict.fromkeys(("wrench", "F_tip", "f_ext", "external_force"), "the wrench that the tip applies is f_tip="),
    **dict.fromkeys(
        ("q_ref", "qd_ref", "Kp", "Ki", "Kd"),
        "inputs of a controller are bound to it, controller=functools.partial(armdyn.control.pd_gravity, q_ref=..., "
        "Kp=..., Kd=...)",
    ),
    "constraints": "constraints are the robot's: robot.with_constraints(...)",
    **dict.fromkeys(("solver", "integrator"), "give method="),
    **dict.fromkeys(("steps", "n_steps", "num_steps"), "give duration=, s, and method=RungeKutta4(step=...)"),
    **dict.fromkeys(("gravity", "g"), "gravity is the robot's: robot.with_gravity((0, 0, -9.81))"),
}
"""Arguments of simulations of other programs, and their counterparts here."""

OF_SIMULATE = {
    "duration": "give steps=, the number of steps",
    **dict.fromkeys(("step", "dt"), "the step belongs to the loop's method, method=RungeKutta4(step=1e-3), or is h="),
    "save_every": "give every=, keep every this many steps",
    **dict.fromkeys(
        ("save", "events"), "the loop's own simulate(q0, steps=..., save=..., events=...) gives a trajectory"
    ),
    "method": "the method belongs to the loop, armdyn.ClosedLoop(robot, controller, method=RungeKutta4(step=1e-3))",
    "controller": "the controller belongs to the loop, armdyn.ClosedLoop(robot, controller)",
    "project": "the projection belongs to the loop, armdyn.ClosedLoop(..., elements=[Constraints(project=True)])",
    **dict.fromkeys(("theta0", "thetad0", "bristles0"), "the initial state of rotors is theta=, thetad=, bristles="),
    "torque": "tau is the controller's; a loop without a controller takes tau=",
    **dict.fromkeys(
        ("elements", "stops", "contacts"), "elements belong to the loop, armdyn.ClosedLoop(..., elements=[Stops(...)])"
    ),
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
