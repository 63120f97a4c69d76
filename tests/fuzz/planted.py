"""A kind of input whose judge is at fault on purpose: what the harness itself is tested with."""

from __future__ import annotations

import os
from random import Random

from fuzz.cases import Finding, Stage, Verdict


class Planted:
    """Inputs that ask for an exception, a crash, a hang, a difference, or nothing."""

    name, suffix = "planted", ".xml"

    def make(self, rng: Random) -> bytes:
        """One wish among things without meaning."""
        wish = rng.choice(("fine", "fine", "raise", "crash", "crash of the peer", "hang", "difference"))
        return f'<all><some of="them"/><wish for="{wish}"><more/></wish><other/></all>'.encode()

    def judge(self, data: bytes, stage: Stage) -> Verdict:
        """Do what is asked for."""
        stage("armdyn")
        if b'"raise"' in data:
            raise KeyError("planted")
        while b'"hang"' in data:
            pass
        if b'"crash"' in data:
            os._exit(3)
        stage("peer")
        if b'"crash of the peer"' in data:
            os._exit(3)
        return Verdict("compared", Finding("difference", "planted", "seen") if b'"difference"' in data else None)
