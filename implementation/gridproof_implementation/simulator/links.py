"""How messages travel: latency, two lanes, order within a lane.

For each ordered pair of incarnations and each partition there are two FIFO lanes, urgent and normal. An urgent message
may overtake a normal one, never the other way round: the urgent lane is always emptied first (calls.2, calls.3).
Another incarnation of either member has a connection, and lanes, of its own. A fault changes the `LinkConditions`
between two addresses, not between incarnations: so a split goes on when a member restarts.
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
"""The share of messages that count as on time when a distribution says how long they take."""
URGENT_LANE = 1
SHORTEST_LATE_US = 1_000
"""The shortest delay of a message that a fault picks out."""


class End(Protocol):
    """One incarnation, at one end of a link."""

    @property
    def number(self) -> int:
        """The number of the incarnation among all, in the order of their starts."""
        ...

    @property
    def address_index(self) -> int:
        """The index of the incarnation's address."""
        ...


@dataclass(slots=True)
class LinkConditions:
    """What happens at present to messages in one direction of a link; mutable, as faults change it."""

    cuts: int = 0
    """How many faults cut the link; while any fault does, no message gets through."""
    drop_share: float = 0.0
    dropped_kinds: tuple[str, ...] = ()
    """Names of messages that do not get through."""
    duplicate_share: float = 0.0
    extra_us: int = 0
    """The longest time that is added to every latency; drawn for each message."""
    normal_extra_us: int = 0
    """The longest time that is added in the normal lane only, so that urgent messages overtake."""
    late_share: float = 0.0
    """The share of messages that are picked out to be late."""
    late_kinds: frozenset[str] = frozenset()
    """Names of the messages to pick from; empty for all."""
    late_us: int = 0
    """How late picked messages are at most; any magnitude, drawn for each message."""
    to_address: int = 0
    """How many faults let messages reach the incarnation that lives at the address when they arrive; without such a
    fault a message is for one incarnation, and is lost once that one has ended."""
    loss_share: float = 0.0
    """The share of messages that a poor network loses, whatever else happens to them."""
    lag: Distribution | None = None
    """By how much updates of backups are delayed."""
    change: Callable[[Message], Message] | None = None
    """The function that changes messages on their way, or None."""
    met: set[str] = field(default_factory=set)
    """The names of conditions for certain messages only; those that have changed a message since the fault began."""

    def pick_late(self, share_per_cent: int, late_us: int, kinds: str) -> None:
        """Make a share of the messages of some kinds, given with blanks between them, late by at most `late_us`."""
        self.late_share, self.late_us, self.late_kinds = share_per_cent / 100, late_us, frozenset(kinds.split())


FAIR = LinkConditions()


@dataclass(slots=True)
class Loss:
    """A loss of the first messages of some kinds that the member at an address sends."""

    kinds: Collection[str]
    """The names of the messages."""
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
        """How long messages take one way; None for evenly between this module's least and greatest latency."""
        self.usual_us = USUAL_LATENCY_US if latency is None else int(latency.at(USUAL_SHARE))
        """A message that takes longer than this is late."""
        self._last: dict[tuple[int, int, int], list[int]] = {}
        """By sender, receiver and partition: when the last message of the normal and of the urgent lane arrives."""
        self.latest_arrival_us = 0
        """When the last of all messages under way arrives."""
        self.link_conditions: dict[tuple[int, int], LinkConditions] = {}
        """The link conditions by the address indices of sender and receiver; a pair without an entry works normally."""
        self.losses: dict[int, Loss] = {}
        """The losses, by the address index of the sender."""

    def draw_anew(self, seed: int) -> None:
        """Use another seed for messages sent from now on; those on their way arrive as before."""
        self._rng.seed(seed)

    def at(self, sender: int, receiver: int) -> LinkConditions:
        """Return the link conditions of one direction, so that they can be changed."""
        return self.link_conditions.setdefault((sender, receiver), LinkConditions())

    def is_cut(self, sender: int, receiver: int) -> bool:
        """Whether no message gets through in this direction."""
        return self.link_conditions.get((sender, receiver), FAIR).cuts > 0

    def is_for_address(self, sender: int, receiver: int) -> bool:
        """Whether messages reach the incarnation that lives there when they arrive."""
        return self.link_conditions.get((sender, receiver), FAIR).to_address > 0

    def hasten(self, after_us: int, until_us: int) -> None:
        """Note that all messages that would have arrived after `after_us` arrive by `until_us`."""
        for last in self._last.values():
            last[:] = [until_us if at_us > after_us else at_us for at_us in last]
        self.latest_arrival_us = min(self.latest_arrival_us, until_us)

    def forget(self, alive: Collection[int]) -> None:
        """Forget the lanes of incarnations that do not live."""
        self._last = {lane: last for lane, last in self._last.items() if lane[0] in alive and lane[1] in alive}

    def last_arrival_us(self, sender: End, receiver: End) -> int:
        """Return when the last message from one incarnation to another arrives; 0 if none was sent."""
        pair = sender.number, receiver.number
        return max((at_us for lane, last in self._last.items() if lane[:2] == pair for at_us in last), default=0)

    def changed(self, sender: int, receiver: int, message: Message) -> Message:
        """Return a message as it arrives: the same, or changed on its way."""
        link_conditions = self.link_conditions.get((sender, receiver), FAIR)
        if link_conditions.change is None:
            return message
        changed = link_conditions.change(message)
        if changed is not message:
            link_conditions.met.add("change")
        return changed

    def arrivals(self, sender: End, receiver: End, message: Message, now_us: int) -> tuple[int, ...]:
        """Return when a message sent now arrives: once, never or twice; always after those sent before it in its
        lane."""
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
        # Members empty the urgent lane first: no normal message overtakes an urgent one (calls.2).
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
