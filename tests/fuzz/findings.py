"""Where findings go: one folder, one input and one text for each cause."""

from __future__ import annotations

import hashlib
import json
import traceback
from collections.abc import Callable
from pathlib import Path

from fuzz.cases import OURS, Finding, Hang, Kind, Verdict, input_of


def judged(kind: Kind, data: bytes, stage: Callable[[str], None]) -> Verdict:
    """The verdict on an input; what is raised and not ours, and what takes too long, is a finding."""
    try:
        return kind.judge(data, stage)
    except Hang:
        raised = traceback.format_exc(limit=-12)
        return Verdict("hang", Finding("hang", _place_of_hang(raised), raised))
    except Exception as error:
        return Verdict("exception", Finding("exception", _place(error), traceback.format_exc(limit=-12)))


def _place(error: BaseException) -> str:
    """The kind of exception and the innermost line of ours."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(OURS)]
    where = f"{Path(frames[-1].filename).name}:{frames[-1].name}" if frames else "outside"
    return f"{type(error).__name__} in {where}"


def _place_of_hang(text: str) -> str:
    lines = [line for line in text.splitlines() if OURS in line]
    return f"hang in {lines[-1].rpartition('/')[2]}" if lines else "hang outside"


class Store:
    """Writes findings into a folder, the first of each cause with its input."""

    def __init__(self, folder: Path, kind: Kind, seed: int) -> None:
        self.folder, self.kind, self.seed = folder, kind, seed

    def add(self, index: int, finding: Finding, minimal: bytes) -> Path | None:
        """Keep a finding; None where its cause is known already."""
        self.folder.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256(f"{self.kind.name} {finding.what} {finding.signature}".encode()).hexdigest()[:10]
        text = self.folder / f"{self.kind.name}-{finding.what}-{digest}.json"
        try:
            file = text.open("x")
        except FileExistsError:
            return None
        reproducer = text.with_suffix(self.kind.suffix)
        about = {
            "kind": self.kind.name,
            "seed": self.seed,
            "index": index,
            "what": finding.what,
            "signature": finding.signature,
            "detail": finding.detail.splitlines(),
            "input": reproducer.name,
            "whole input": f"python -m tests.fuzz --kind {self.kind.name} --seed {self.seed} --show {index}",
        }
        with file:
            json.dump(about, file, indent=1)
        reproducer.write_bytes(minimal)
        text.with_suffix(".whole").write_bytes(input_of(self.kind, self.seed, index))
        return reproducer

    def knows(self, finding: Finding) -> bool:
        """Whether a finding of this cause was kept already."""
        digest = hashlib.sha256(f"{self.kind.name} {finding.what} {finding.signature}".encode()).hexdigest()[:10]
        return (self.folder / f"{self.kind.name}-{finding.what}-{digest}.json").exists()
