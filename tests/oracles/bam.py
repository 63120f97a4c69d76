"""BAM's friction budgets M1 to M6, written down from its documentation with branches, and solved by bisection."""

from mpmath import exp, mp, mpf, sign

mp.dps = 50


def budget(law, numbers, rate, motor, external):
    """The size of the friction for the torques of the motor and of what acts from outside."""
    n = {name: mpf(value) for name, value in numbers.items()}
    S = exp(-(abs(rate / n["speed"]) ** n["exponent"])) if "speed" in n else mpf(0)
    F = n["viscous"] * abs(rate) + n["coulomb"]
    if law in ("M3", "M4"):
        assert n["motor"] == n["external"]
        F += n["motor"] * abs(motor - external)
    if law == "M2":
        F += S * n["stribeck"]
    if law == "M4":
        F += S * (n["stribeck"] + n["motor_stribeck"] * abs(motor - external))
    if law in ("M5", "M6"):
        F += abs(n["motor"] * motor - n["external"] * external)
        at_rest = n["stribeck"] + abs(n["motor_stribeck"] * motor - n["external_stribeck"] * external)
        if law == "M6" and sign(external) != sign(motor):
            if abs(motor) > abs(external):
                at_rest += n["external_quadratic"] * external**2
            if abs(motor) < abs(external):
                at_rest += n["motor_quadratic"] * motor**2
        F += S * at_rest
    return F


def friction(law, numbers, rate, load, halvings=160):
    """f with |f| = budget at a motor's torque of load + f: the friction of steady motion against -load from outside."""
    rate, load = mpf(rate), mpf(load)
    direction = sign(rate)

    def excess(F):
        return F - budget(law, numbers, rate, load + direction * F, -load)

    low, high = mpf(0), mpf(1)
    while excess(high) < 0:
        high *= 2
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    return direction * (low + high) / 2
