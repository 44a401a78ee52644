"""How messages travel: latency, two lanes, order within a lane.

Per ordered pair of incarnations and partition there are two FIFO lanes, urgent and normal. An urgent message may
overtake a normal one, never the other way round: the urgent lane is always emptied first (calls.2, calls.3). Another
incarnation of either member has a connection, and lanes, of its own. A fault bends a link by replacing its
`LinkConditions`, which joins addresses, not incarnations: a split lasts when a member restarts.
"""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from math import exp, log
from random import Random
from typing import Protocol

from gridproof_implementation.protocol.calls import Backup
from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.simulator.distributions import Distribution

LEAST_LATENCY_US = 100
LATENCY_SPREAD_US = 400
USUAL_LATENCY_US = LEAST_LATENCY_US + LATENCY_SPREAD_US
USUAL_SHARE = 0.999
"""How many of the messages are on time where a distribution says how long they take."""
URGENT_LANE = 1
SHORTEST_LATE_US = 1_000
"""The least by which a message is late that a fault picks out."""


class End(Protocol):
    """One incarnation, at one end of a link."""

    @property
    def number(self) -> int:
        """Of all incarnations, in the order of their starts."""
        ...

    @property
    def address_index(self) -> int:
        """Its address."""
        ...


@dataclass(slots=True)
class LinkConditions:
    """What happens to messages of one direction of a link just now; mutable, faults change it."""

    cuts: int = 0
    """How many faults cut it; while any does, nothing gets through."""
    drop_share: float = 0.0
    dropped_kinds: tuple[str, ...] = ()
    """Names of messages that do not get through."""
    duplicate_share: float = 0.0
    extra_us: int = 0
    """Added to every latency, at most; drawn per message."""
    normal_extra_us: int = 0
    """Added in the normal lane only, so that urgent messages overtake."""
    late_share: float = 0.0
    """How many of the messages are picked out to be late."""
    late_kinds: frozenset[str] = frozenset()
    """Names of the messages that are picked from; empty for all."""
    late_us: int = 0
    """How late these are at most; of any magnitude, drawn per message."""
    to_address: int = 0
    """How many faults have messages reach whoever lives at the address when they arrive; else they are for one
    incarnation, and get lost with it."""
    loss_share: float = 0.0
    """How many of the messages a poor network loses, whatever else happens to them."""
    lag: Distribution | None = None
    """By how much updates of backups are later."""
    change: Callable[[Message], Message] | None = None
    """What becomes of a message on its way."""
    met: set[str] = field(default_factory=set)
    """Which of those that change certain messages alone have met one since the link was bent."""

    def pick_late(self, share_per_cent: int, late_us: int, kinds: str) -> None:
        """Have some messages be late by at most so much: this share of those of the kinds, with blanks between."""
        self.late_share, self.late_us, self.late_kinds = share_per_cent / 100, late_us, frozenset(kinds.split())


FAIR = LinkConditions()


@dataclass(slots=True)
class Loss:
    """What becomes of the first messages that the member at an address sends."""

    kinds: Collection[str]
    """Their names."""
    count: int
    """How many of each kind get lost."""
    met: Counter[str] = field(default_factory=Counter)

    def loses(self, kind: str) -> bool:
        """Whether the next message of this kind gets lost."""
        if kind not in self.kinds:
            return False
        self.met[kind] += 1
        return self.met[kind] <= self.count


class Links:
    """All links of a world."""

    __slots__ = ("_last", "_rng", "latency", "latest_arrival_us", "link_conditions", "losses", "usual_us")

    def __init__(self, rng: Random, latency: Distribution | None = None) -> None:
        self._rng = rng
        self.latency = latency
        """How long messages take one way; None for evenly between the least and the most of this module."""
        self.usual_us = USUAL_LATENCY_US if latency is None else int(latency.at(USUAL_SHARE))
        """What takes longer is late."""
        self._last: dict[tuple[int, int, int], list[int]] = {}
        """When the last message of the normal and of the urgent lane arrives, by two incarnations and partition."""
        self.latest_arrival_us = 0
        """When the last of all messages that are on their way arrives."""
        self.link_conditions: dict[tuple[int, int], LinkConditions] = {}
        """Bad link conditions, by the address indices of sender and receiver; fair where absent."""
        self.losses: dict[int, Loss] = {}
        """By the address indices of senders."""

    def draw_anew(self, seed: int) -> None:
        """Take other dice for messages that are sent from now on; those on their way arrive as they were to."""
        self._rng.seed(seed)

    def at(self, sender: int, receiver: int) -> LinkConditions:
        """Return the link conditions of one direction, to be changed."""
        return self.link_conditions.setdefault((sender, receiver), LinkConditions())

    def is_cut(self, sender: int, receiver: int) -> bool:
        """Whether nothing gets through."""
        return self.link_conditions.get((sender, receiver), FAIR).cuts > 0

    def is_for_address(self, sender: int, receiver: int) -> bool:
        """Whether what is sent reaches whoever lives there when it arrives."""
        return self.link_conditions.get((sender, receiver), FAIR).to_address > 0

    def hasten(self, after_us: int, until_us: int) -> None:
        """Take note that all that would have arrived after one moment arrives until another."""
        for last in self._last.values():
            last[:] = [until_us if at_us > after_us else at_us for at_us in last]
        self.latest_arrival_us = min(self.latest_arrival_us, until_us)

    def forget(self, alive: Collection[int]) -> None:
        """Forget the lanes of incarnations that do not live."""
        self._last = {lane: last for lane, last in self._last.items() if lane[0] in alive and lane[1] in alive}

    def last_arrival_us(self, sender: End, receiver: End) -> int:
        """Return when the last of all messages arrives that one incarnation has sent to another; 0 where none was."""
        pair = sender.number, receiver.number
        return max((at_us for lane, last in self._last.items() if lane[:2] == pair for at_us in last), default=0)

    def changed(self, sender: int, receiver: int, message: Message) -> Message:
        """Return what becomes of a message on its way."""
        link_conditions = self.link_conditions.get((sender, receiver), FAIR)
        if link_conditions.change is None:
            return message
        changed = link_conditions.change(message)
        if changed is not message:
            link_conditions.met.add("change")
        return changed

    def arrivals(self, sender: End, receiver: End, message: Message, now_us: int) -> tuple[int, ...]:
        """Return when a message sent now arrives: once, or never, or twice; always after those sent before it."""
        draw = self._rng.random
        urgent = message.URGENT
        if self.latency is None:
            delay_us = LEAST_LATENCY_US + int(draw() * LATENCY_SPREAD_US)
        else:
            delay_us = int(self.latency.at(draw()))
        copies = 1
        if self.link_conditions:
            link_conditions = self.link_conditions.get((sender.address_index, receiver.address_index), FAIR)
            if link_conditions.cuts or (link_conditions.drop_share and draw() < link_conditions.drop_share):
                return ()
            if link_conditions.dropped_kinds and type(message).__name__ in link_conditions.dropped_kinds:
                link_conditions.met.add("dropped_kinds")
                return ()
            if link_conditions.extra_us:
                delay_us += int(draw() * link_conditions.extra_us)
            if link_conditions.normal_extra_us and not urgent:
                delay_us += int(draw() * link_conditions.normal_extra_us)
            if link_conditions.late_us and self._is_picked(link_conditions, type(message).__name__):
                delay_us += int(
                    SHORTEST_LATE_US * exp(draw() * log(max(link_conditions.late_us / SHORTEST_LATE_US, 1)))
                )
            if link_conditions.duplicate_share and draw() < link_conditions.duplicate_share:
                copies = 2
            if link_conditions.loss_share and draw() < link_conditions.loss_share:
                return ()
            if link_conditions.lag is not None and type(message) is Backup:
                link_conditions.met.add("lag")
                delay_us += int(link_conditions.lag.at(draw()))
        if (
            self.losses
            and sender.address_index in self.losses
            and self.losses[sender.address_index].loses(type(message).__name__)
        ):
            return ()
        lanes = (sender.number, receiver.number, message.partition)
        last = self._last.get(lanes)
        if last is None:
            last = self._last[lanes] = [0, 0]
        last_us = last[urgent]
        # Members drain the urgent lane first: nothing normal passes what is urgent (calls.2).
        if last[URGENT_LANE] > last_us:
            last_us = last[URGENT_LANE]
        at_us = now_us + delay_us
        if at_us <= last_us:
            at_us = last_us + 1
        last[urgent] = at_us + copies - 1
        if at_us >= self.latest_arrival_us:
            self.latest_arrival_us = at_us + copies - 1
        return (at_us,) if copies == 1 else (at_us, at_us + 1)

    def _is_picked(self, link_conditions: LinkConditions, kind: str) -> bool:
        return (
            not link_conditions.late_kinds or kind in link_conditions.late_kinds
        ) and self._rng.random() < link_conditions.late_share
