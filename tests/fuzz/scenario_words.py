"""Scenarios of motions and studies, damaged more: read once, which none but armdyn's own errors may end."""

from __future__ import annotations

from random import Random

import yaml

import armdyn
from fuzz import plain_data, scenarios
from fuzz.cases import Finding, Stage, Verdict, refused
from fuzz.damage import damage
from fuzz.scenarios import KNOWN, Scenarios

SIZES = (
    "steps",
    "delayed",
    "noisy",
    "every",
    "runs",
    "chunk",
    "duration",
    "step",
    "save",
    "seed",
    "grid",
    "samples",
)
"""Words of which a scenario states a size."""


class ScenarioWords(Scenarios):
    """Scenarios with two to five changes, and every fourth with damaged bytes."""

    name = "scenario_words"

    def make(self, rng: Random) -> bytes:
        """A scenario whose words and sizes are others."""
        said = scenarios.study_of(rng) if rng.random() < 0.4 else scenarios.motion_of(rng)
        for _ in range(rng.randint(2, 5)):
            plain_data.changed(said, rng, (*KNOWN, *SIZES))
        if rng.random() < 0.2:
            said[rng.choice(SIZES)] = rng.choice((10**9, 10**18, 1e300, -1, 0, 0.5, 10**30, [10**9], {"steps": 10**12}))
        data = yaml.safe_dump(said, sort_keys=False, allow_unicode=True).encode()
        return damage(data, rng) if rng.random() < 0.25 else data

    def judge(self, data: bytes, stage: Stage) -> Verdict:
        """Read as a motion or as a study, or refused by one message that can be printed."""
        stage("armdyn")
        try:
            self._read(data)
        except armdyn.ArmdynError as error:
            str(error).encode()
            return refused(error) if "Traceback" not in str(error) else Verdict("", Finding("exception", "message", ""))
        return Verdict("read")
