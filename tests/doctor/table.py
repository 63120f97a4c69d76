"""``PYTHONPATH=src:tests python -m doctor.table``: a hundred planted defects a seed, armdyn beside other programs.

A peer, given as ``--urdf-peer COMMAND`` or ``--mjcf-peer COMMAND``, has found a defect if its output or exit code has a
complaint that names the part, or refuses the file, and that is absent for the file before the defect.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import NamedTuple

import mujoco

from doctor.planted import Planted, judged, planted
from doctor.planted_mjcf import MJCF_PLANTS, clean_mjcf

REFUSED = "refused"
QUIET = ("[info]", "info ", "pass")
"""Words of lines that are no complaint."""


class Row(NamedTuple):
    """A row: who, the seed, defects, found, mended by the first repair, false alarms and the links untouched."""

    program: str
    seed: int
    defects: int
    found: int
    mended: str
    false: str


def of_armdyn(name: str, seed: int, defects: list[Planted]) -> Row:
    """The counts of armdyn."""
    scores = [judged(defect) for defect in defects]
    false, others = (sum(getattr(score, which) for score in scores) for which in ("false", "others"))
    found, mended = (sum(getattr(score, which) for score in scores) for which in ("found", "mended"))
    return Row(name, seed, len(defects), found, str(mended), f"{false} of {others}")


def of_peer(command: str, seed: int, defects: list[Planted]) -> Row:
    """The counts of another program."""
    found = sum(_has_found(command, defect) for defect in defects)
    return Row(Path(shlex.split(command)[0]).name, seed, len(defects), found, "none proposed", "")


def _has_found(command: str, defect: Planted) -> bool:
    before, after = _complaints(command, defect.before), _complaints(command, defect.text)
    new = after - before
    names = {defect.part, defect.link} - {""}
    everywhere = defect.part == "compiler"
    return any(line == REFUSED or everywhere or any(name in line for name in names) for line in new)


@cache
def _complaints(command: str, text: bytes) -> frozenset[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("arm.xml" if b"<mujoco" in text[:2000] else "arm.urdf")
        path.write_bytes(text)
        if command == "mujoco":
            return _of_mujoco(path)
        done = subprocess.run(
            [*shlex.split(command), str(path)], capture_output=True, text=True, check=False, timeout=60
        )
    lines = {line.strip() for line in (done.stdout + done.stderr).splitlines()}
    complaints = {line for line in lines if line and not any(word in line.lower() for word in QUIET)}
    return frozenset(complaints | ({REFUSED} if done.returncode not in (0, 1) else set()))


def _of_mujoco(path: Path) -> frozenset[str]:
    try:
        mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        return frozenset({REFUSED})
    return frozenset()


def main() -> None:
    """Print the rows as a table of Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--urdf-peer", action="append", default=[])
    parser.add_argument("--mjcf-peer", action="append", default=[], help="or mujoco, its compiler")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--peer-seeds", type=int, nargs="+", default=[1], help="of those, for the other programs")
    parser.add_argument("--mjcf", type=Path, nargs="+", default=[], help="MJCF files without findings, in place of own")
    given = parser.parse_args()
    texts = {str(path): path.read_bytes() for path in given.mjcf} or clean_mjcf()
    warnings.simplefilter("ignore")
    print("| files | program | seed | found | mended by the first repair | false alarms on untouched links |")
    print("| --- | --- | --- | --- | --- | --- |")
    for format_, peers in (("URDF", given.urdf_peer), ("MJCF", given.mjcf_peer)):
        for seed in given.seeds if format_ == "MJCF" or not given.mjcf else ():
            defects = list(planted(seed) if format_ == "URDF" else planted(seed, texts, MJCF_PLANTS))
            _print(format_, of_armdyn("armdyn", seed, defects))
            for peer in peers if seed in given.peer_seeds else ():
                _print(format_, of_peer(peer, seed, defects))


def _print(format_: str, row: Row) -> None:
    found = f"{row.found} of {row.defects}"
    print(f"| {format_} | {row.program} | {row.seed} | {found} | {row.mended} | {row.false} |", flush=True)


if __name__ == "__main__":
    main()
