"""Faults that end or pause processes and hosts of a live fleet."""

from collections.abc import Collection, Sequence
from functools import partial
from random import Random
from time import sleep

from gridproof_implementation.adapter import FaultCondition
from gridproof_implementation.live.addresses import Addresses
from gridproof_implementation.live.answers import LEAVE
from gridproof_implementation.live.attached import Command
from gridproof_implementation.live.fault import Heal, LiveFault, LiveSetting, others
from gridproof_implementation.live.network import ORPHANS_S
from gridproof_implementation.simulator.scenario import FaultEvent

PROCESS, MACHINE = 0, 1
"""Values of the `amount` of a fault event, as in a simulation."""
_HOST_OF = "the host of "


class Crash(LiveFault):
    """A member's process or host ends at once."""

    def draw(self, rng: Random, setting: LiveSetting) -> FaultEvent:
        """Draw one address; if members have hosts, its process or its host with equal probability, else its process."""
        address_indices = (setting.address_index(rng),)
        amount = MACHINE if rng.random() < 0.5 and setting.networked else PROCESS
        return FaultEvent(self.name, *setting.times_ms(rng), address_indices, amount)

    def inject(self, addresses: Addresses, fault_event: FaultEvent) -> Heal | None:
        """Kill the process (SIGKILL); if the host ends, its link goes down first."""
        (address_index,) = fault_event.address_indices
        if addresses.struck_at(address_index) is None:
            return None
        is_machine = fault_event.amount == MACHINE
        return _end(addresses, address_index, addresses.hosts(fault_event.address_indices) if is_machine else [])

    def amounts(self, members: int) -> Collection[int]:
        """Return the amount that means a process, and the amount that means its host."""
        return PROCESS, MACHINE

    def condition_of(self, words: str) -> FaultCondition:
        """Return the condition: a crash of the host, or of the process alone."""
        return FaultCondition.HOST_CRASH if words.startswith(_HOST_OF) else FaultCondition.CRASH

    def describe(self, fault_event: FaultEvent) -> str:
        """Say what ended."""
        what = _HOST_OF if fault_event.amount == MACHINE else ""
        return f"{what}{fault_event.who} crashes, and starts again after {fault_event.for_ms} ms"


class CutAndCrash(LiveFault):
    """A host is cut off, and then ends.

    This fault shows differences between systems (docs/faults-on-live-systems.md): if a primary acknowledges a write
    after it was cut off, and does not wait for its backups, no other member has the write, and what the primary's
    sockets still contain never leaves the host.
    """

    def inject(self, addresses: Addresses, fault_event: FaultEvent) -> Heal | None:
        """Cut the host off; at the end of the fault event its link goes down, and its process is killed and started
        again."""
        (address_index,) = fault_event.address_indices
        if addresses.struck_at(address_index) is None:
            return None
        (host,) = addresses.hosts(fault_event.address_indices)
        rest = addresses.hosts(others(fault_event.address_indices, len(addresses)))
        cut = addresses.network.cut([pair for other in rest for pair in ((host, other), (other, host))])

        def heal() -> int | None:
            start = _end(addresses, address_index, [host])
            addresses.network.heal(cut)
            return start()

        return heal


def _end(addresses: Addresses, address_index: int, hosts: Sequence[int]) -> Heal:
    """Kill the member at an address; the links of its host go down first, so that nothing in its sockets leaves it."""
    for host in hosts:
        addresses.network.unplug(host)
    addresses.crash(address_index)

    def heal() -> int:
        if hosts:
            sleep(ORPHANS_S)
        for host in hosts:
            addresses.network.plug_in(host)
        return address_index

    return heal


class Restart(LiveFault):
    """A member ends, and starts anew before the others notice that it ended."""

    def draw(self, rng: Random, setting: LiveSetting) -> FaultEvent:
        """Draw one address; the fault has no duration."""
        return FaultEvent(self.name, setting.moment_ms(rng), 0, (setting.address_index(rng),))


ENDS = (
    Crash(
        "crash", "a member's process, or its host, ends at once and starts again later at its address", ("members",),
        FaultCondition.CRASH, commands=(Command.CRASH, Command.START),
    ),
    CutAndCrash(
        "cut-and-crash", "a host is cut off while clients still reach it, then it ends",
        ("members", "messages", "trust"), FaultCondition.CUT, needs_network=True,
        words="{0.who} is cut off for {0.for_ms} ms, and then its host crashes",
    ),
    Restart(
        "restart", "a member's process ends and the next one starts at its address at once", ("members",),
        FaultCondition.RESTART, commands=(Command.CRASH, Command.START),
        words="{0.who} crashes and starts anew at once",
        does=lambda addresses, index: (lambda: index) if addresses.crash(index) else None,
    ),
    LiveFault(
        "leave", "a member leaves in good order and starts again later", (), FaultCondition.LEAVE,
        asks=LEAVE.name, words="{0.who} leaves, and starts again after {0.for_ms} ms",
        does=lambda addresses, index: (lambda: index) if addresses.leave(index) else None,
    ),
    LiveFault(
        "pause", "a member's processes are stopped for a while, then go on", ("trust",), FaultCondition.PAUSE,
        commands=(Command.PAUSE, Command.RESUME), words="{0.who} pauses for {0.for_ms} ms",
        does=lambda addresses, index: partial(addresses.resume, index) if addresses.pause(index) else None,
    ),
)  # fmt: skip
