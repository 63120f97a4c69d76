"""Torque errors of identified robots on logs of real arms: ``python -m benchmarks.identification DATA``.

DATA has the folders ur10e, panda and tx40. The UR10e is fitted on seven training motions, the Panda and the TX40 on the
files that end in ``first_60_percent.csv``. Every other moving log of the same arm is a check that the fit has not seen.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import armdyn
from armdyn.identification import Fit
from benchmarks.cases import CASES

UR10E_GAINS = (10.0, 10.6956, 8.4566, 9.0029, 9.48, 10.1232)
UR10E_COLUMNS = {"t": 0, "q": slice(1, 7), "qd": slice(7, 13), "current": slice(13, 19)}
UR10E_TRAINING = (
    "20_02_05-20sec_12harm", "20_02_06-20sec_10harm", "20_02_06-20sec_5harm", "20_02_10-20sec_7harm",
    "20_02_12-40sec_12harm", "20_02_12-50sec_12harm", "20_02_19_14harm50sec",
)  # fmt: skip

PANDA: dict[str, Any] = {
    "cutoff": 10.0, "friction": ("viscous", "coulomb", "offset", "spring"), "gain_spread": 0.05, "stiffness": 14000.0,
}  # fmt: skip

TX40_DRIVES = np.diag([32.0, 32.0, 45.0, -48.0, 45.0, 32.0])
TX40_DRIVES[5, 4] = 32.0  # motor 6 turns with joint 5
TX40_ZERO = (0.0, -np.pi / 2, np.pi / 2, 0.0, 0.0, 0.0)
TX40_RATE = 5000.0


UR10E_DAYS = (
    ("20_01_31-unload", "20_01_31-load"),
    ("20_02_19_14harm50sec", "20_02_19_15harm50secLoad"),
)
"""Logs without and with one body on two days."""
UR10E_BODY = 2.805


def ur10e(folder: Path) -> None:
    robot = armdyn.load(str(folder / "ur10e.urdf"))
    payloads(folder, robot)
    options: dict[str, Any] = {"columns": UR10E_COLUMNS, "gains": UR10E_GAINS}
    files = sorted(folder.glob("*.csv"))
    training = [path for path in files if path.stem.endswith(UR10E_TRAINING)]
    start = time.perf_counter()
    logs = [armdyn.logs.read(path, robot, **options) for path in training]
    read = time.perf_counter()
    fit = armdyn.identify(robot, logs)
    print(
        f"ur10e: {sum(map(len, logs)):,} rows read in {read - start:.2f} s, fit in {time.perf_counter() - read:.2f} s"
    )
    for path in files:
        if path not in training and "oad" not in path.stem:
            show(fit, armdyn.logs.read(path, robot, **options))
    for path in files:
        if path not in training:
            log = armdyn.logs.read(path, robot, **options)
            hits = armdyn.identification.collisions(fit, log, quiet=logs)
            times = ", ".join(f"{each.start:.1f} to {each.end:.1f} s" for each in hits.events) or "none"
            print(f"contact in {path.stem}, {log.duration:.0f} s: {times}")
    print("thresholds of contact:", hits.threshold.round(1), end="\n\n")


def payloads(folder: Path, robot: armdyn.Robot) -> None:
    """The mass of the body on each day, with gains that its stated mass gives on the other."""
    days = [
        [armdyn.logs.read(folder / f"ur-{name}.csv", robot, columns=UR10E_COLUMNS) for name in day]
        for day in UR10E_DAYS
    ]
    for (known, other), name in zip((days, days[::-1]), ("second", "first"), strict=True):
        gains = armdyn.identification.drive_gains(robot, known[0], loaded=known[1], mass=UR10E_BODY, frame="tool0")
        body = armdyn.identification.payload(robot, other[1], unloaded=other[0], gains=gains.values, frame="tool0")
        low, high = body.intervals["mass"]
        print(
            f"ur10e: {body.mass:.3f} kg ({low:.3f} to {high:.3f}) on the {name} day for the stated {UR10E_BODY}, "
            f"{100 * (body.mass / UR10E_BODY - 1):+.1f} %; gains over published "
            f"{(gains.values / UR10E_GAINS).round(2)} from the other day"
        )


def panda(folder: Path) -> None:
    robot = armdyn.load(CASES["panda"]()[0])
    robot = robot.with_locked(dict.fromkeys(robot.joint_names[7:], 0.0))
    training, others = split(folder)
    fit = armdyn.identify(robot, training, **PANDA)
    print(f"panda: smallest eigenvalue of a pseudo-inertia {np.linalg.eigvalsh(fit.pseudo_inertias).min():.3g}")
    for path in others or training:
        show(fit, armdyn.logs.read(path, robot))


def tx40(folder: Path) -> None:
    robot = armdyn.load(str(folder / "tx40.urdf"))
    training, others = split(folder, "pos_read_data*.csv")
    fit = armdyn.identify(robot, [tx40_log(path, robot) for path in training], cutoff=15.0)
    for path in others or training:
        show(fit, tx40_log(path, robot))


def tx40_log(positions: Path, robot: armdyn.Robot) -> armdyn.logs.Log:
    """The log of motors: positions in rad, torques in N m."""
    theta = np.loadtxt(positions, delimiter=",", skiprows=1)
    torques = np.loadtxt(
        positions.with_name(positions.name.replace("pos_read_data", "curr_data")), delimiter=",", skiprows=1
    )
    t = np.arange(len(theta)) / TX40_RATE
    log = {"t": t, "q": theta, "tau": torques}
    return armdyn.logs.read(log, robot, drives=TX40_DRIVES, zeros=TX40_ZERO, name=positions.stem)


def split(folder: Path, pattern: str = "*.csv") -> tuple[list[Path], list[Path]]:
    """The files to fit and those to check."""
    files = sorted(folder.glob(pattern))
    training = [path for path in files if path.stem.endswith("first_60_percent")]
    return training, [path for path in files if path not in training]


def show(fit: Fit, log: armdyn.logs.Log) -> None:
    print(fit.check(log), end="\n\n")


def main(folder: Path) -> None:
    for part in (ur10e, panda, tx40):
        if (folder / part.__name__).is_dir():
            part(folder / part.__name__)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.identification DATA")
    main(Path(sys.argv[1]))
