"""The explanation of a failure: from which moment of the run on the failure is likely.

The curve has a point for each prefix of the run: the share of continuations that fail, with its exact interval at 99 %.
Sentences say what happened where the share rises most: faults and members come first, then messages, and steps last.

The figure shows, over the run, the share of continuations that fail. Prefixes are drawn at equal distances, each with
its virtual time; in the run itself, they are close together where the share rises most. A dashed line marks the
beginning of a fault; the stretch in which the share rises most is shaded.
"""

from bisect import bisect_left
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
from gridproof_reports.drawing.run_picture import RunOnlooker
from gridproof_reports.drawing.style import (
    ACCENT,
    BROKEN,
    INK,
    MUTED,
    PANEL_WIDTH,
    RULE,
    Drawing,
    new_drawing,
    to_file,
    to_png,
    to_svg,
    write,
)
from gridproof_reports.reading.event_sentences import say_event, say_member, say_operation

STEPS_MAX = 8
"""How many sentences are shown, at most, on what happened where the share rises most."""


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened in the run, as a sentence."""

    at_us: int
    words: str
    weight: int
    """How soon the sentence is left out: 2 (first) for steps, 1 for messages with random delays, 0 for faults and
    members."""
    is_fault: bool = False
    """Whether it is the beginning of a fault."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A curve, with what happened where the curve rises most."""

    failing: Failing
    curve: Curve
    intervals: tuple[Interval, ...]
    """The interval of each point."""
    faults: tuple[Happening, ...]
    """The faults that began in the run, in order."""
    steps: tuple[Happening, ...]
    """What happened where the share rises most, in order: the sentences of lowest `weight`, at most `STEPS_MAX`."""
    steps_left_out: int

    @property
    def is_clear(self) -> bool:
        """Whether the intervals at both ends of the greatest rise do not overlap."""
        before, after = (self.intervals[self.curve.points.index(point)] for point in self.curve.rise)
        return after.low > before.high

    @property
    def fault_before(self) -> Happening | None:
        """The last fault that began before the greatest rise ended."""
        _, after = self.curve.rise
        return next((fault for fault in reversed(self.faults) if fault.at_us < after.at_us), None)

    def sentences(self) -> list[str]:
        """Return a few sentences that say what the curve shows."""
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
    """Return a curve with its intervals and with what happened in the run; the run is played again for this."""
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
    """Return a moment in the form in which people read it."""
    return f"{at_us / 1_000:,.3f} ms"


def _share(point: Point) -> str:
    return f"{point.failed} of {point.continuations}"


@dataclass(slots=True)
class _Onlooker(RunOnlooker):
    """An onlooker that also keeps messages."""

    sent: list[Happening] = field(default_factory=list)

    def message(self, sent_us: int, arrivals_us: tuple[int, ...], sender: int, receiver: int, message: Message) -> None:
        """Keep a message between two members."""
        if sender != receiver:
            ways = " and ".join(f"{(at_us - sent_us) / 1_000:,.3f} ms later" for at_us in arrivals_us)
            how = f"it arrives {ways}" if ways else "it gets lost"
            words = f"member {sender} sends {type(message).__name__} to member {receiver}: {how}"
            self.sent.append(Happening(sent_us, words, weight=1))


def _happenings(failing: Failing) -> Iterator[Happening]:
    onlooker = _Onlooker()
    # If an error of a member ends the run, the run is read up to that moment.
    with failing.planting(), patience(PATIENCE_S), suppress(Exception, EndlessWork):
        simulate(failing.scenario, lambda record: None, onlooker=onlooker)
    for seen in onlooker.seen:
        match seen.record:
            case EventRecord(event=FaultBegun() | FaultEnded()) as record:
                is_fault = isinstance(record.event, FaultBegun)
                yield Happening(seen.at_us, say_event(record) or "a fault", 0, is_fault)
            case EventRecord() as record if (words := say_event(record)) is not None:
                yield Happening(seen.at_us, words, 2)
            case MemberRecord() as record:
                yield Happening(seen.at_us, say_member(record), 0)
            case OperationRecord() as record:
                yield Happening(seen.at_us, say_operation(record), 2)
            case _:
                pass
    yield from onlooker.sent


LEFT, RIGHT, TOP, HEIGHT = 52.0, 26.0, 34.0, 170.0
FOOT = 78.0
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
TICKS = 4
NAME = "explanation"


def draw_explanation(explanation: Explanation) -> dict[str, bytes]:
    """Return the files of the figure by name."""
    drawing = _drawn(explanation)
    points = ", ".join(f"{point.at_us / 1_000:g} ms: {point.share:.0%}" for point in explanation.curve.points)
    label = f"share of continuations that break {explanation.failing.property}, by prefix: {points}"
    return {f"{NAME}.svg": to_file(to_svg(drawing, label)).encode(), f"{NAME}.png": to_png(drawing)}


def _drawn(explanation: Explanation) -> Drawing:
    drawing = new_drawing(TOP + HEIGHT + FOOT)
    points = explanation.curve.points
    last = len(points) - 1
    heading = f"continuations that break {explanation.failing.property}"
    write(drawing, LEFT - 40, TOP - 18, heading, INK)
    _shade(drawing, explanation)
    for share in SHARES:
        height = _y(share)
        drawing.plot([LEFT, PANEL_WIDTH - RIGHT], [height, height], color=RULE.light, lw=0.8, zorder=0)
        write(drawing, LEFT - 6, height, f"{share:.0%}", MUTED, 2, ha="right")
    for fault in explanation.faults:
        across = _x(_between(fault.at_us, points), last)
        drawing.plot([across, across], [TOP, TOP + HEIGHT], color=MUTED.light, lw=0.9, ls=(0, (2, 2)))
    _times(drawing, points)
    acrosses = [_x(number, last) for number in range(len(points))]
    for across, point, interval in zip(acrosses, points, explanation.intervals, strict=True):
        if point is not points[-1]:  # the last point is the whole run: it has no continuations, so no estimate
            drawing.plot([across] * 2, [_y(interval.low), _y(interval.high)], color=ACCENT.light, lw=1.6)
        drawing.plot([across], [_y(point.share)], marker="o", markersize=4, color=ACCENT.light)
    note = "shaded: the greatest rise; dashed: a fault begins" if explanation.faults else "shaded: the greatest rise"
    foot = TOP + HEIGHT + FOOT - 12
    many = f"{points[0].continuations:,} continuations a prefix, bars 99 %"
    for height, text in ((foot - 14, many), (foot, note)):
        write(drawing, LEFT - 40, height, text, MUTED, 2)
    return drawing


def _shade(drawing: Drawing, explanation: Explanation) -> None:
    points = explanation.curve.points
    before, after = explanation.curve.rise
    if after.failed > before.failed:
        start, end = (_x(points.index(point), len(points) - 1) for point in (before, after))
        corners = [start, end, end, start], [TOP, TOP, TOP + HEIGHT, TOP + HEIGHT]
        drawing.fill(*corners, color=BROKEN.light, alpha=0.25, lw=0, zorder=-1)


def _times(drawing: Drawing, points: Sequence[Point]) -> None:
    """Write, below the axis, the virtual times at which some of the run's prefixes end."""
    bottom, last = TOP + HEIGHT, len(points) - 1
    for number in sorted({round(last * part / TICKS) for part in range(TICKS + 1)}):
        across = _x(number, last)
        drawing.plot([across] * 2, [bottom, bottom + 5], color=MUTED.light, lw=0.8)
        text = f"{points[number].at_us / 1_000:,.1f}"
        write(drawing, across, bottom + 15, text, MUTED, 2, ha="center")
    middle = (LEFT + PANEL_WIDTH - RIGHT) / 2
    words = "prefix, virtual ms (evenly spaced whatever its length)"
    write(drawing, middle, bottom + 31, words, MUTED, 1, ha="center")
    drawing.plot([LEFT, LEFT, PANEL_WIDTH - RIGHT], [TOP, bottom, bottom], color=MUTED.light, lw=0.8)


def _between(at_us: int, points: Sequence[Point]) -> float:
    """Return the position of a moment between the two nearest prefixes, counted in prefixes."""
    after = min(max(bisect_left([point.at_us for point in points], at_us), 1), len(points) - 1)
    one, other = points[after - 1], points[after]
    return after - 1 + min((at_us - one.at_us) / ((other.at_us - one.at_us) or 1), 1.0)


def _x(number: float, last: int) -> float:
    return LEFT + number / last * (PANEL_WIDTH - LEFT - RIGHT)


def _y(share: float) -> float:
    return TOP + HEIGHT * (1 - share)
