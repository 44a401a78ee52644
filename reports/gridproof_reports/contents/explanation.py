"""From when on a failure is likely: a value.

A point for each prefix of the run: the share of continuations that fail, with its exact interval at 99 %. What
happened where the share rises most is described in sentences: faults and members first, then messages, steps last.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.simulator.run import simulate
from gridproof_implementation.simulator.work_limit import EndlessWork, patience
from gridproof_model.events.conditions import FaultBegun, FaultEnded
from gridproof_model.trace import EventRecord, MemberRecord, OperationRecord
from gridproof_properties.campaign.minimise import PATIENCE_S
from gridproof_properties.explaining.curve import Curve, Failing, Point
from gridproof_properties.intervals import Interval, share_interval
from gridproof_reports.drawing.run_picture import RunOnlooker, Seen
from gridproof_reports.reading.run_words import say_event, say_member, say_operation

STEPS_MAX = 8
"""Sentences that are shown of what happened where the share rises most."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happened, as a sentence."""

    at_us: int
    words: str
    weight: int
    """0 for faults and members, 1 for messages, which dice are thrown for, 2 for steps and operations."""
    is_fault: bool = False
    """Whether a fault begins."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A curve, with what happened where it rises most."""

    failing: Failing
    curve: Curve
    intervals: tuple[Interval, ...]
    """Of each point."""
    faults: tuple[Happening, ...]
    """That began in the run, in their order."""
    steps: tuple[Happening, ...]
    """What happened where the share rises most, in its order: the weightiest, `STEPS_MAX` at most."""
    steps_left_out: int

    @property
    def is_clear(self) -> bool:
        """Whether the intervals at both ends of the greatest rise are apart."""
        before, after = (self.intervals[self.curve.points.index(point)] for point in self.curve.rise)
        return after.low > before.high

    @property
    def fault_before(self) -> Happening | None:
        """The last fault that began before the share has risen."""
        _, after = self.curve.rise
        return next((fault for fault in reversed(self.faults) if fault.at_us < after.at_us), None)

    def sentences(self) -> list[str]:
        """Return what the curve says, in a few lines."""
        start, (before, after) = self.curve.points[0], self.curve.rise
        lines = [f"from the start of the run {_share(start)} of its continuations fail"]
        if after.failed <= before.failed:
            return [*lines, "no prefix makes the failure likelier: the scenario decides it, not the dice"]
        lines.append(
            f"the share rises most between {say_ms(before.at_us)} and {say_ms(after.at_us)}: "
            f"from {_share(before)} to {_share(after)}"
        )
        if not self.is_clear:
            lines.append("the intervals of the two overlap: --continuations draws more, and distinguishes them")
        fault = self.fault_before
        if fault is not None and fault not in self.steps:
            lines.append(f"last fault before that, at {say_ms(fault.at_us)}: {fault.words}")
        return lines


def explained(failing: Failing, curve: Curve) -> Explanation:
    """Return a curve with its intervals and with what happened in the run, which is played once more."""
    happenings = sorted(_happenings(failing), key=lambda one: one.at_us)
    before, after = curve.rise
    within = (
        [one for one in happenings if before.at_us <= one.at_us < after.at_us] if after.failed > before.failed else []
    )
    kept = sorted(sorted(within, key=lambda one: one.weight)[:STEPS_MAX], key=lambda one: one.at_us)
    intervals = tuple(share_interval(point.failed, point.continuations) for point in curve.points)
    faults = tuple(one for one in happenings if one.is_fault)
    return Explanation(failing, curve, intervals, faults, tuple(kept), len(within) - len(kept))


def say_ms(at_us: int) -> str:
    """Return a moment as people read it."""
    return f"{at_us / 1_000:,.3f} ms"


def _share(point: Point) -> str:
    return f"{point.failed} of {point.continuations}"


@dataclass(slots=True)
class _Onlooker(RunOnlooker):
    """Keeps messages, too."""

    sent: list[Happening] = field(default_factory=list)

    def message(self, sent_us: int, arrivals_us: tuple[int, ...], sender: int, receiver: int, message: Message) -> None:
        """Remember a message between two members."""
        if sender != receiver:
            ways = " and ".join(f"{(at_us - sent_us) / 1_000:,.3f} ms later" for at_us in arrivals_us)
            how = f"it arrives {ways}" if ways else "it gets lost"
            words = f"member {sender} sends {type(message).__name__} to member {receiver}: {how}"
            self.sent.append(Happening(sent_us, words, weight=1))


def _happenings(failing: Failing) -> Iterator[Happening]:
    onlooker = _Onlooker()
    # A run that a member ends is looked at up to there.
    with failing.planting(), patience(PATIENCE_S), suppress(Exception, EndlessWork):
        simulate(failing.scenario, lambda record: None, onlooker=onlooker)
    for seen in onlooker.seen:
        yield from _happenings_of(seen)
    yield from onlooker.sent


def _happenings_of(seen: Seen) -> Sequence[Happening]:
    match seen.record:
        case EventRecord(event=FaultBegun() | FaultEnded()) as record:
            is_fault = isinstance(record.event, FaultBegun)
            return [Happening(seen.at_us, say_event(record) or "a fault", 0, is_fault)]
        case EventRecord() as record:
            words = say_event(record)
            return [] if words is None else [Happening(seen.at_us, words, 2)]
        case MemberRecord() as record:
            return [Happening(seen.at_us, say_member(record), 0)]
        case OperationRecord() as record:
            return [Happening(seen.at_us, say_operation(record), 2)]
        case _:
            return []
