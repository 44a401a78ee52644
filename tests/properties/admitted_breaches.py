"""Runs of a system that admits a weakness under splits and breaks the property before, during or behind one."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from gridproof_model.events.conditions import Admitted, Configured, FaultBegun, FaultEnded, HeldTo
from gridproof_model.events.harness import JobAsked
from gridproof_model.events.jobs import JobStarted
from gridproof_model.events.words import Admission, Begins, Ends, Guarantee
from gridproof_model.trace import OperationKind, Outcome, Record, RouteRecord
from gridproof_properties.strategies.trace_builder import RUN, Row, TraceBuilder
from tests.properties.polled_run import counts
from tests.properties.validated_runs import listed

BEFORE, DURING, BEHIND = "before", "during", "behind"
STRICT = Configured(
    1, 0, strict=True, stale_reads=False, arranged=True, backup_timeout_ms=0, call_timeout_ms=0, steps=False
)
CUT = FaultBegun("split", ("trust",), (), "1 is cut off")
HEALED = FaultEnded("split", "1 is cut off")
WHOLE: list[Row] = [(0, 1), (1, 2), (2, 0)]
HOLE: list[Row] = [(0,), (1, 2), (2, 0)]
OTHER: list[Row] = [(1, 2), (2, 0), (0, 1)]
UNEVEN: list[Row] = [(0, 1), (0, 2), (0, 1)]


def _show_twice(run: TraceBuilder, when: str, first: list[Row], second: list[Row], *versions: int) -> None:
    """A member shows a table, and two milliseconds later another one."""
    shown: list[list[int] | None] = [[version] * 3 for version in versions] or [None, None]
    for number, rows in enumerate((first, second)):
        run.view(f"{when} {number}", rows, versions=shown[number]).wait(2)


def _show_to_two(run: TraceBuilder, when: str) -> None:
    run.view(when, WHOLE).view(when, HOLE, observer=1)


def _join(run: TraceBuilder, when: str) -> None:
    run.view(f"{when} 0", WHOLE).wait(2).join(len(run.groups)).view(f"{when} 1", OTHER).crash(run.alive[-1])


def _read_another(run: TraceBuilder, when: str) -> None:
    run.write(when, "written").read(when, "never written")


def _look(run: TraceBuilder, when: str) -> None:
    run.write(when, "written").look(when, {0: "written", 1: None, 2: None})


def _count(run: TraceBuilder, when: str) -> None:
    run.write(f"{when} 0", "one", copies=2).write(f"{when} 1", "two", copies=2)
    counts(run, 1, 1, 0)


def _start_twice(run: TraceBuilder, when: str) -> None:
    run.event(listed(0, 2), 0).event(listed(1, 0, 3), 1)
    run.event(JobAsked(when, Guarantee.EXACTLY_ONCE, True, 1, 30, ()))
    run.event(JobStarted(when, "first", (2,), (2,), 0), 0).event(JobStarted(when, "second", (3,), (3,), 0), 1)


def _route(run: TraceBuilder, when: str) -> None:
    run.records.append(RouteRecord(RUN, "string", b"\0\0\0\1a", 3, 7, when, False))


BREACHES: Mapping[str, Callable[[TraceBuilder, str], None]] = {
    "full-rows": lambda run, when: _show_twice(run, when, HOLE, WHOLE),
    "views-agree": _show_to_two,
    "balance-of-primaries": lambda run, when: _show_twice(run, when, UNEVEN, WHOLE),
    "movement-without-cause": lambda run, when: _show_twice(run, when, WHOLE, OTHER),
    "movement-of-copies": _join,
    "version-never-decreases": lambda run, when: _show_twice(run, when, WHOLE, WHOLE, 9, 8),
    "equal-version-equal-row": lambda run, when: _show_twice(run, when, WHOLE, OTHER, 9, 9),
    "linearizability": _read_another,
    "acknowledgement-means-copies": _look,
    "acknowledged-writes-are-counted": _count,
    "refines-snapshot": _start_twice,
    "partition-in-range": _route,
}
"""What breaks each property once."""


def broken(name: str, when: str) -> TraceBuilder:
    """Return a run that breaks a property once, and whose system admits that a split breaks it until it is healed."""
    run = TraceBuilder().join(0, 1, 2, 3).state(5, 5)
    run.event(HeldTo(Admission.NOTHING, ())).event(
        Admitted((name,), ("split",), Begins.FAULT, Ends.HEAL, "page 4", "the hello")
    )
    for now, event in ((BEFORE, CUT), (DURING, HEALED), (BEHIND, None)):
        run.wait(10)
        if now == when:
            BREACHES[name](run, when)
        run.wait(10)
        if event is not None:
            run.event(event)
    return run


def between_two_splits(often: int = 1_100) -> TraceBuilder:
    """Return a run that breaks a property very often while a split lasts, once behind it, and in another one again."""
    run = broken("full-rows", "never").wait(1)
    for when, times in ((DURING, often), (BEHIND, 1), ("again", often)):
        run.event(HEALED if when == BEHIND else CUT)
        for _ in range(times):
            run.wait(1).view(when, HOLE)
        run.wait(1)
    return run


LOST = {
    "acknowledged-write-kept": OperationKind.WRITE,
    "acknowledged-key-present": OperationKind.WRITE,
    "reads-see-acknowledged-writes": OperationKind.WRITE,
    "acknowledged-append-kept": OperationKind.APPEND,
    "exactly-once-when-strict": OperationKind.APPEND,
    "acknowledged-addition-kept": OperationKind.ADD,
    "acknowledged-offer-kept": OperationKind.OFFER,
    "read-your-writes": OperationKind.WRITE,
    "no-dirty-read": OperationKind.WRITE,
    "monotonic-reads": OperationKind.WRITE,
}


def lost(name: str, *, found: bool, again: bool = False) -> TraceBuilder:
    """Return a run in which a write is lost behind a split that may take it, and maybe another one; of one that was
    `found` at rest between, the first has not taken it."""
    run = TraceBuilder().join(0, 1, 2).state(5, 5).event(HeldTo(Admission.NOTHING, ()))
    run.event(Admitted((name,), ("split",), Begins.FAULT, Ends.REST, "page 4", "the hello"))
    run.event(STRICT).view("started", WHOLE)
    older = "older" if name == "monotonic-reads" else None
    if older is not None:
        run.write("k", older).read("k", older)
    run.write("k", "1").change_last(kind=LOST[name])
    if name == "no-dirty-read":
        run.change_last(outcome=Outcome.UNKNOWN)
    if name in ("no-dirty-read", "monotonic-reads"):
        run.read("k", "1")
    run.wait(5).event(CUT).wait(5).event(HEALED).wait(5).view("healed", WHOLE)
    if found:
        run.wait(5).read("k", "1", stage="healed").wait(5)
    if again:
        run.event(CUT).wait(5).event(HEALED).wait(5).view("healed again", WHOLE)
    return run.wait(5).read("k", older, stage="healed")


def every_run() -> Iterator[list[Record]]:
    """Yield one run for each property and moment, each under a name of its own."""
    for name in LOST:
        for found in (True, False):
            yield [replace(record, run=f"{name} {found}") for record in lost(name, found=found).records]
    yield [replace(record, run="between two splits") for record in between_two_splits().records]
    for name in BREACHES:
        for when in (BEFORE, DURING, BEHIND):
            yield [replace(record, run=f"{name} {when}") for record in broken(name, when).records]
