"""Draws a simulated run as a space-time diagram.

There is one lane for every address: if a member is restarted, it continues in the lane of its earlier incarnation. The
diagram shows the faults, the operations of clients, and the steps of the protocol in the partitions that clients used;
of a long run, it shows the last steps before the faults ended, since the run broke there.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.simulator.fault import Sign
from gridproof_implementation.simulator.faults import FAULTS_BY_NAME
from gridproof_implementation.simulator.scenario import FaultEvent, Scenario
from gridproof_model.events.conditions import NO_PARTITION, FaultBegun, FaultEnded
from gridproof_model.trace import EventRecord, MemberRecord, OperationRecord, Record, ViewRecord
from gridproof_reports.drawing.space_time import Bar, Mark, Step, draw_picture
from gridproof_reports.reading.event_sentences import say_event, say_member, say_operation

STEPS_MAX = 150
MARKS = {Sign.CROSS: Mark.CROSS, Sign.ARRIVAL: Mark.RING, Sign.BAR: Mark.DOTS, Sign.GAP: Mark.DOTS}


@dataclass(frozen=True, slots=True)
class Seen:
    """An event of the run, together with its time."""

    at_us: int
    member: int | None
    record: Record


@dataclass(slots=True)
class RunOnlooker:
    """Keeps what a picture of a run needs, until the grid is first seen at rest; the story ends there."""

    seen: list[Seen] = field(default_factory=list)
    arrivals: dict[tuple[int, int], list[tuple[int, int]]] = field(default_factory=dict)
    """For each receiver and time of arrival, the senders of the messages that arrived, with their times of sending."""
    views: list[str] = field(default_factory=list)

    def message(self, sent_us: int, arrivals_us: tuple[int, ...], sender: int, receiver: int, message: Message) -> None:
        """Keep when a message was sent, by the message's arrival."""
        for at_us in arrivals_us:
            if sender != receiver:
                self.arrivals.setdefault((receiver, at_us), []).append((sender, sent_us))

    def record(self, at_us: int, record: Record) -> None:
        """Keep a record if it can be a step of the picture."""
        if isinstance(record, EventRecord | MemberRecord | OperationRecord):
            self.seen.append(Seen(at_us, record.member, record))
        elif isinstance(record, ViewRecord):
            self.views.append(record.stage)


@dataclass(frozen=True, slots=True)
class RunStory:
    """The steps of a run, as sentences and as a picture."""

    title: str
    lanes: tuple[str, ...]
    steps: tuple[Step, ...]
    bars: tuple[Bar, ...]
    times_ms: tuple[float, ...]

    def sentences(self) -> list[str]:
        """Return the steps, one line for each."""
        return [f"{at_ms:10.3f} ms  {step.words}" for at_ms, step in zip(self.times_ms, self.steps, strict=True)]

    def picture(self) -> str:
        """Return the picture as the text of a self-contained SVG file."""
        return draw_picture(self.title, self.lanes, self.steps, self.bars)


def describe_run(scenario: Scenario, onlooker: RunOnlooker, title: str) -> RunStory:
    """Return what an onlooker has kept of a run, as steps and as a picture."""
    address_indices = _address_indices(onlooker)
    partitions = _partitions_used(onlooker)
    shown = [(seen, words) for seen in onlooker.seen if (words := _words(seen.record, partitions)) is not None]
    shown = shown[-STEPS_MAX:]
    sent_at = _rows_by_lane(shown, address_indices)
    steps = tuple(_step(seen, words, scenario, address_indices, onlooker, sent_at) for seen, words in shown)
    lane_count = 1 + max(address_indices.values(), default=0)
    labels = tuple(f"address {address_index}" for address_index in range(lane_count))
    return RunStory(
        title, labels, steps, _bars(shown, scenario, address_indices), tuple(seen.at_us / 1_000 for seen, _ in shown)
    )


def _address_indices(onlooker: RunOnlooker) -> dict[int, int]:
    """Return for each member its address index; addresses are numbered in the order in which they are first seen."""
    addresses: dict[str, int] = {}
    address_indices: dict[int, int] = {}
    for seen in onlooker.seen:
        if isinstance(seen.record, MemberRecord):
            address = seen.record.name.split("/")[0]
            address_indices[seen.record.member] = addresses.setdefault(address, len(addresses))
    return address_indices


def _partitions_used(onlooker: RunOnlooker) -> frozenset[int]:
    found = (seen.record.partition for seen in onlooker.seen if isinstance(seen.record, OperationRecord))
    return frozenset(partition for partition in found if partition is not None)


def _words(record: Record, partitions: frozenset[int]) -> str | None:
    """Return the sentence on a step; None if the step is not shown."""
    match record:
        case EventRecord():
            partition = getattr(record.event, "partition", NO_PARTITION)
            return None if partition != NO_PARTITION and partition not in partitions else say_event(record)
        case MemberRecord():
            return say_member(record)
        case OperationRecord():
            return say_operation(record)
        case _:
            return None


def _rows_by_lane(
    shown: Sequence[tuple[Seen, str]], address_indices: dict[int, int]
) -> dict[int, tuple[list[int], list[int]]]:
    """Return, for each lane, the times of its steps and the rows of these steps."""
    rows: dict[int, tuple[list[int], list[int]]] = {}
    for row, (seen, _) in enumerate(shown):
        if seen.member is not None:
            times, places = rows.setdefault(address_indices[seen.member], ([], []))
            times.append(seen.at_us)
            places.append(row)
    return rows


def _step(
    seen: Seen,
    words: str,
    scenario: Scenario,
    address_indices: dict[int, int],
    onlooker: RunOnlooker,
    rows: dict[int, tuple[list[int], list[int]]],
) -> Step:
    record = seen.record
    if isinstance(record, EventRecord) and isinstance(record.event, FaultBegun | FaultEnded):
        fault_event = _fault_event_of(record, scenario)
        if fault_event is None:
            return Step(words)
        mark = MARKS[FAULTS_BY_NAME[fault_event.fault].sign] if isinstance(record.event, FaultBegun) else Mark.RING
        return Step(words, _lanes_of(fault_event, address_indices), mark=mark)
    if seen.member is None:
        return Step(words)
    lane = address_indices[seen.member]
    arrows: list[tuple[int, int]] = []
    for sender, sent_us in onlooker.arrivals.get((seen.member, seen.at_us), ()):
        times, places = rows.get(address_indices[sender], ([], []))
        place = bisect_right(times, sent_us) - 1
        if place >= 0 and times[place] == sent_us:
            arrows.append((places[place], address_indices[sender]))
    return Step(words, (lane,), arrows_from=tuple(arrows))


def _fault_event_of(record: EventRecord, scenario: Scenario) -> FaultEvent | None:
    """Return the fault event that an event belongs to."""
    event = record.event
    if not isinstance(event, FaultBegun | FaultEnded):
        return None
    shown = (
        (FAULTS_BY_NAME[fault_event.fault].describe(fault_event), fault_event)
        for fault_event in scenario.fault_events()
    )
    return next((fault_event for words, fault_event in shown if words == event.words), None)


def _lanes_of(fault_event: FaultEvent, address_indices: dict[int, int]) -> tuple[int, ...]:
    """Return the lanes that a fault event concerns; it may also name an address at which no member was ever started."""
    taken = set(address_indices.values())
    return tuple(address_index for address_index in fault_event.address_indices if address_index in taken)


def _bars(shown: Sequence[tuple[Seen, str]], scenario: Scenario, address_indices: dict[int, int]) -> tuple[Bar, ...]:
    """Return one bar for each fault that lasts, on every lane that the fault concerns."""
    began: dict[FaultEvent, int] = {}
    bars: list[Bar] = []
    for row, (seen, _) in enumerate(shown):
        record = seen.record
        fault_event = _fault_event_of(record, scenario) if isinstance(record, EventRecord) else None
        if fault_event is None or not isinstance(record, EventRecord):
            continue
        if isinstance(record.event, FaultBegun):
            began[fault_event] = row
        elif fault_event in began:
            bars += [Bar(lane, began[fault_event], row) for lane in _lanes_of(fault_event, address_indices)]
    return tuple(bars)
