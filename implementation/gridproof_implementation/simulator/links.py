"""How messages are transported: latency, two lanes, and the order within a lane.

From each incarnation to each other incarnation there are, for each partition, two FIFO lanes: an urgent lane and a
normal lane. An urgent message may overtake a normal message, but no normal message overtakes an urgent message: the
urgent lane is always emptied first (calls.2, calls.3). If the sender or the receiver starts again, the new incarnation
has a connection and lanes of its own. A fault changes the `LinkConditions` between two addresses, and not between
incarnations, so that a network split continues when a member restarts."""

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
"""The share of messages that count as on time, if a distribution of latencies is given."""
URGENT_LANE = 1
SHORTEST_LATE_US = 1_000
"""The shortest delay of a message that a fault makes late."""


class End(Protocol):
    """One incarnation, which is at one end of a link."""

    @property
    def number(self) -> int:
        """The number of the incarnation, in the order in which all incarnations started."""
        ...

    @property
    def address_index(self) -> int:
        """The index of the incarnation's address."""
        ...


@dataclass(slots=True)
class LinkConditions:
    """What happens now to messages in one direction of a link; mutable, since faults change it."""

    cuts: int = 0
    """How many faults cut the link now; no message gets through unless this is 0."""
    drop_share: float = 0.0
    dropped_kinds: tuple[str, ...] = ()
    """The names of the kinds of messages that do not get through."""
    duplicate_share: float = 0.0
    extra_us: int = 0
    """The longest time that is added to a latency; for each message a time up to this is drawn."""
    normal_extra_us: int = 0
    """The longest time that is added in the normal lane only, so that urgent messages overtake normal ones."""
    late_share: float = 0.0
    """The share of messages that are made late."""
    late_kinds: frozenset[str] = frozenset()
    """The names of the kinds of messages that can be made late; empty for all kinds."""
    late_us: int = 0
    """The longest delay of messages that are made late; for each message a delay of any magnitude up to this is
    drawn."""
    to_address: int = 0
    """How many faults let messages reach whichever incarnation is alive at the address when they arrive; without such a
    fault a message is meant for one incarnation, and is lost if this incarnation has ended."""
    loss_share: float = 0.0
    """The share of messages that a poor network loses, in addition to all other conditions."""
    lag: Distribution | None = None
    """The distribution of the time by which updates of backups are delayed."""
    change: Callable[[Message], Message] | None = None
    """The function that changes messages on the network, or None."""
    met: set[str] = field(default_factory=set)
    """The names of the conditions that have affected a message since their fault began."""

    def pick_late(self, share_per_cent: int, late_us: int, kinds: str) -> None:
        """Make a share of messages late by at most `late_us`; `kinds` names their kinds, with blanks between them."""
        self.late_share, self.late_us, self.late_kinds = share_per_cent / 100, late_us, frozenset(kinds.split())


FAIR = LinkConditions()


@dataclass(slots=True)
class Loss:
    """A fault that loses the first messages of some kinds that the member at an address sends."""

    kinds: Collection[str]
    """The names of the kinds of messages."""
    count: int
    """How many messages of each kind get lost."""
    met: Counter[str] = field(default_factory=Counter)

    def loses(self, kind: str) -> bool:
        """Whether the next message of this kind gets lost."""
        if kind not in self.kinds:
            return False
        self.met[kind] += 1
        return self.met[kind] <= self.count


class Links:
    """All links of a simulated world."""

    __slots__ = ("_last", "_rng", "latency", "latest_arrival_us", "link_conditions", "losses", "usual_us")

    def __init__(self, rng: Random, latency: Distribution | None = None) -> None:
        self._rng = rng
        self.latency = latency
        """The distribution of latencies; None for the uniform distribution between this module's smallest and largest
        latency."""
        self.usual_us = USUAL_LATENCY_US if latency is None else int(latency.at(USUAL_SHARE))
        """A message that takes longer than this is late."""
        self._last: dict[tuple[int, int, int], list[int]] = {}
        """By sender, receiver and partition: when the last message of the normal lane arrives, and the last message of
        the urgent lane."""
        self.latest_arrival_us = 0
        """When the last message of all messages under way arrives."""
        self.link_conditions: dict[tuple[int, int], LinkConditions] = {}
        """The link conditions by the address indices of sender and receiver; a link without an entry works normally."""
        self.losses: dict[int, Loss] = {}
        """The losses of first messages, by the address index of the sender."""

    def draw_anew(self, seed: int) -> None:
        """Use another seed for messages that are sent from now on; messages under way are not affected."""
        self._rng.seed(seed)

    def at(self, sender: int, receiver: int) -> LinkConditions:
        """Return the link conditions of one direction, which the caller can change."""
        return self.link_conditions.setdefault((sender, receiver), LinkConditions())

    def is_cut(self, sender: int, receiver: int) -> bool:
        """Whether no message gets through in this direction."""
        return self.link_conditions.get((sender, receiver), FAIR).cuts > 0

    def is_for_address(self, sender: int, receiver: int) -> bool:
        """Whether messages reach whichever incarnation is alive at the address when they arrive."""
        return self.link_conditions.get((sender, receiver), FAIR).to_address > 0

    def hasten(self, after_us: int, until_us: int) -> None:
        """Note that all messages which would have arrived after `after_us` now arrive no later than `until_us`."""
        for last in self._last.values():
            last[:] = [until_us if at_us > after_us else at_us for at_us in last]
        self.latest_arrival_us = min(self.latest_arrival_us, until_us)

    def forget(self, alive: Collection[int]) -> None:
        """Forget the lanes of incarnations that have ended."""
        self._last = {lane: last for lane, last in self._last.items() if lane[0] in alive and lane[1] in alive}

    def last_arrival_us(self, sender: End, receiver: End) -> int:
        """Return when the last message from one incarnation to another arrives; 0 if none was sent."""
        pair = sender.number, receiver.number
        return max((at_us for lane, last in self._last.items() if lane[:2] == pair for at_us in last), default=0)

    def changed(self, sender: int, receiver: int, message: Message) -> Message:
        """Return a message as it arrives: unchanged, or changed by a fault."""
        link_conditions = self.link_conditions.get((sender, receiver), FAIR)
        if link_conditions.change is None:
            return message
        changed = link_conditions.change(message)
        if changed is not message:
            link_conditions.met.add("change")
        return changed

    def arrivals(self, sender: End, receiver: End, message: Message, now_us: int) -> tuple[int, ...]:
        """Return the times at which a message sent now arrives: no time, one or two, all later than the arrivals of the
        earlier messages in its lane."""
        draw = self._rng.random
        urgent = message.URGENT
        if self.latency is None:
            delay_us = LEAST_LATENCY_US + int(draw() * LATENCY_SPREAD_US)
        else:
            delay_us = int(self.latency.at(draw()))
        copies = 1
        if self.link_conditions:
            link = self.link_conditions.get((sender.address_index, receiver.address_index), FAIR)
            added_us, copies = self._bent(link, message)
            if not copies:
                return ()
            delay_us += added_us
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

    def _bent(self, link: LinkConditions, message: Message) -> tuple[int, int]:
        """Return how much longer a message takes under these conditions, and how many times it arrives; note in `met`
        each condition that changes something."""
        draw, added_us, copies = self._rng.random, 0, 1
        if link.cuts:
            link.met.add("cuts")
            return 0, 0
        if link.drop_share and draw() < link.drop_share:
            link.met.add("drop_share")
            return 0, 0
        if link.dropped_kinds and type(message).__name__ in link.dropped_kinds:
            link.met.add("dropped_kinds")
            return 0, 0
        if link.extra_us:
            link.met.add("extra_us")
            added_us += int(draw() * link.extra_us)
        if link.normal_extra_us and not message.URGENT:
            link.met.add("normal_extra_us")
            added_us += int(draw() * link.normal_extra_us)
        if link.late_us and self._is_picked(link, type(message).__name__):
            link.met.add("late_us")
            added_us += int(SHORTEST_LATE_US * exp(draw() * log(max(link.late_us / SHORTEST_LATE_US, 1))))
        if link.duplicate_share and draw() < link.duplicate_share:
            link.met.add("duplicate_share")
            copies = 2
        if link.loss_share and draw() < link.loss_share:
            link.met.add("loss_share")
            return 0, 0
        if link.lag is not None and type(message) is Backup:
            lag_us = int(link.lag.at(draw()))
            added_us += lag_us
            if lag_us:
                link.met.add("lag")
        return added_us, copies

    def _is_picked(self, link_conditions: LinkConditions, kind: str) -> bool:
        return (
            not link_conditions.late_kinds or kind in link_conditions.late_kinds
        ) and self._rng.random() < link_conditions.late_share
