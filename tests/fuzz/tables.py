# ruff: noqa: E501 - columns of tables
"""Tables of states that the command line reads: it ends with 0, or with 2 and a message."""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from functools import cached_property
from pathlib import Path
from random import Random
from unittest import mock

from fuzz import numbers
from fuzz.cases import Finding, Stage, Verdict
from fuzz.damage import damage

COLUMNS = (
    *("q_joint_1", "q_joint_2", "qd_joint_1", "qd_joint_2", "qdd_joint_1", "qdd_joint_2", "t", "q_joint_1 [deg]", "q_joint_2 [rad]"),
    *("q_joint_3", "qd_joint_1 [rad/s]", "", " ", "q", "q_0", "Q_JOINT_1", "tau_joint_1", "f_tip", "\ufeffq_joint_1", "[bold]x[/]"),
)  # fmt: skip


class Tables:
    """Damaged tables."""

    name, suffix = "tables", ".csv"

    @cached_property
    def path(self) -> Path:
        """The table."""
        return Path(tempfile.mkdtemp(prefix="armdyn-fuzz-")) / "states.csv"

    def make(self, rng: Random) -> bytes:
        """A table with odd columns and numbers, now and then damaged."""
        usual = [c for c in COLUMNS[:6] if rng.random() < 0.8]
        columns = usual + [c for c in COLUMNS[6:] if rng.random() < 0.06]
        rng.shuffle(columns)
        separator = rng.choice((",", ",", ",", ";", "\t", ", ", "|"))
        rows = [columns] if rng.random() < 0.95 else []
        for _ in range(rng.choice((0, 1, 2, 5))):
            row = [repr(rng.uniform(-3, 3)) for _ in columns]
            if rng.random() < 0.2 and row:
                row[rng.randrange(len(row))] = rng.choice(numbers.ODD)
            if rng.random() < 0.05:
                row = row[: rng.randrange(len(row) + 1)]
            rows.append(row)
        data = rng.choice(("\n", "\n", "\r\n")).join(separator.join(row) for row in rows).encode()
        for _ in range(rng.choice((0, 0, 0, 1, 2))):
            data = damage(data, rng)
        return data

    def judge(self, data: bytes, stage: Stage) -> Verdict:
        """Compute torques from it on the command line."""
        from armdyn.cli import main

        self.path.write_bytes(data)
        out = self.path.with_name("out.csv")
        stage("armdyn")
        arguments = ["armdyn", "torque", "planar_2r", "--motion", str(self.path), "--out", str(out)]
        with (
            warnings.catch_warnings(),
            mock.patch.object(sys, "argv", arguments),
            Path(os.devnull).open("w") as nothing,
        ):
            warnings.simplefilter("ignore", UserWarning)
            try:
                with mock.patch.object(sys, "stdout", nothing), mock.patch.object(sys, "stderr", nothing):
                    main()
                code: object = 0
            except SystemExit as end:
                code = end.code
        if code not in (0, 2, None):
            return Verdict("ended", Finding("exception", f"exit code {code}", f"the command line ended with {code!r}"))
        return Verdict("refused" if code == 2 else "computed")
