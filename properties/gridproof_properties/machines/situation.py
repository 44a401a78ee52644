"""What may be asked while everything promised is owed.

The rules of an allowed program: the first member comes to rest before anybody works; members join at rest only
(placement.11: a join that interrupts another may leave shares uneven), and but for a second or so time passes at rest
only; no more crash between two rests than backups can make up for, and somebody stays of those who had everything at
the latest rest; copies are not looked at for what an acknowledgement means while a partition may be on its way to a
holder that is not there yet. A state machine keeps to them, and so does a program that is made shorter: outside, a good
grid may fail.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from gridproof_properties.audits.client_calls import Read
from gridproof_properties.machines.program import Crash, Leave, LookAtCopies, Settle, Start, Step, Wait

UNSEEN_MS = 1_500
"""How long may be waited before the next look at rest: else nobody could say whether stated times were kept."""


@dataclass(slots=True)
class Situation:
    """Where a program stands, by its own steps."""

    backup_count: int
    data: list[int] = field(default_factory=list)
    """Data members that run, oldest first, by their names in the program."""
    lite: list[int] = field(default_factory=list)
    """Lite members that run."""
    rested: set[int] = field(default_factory=set)
    """Data members of the latest rest that still run: between them they have everything."""
    at_rest: bool = True
    is_founded: bool = False
    """Whether it has been at rest with a member."""
    is_moving: bool = False
    """Whether a member has joined or left since the latest rest."""
    unseen_ms: int = 0
    """How long was waited since the latest rest."""
    crashed: int = 0
    """Members that have crashed since the latest rest."""

    def allows(self, step: Step) -> bool:
        """Whether a step is allowed now."""
        match step:
            case Start():
                return self.at_rest
            case Crash(member):
                spare = self.crashed < max(1, self.backup_count)
                return self.is_founded and spare and self._can_spare(member) and bool(self.rested - {member})
            case Leave(member):
                return self.is_founded and self._can_spare(member)
            case Read(through=int(member)):
                return self.is_founded and member in (*self.data, *self.lite)
            case LookAtCopies():
                return self.is_founded and not self.is_moving
            case Settle():
                return bool(self.data)
            case Wait(duration_ms):
                return self.is_founded and (self.at_rest or self.unseen_ms + duration_ms <= UNSEEN_MS)
            case _:
                return self.is_founded

    def _can_spare(self, member: int) -> bool:
        return member in self.data and len(self.data) > 1

    def take(self, step: Step) -> None:
        """A step was taken; one that waited for rest did not wait in vain."""
        match step:
            case Start(member, lite):
                (self.lite if lite else self.data).append(member)
                self.at_rest, self.is_moving = False, True
            case Leave(member):
                self.data.remove(member)
                self.rested.discard(member)
                self.at_rest, self.is_moving = False, True
            case Crash(member):
                self.data.remove(member)
                self.rested.discard(member)
                self.at_rest, self.crashed = False, self.crashed + 1
            case Settle():
                self.is_founded, self.rested = True, set(self.data)
                self.at_rest, self.is_moving, self.crashed, self.unseen_ms = True, False, 0, 0
            case Wait(duration_ms):
                self.unseen_ms += 0 if self.at_rest else duration_ms
            case _:
                pass


def is_allowed(steps: Iterable[Step], backup_count: int) -> bool:
    """Whether every step of a program is allowed."""
    situation = Situation(backup_count)
    for step in steps:
        if not situation.allows(step):
            return False
        situation.take(step)
    return True
