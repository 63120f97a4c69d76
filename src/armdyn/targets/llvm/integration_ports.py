"""The arrays of an integration: those that its loop reads, then those that it writes."""

from __future__ import annotations

from itertools import accumulate

from armdyn.program.integration import LIMITS, PROGRESS, Integration
from armdyn.program.ports import Port


class IntegrationPorts:
    """The arguments and results of the loop by number."""

    def __init__(self, integration: Integration) -> None:
        state, constants = integration.state_ports, integration.held_ports
        inputs = [
            Port("limits", (len(LIMITS),)),
            Port("progress", (len(PROGRESS),)),
            *state,
            *constants,
            Port("times", ()),
        ]
        outputs = [
            Port("progress", (len(PROGRESS),)),
            *state,
            *state,
            Port("pieces", (integration.piece_size,)),
        ]
        self.all = list(enumerate([*inputs, *outputs]))
        self.inputs = self.all[: len(inputs)]
        self.state, self.held = self.all[2 : 2 + len(state)], self.all[2 + len(state) : len(inputs) - 1]
        self.times, self.progress_after = len(inputs) - 1, len(inputs)
        self.state_after = self.all[len(inputs) + 1 : len(inputs) + 1 + len(state)]
        self.rows = self.all[len(inputs) + 1 + len(state) : -1]
        self.pieces = self.all[-1][0]
        self.over_time = {self.times, *(number for number, _ in self.rows), self.pieces}
        self.first = list(accumulate((port.size for port in state), initial=0))[:-1]
        slots = accumulate((port.size for port in integration.rates.inputs), initial=0)
        self.slots = {port.name: slot for port, slot in zip(integration.rates.inputs, slots, strict=False)}
