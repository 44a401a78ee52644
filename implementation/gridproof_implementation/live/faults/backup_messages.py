"""Backup messages that arrive at a member are late, or get lost: where its agent has a message gate."""

from dataclasses import dataclass
from random import Random

from gridproof_implementation.adapter import FaultCondition
from gridproof_implementation.live.addresses import Addresses
from gridproof_implementation.live.fault import Heal, LiveFault, LiveSetting, draw_at_one_address, say_members
from gridproof_implementation.simulator.scenario import FaultEvent

BACKUP = "backup"
"""The kind of message, by the name that an agent's hello gives it."""


@dataclass(frozen=True, slots=True)
class _BackupMessages:
    """One way in which the gate treats them."""

    name: str
    verb: str
    words: str

    def draw(self, rng: Random, setting: LiveSetting) -> FaultEvent:
        """Draw one address."""
        return draw_at_one_address(self.name, rng, setting)

    def inject(self, addresses: Addresses, fault_event: FaultEvent) -> Heal | None:
        """Have the gate of the member there stop them; ending the rule heals, and lets go what it held, in order."""
        (address_index,) = fault_event.address_indices
        return addresses.stop_messages(address_index, self.verb, BACKUP)

    def describe(self, fault_event: FaultEvent) -> str:
        """Say whose messages."""
        who = say_members(fault_event.address_indices)
        return f"backup messages to {who} are {self.words} for {fault_event.for_ms} ms"


_LATE, _LOST = _BackupMessages("late-backups", "hold", "held"), _BackupMessages("lost-backups", "drop", "lost")
LATE = LiveFault(
    _LATE.name, "backup messages to a member arrive late, in order", ("delays",), _LATE.draw, _LATE.inject,
    _LATE.describe, lambda _: FaultCondition.SLOW, needs_gate=True,
)  # fmt: skip
LOST = LiveFault(
    _LOST.name, "backup messages to a member get lost", ("losses",), _LOST.draw, _LOST.inject, _LOST.describe,
    lambda _: FaultCondition.LOSSY, needs_gate=True,
)  # fmt: skip
