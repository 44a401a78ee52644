"""A run whose tables were polled while members came and went."""

from gridproof_model.events.harness import ListShown, TableShownAgain, TablesPolled, VersionsShown
from gridproof_properties.strategies.trace_builder import Row, TraceBuilder


def polled_run() -> TraceBuilder:
    """Two groups; a newcomer takes a primary over, and everybody has shown that twice.

    One more has been there, and has ended long before the last list is shown.
    """
    run = TraceBuilder(2).state(100, 1_000).join(0, 1, group="a").join(2, 3, group="b")
    before: list[Row] = [(0, 2), (2, 1)]
    lists(run, (0, 1, 2, 3), 0, 1, 2).view("started", before).crash(3)
    lists(run, (0, 1, 2), 0, 1, 2)
    for member in (0, 1, 2):
        run.view("started", before, observer=member)
    run.join(4, group="b").wait(200)
    for member in (0, 1, 2, 4):
        poll(run, [(0, 4), (2, 1)], member)
        again(run, 0, 1, 2)
    lists(run, (0, 1, 2, 4), 0, 1, 2, 4)
    for updates in (1, 2):
        run.wait(50).write("key-0", f"v{updates}", copies=2)
        counts(counts(run, 4, 1, updates), 0, 0, updates)
    return run.event(TablesPolled(16, 4, 0))


def lists(run: TraceBuilder, members: tuple[int, ...], *observers: int) -> TraceBuilder:
    """Members show whom they list."""
    for observer in observers:
        run.event(ListShown(members), observer)
    return run


def counts(run: TraceBuilder, member: int, index: int, *versions: int, row_version: int = 7) -> TraceBuilder:
    """A member shows which updates its copy of partition 0 counts; its answer takes 10 ms."""
    run.wait(20)
    return run.event(VersionsShown(0, index, row_version, versions, run.now_ms - 10), member)


def poll(run: TraceBuilder, rows: list[Row], member: int) -> TraceBuilder:
    """A member shows a table that is new."""
    return run.wait(50).view("busy", rows, observer=member, settled=False)


def again(run: TraceBuilder, *members: int) -> TraceBuilder:
    """Members show what they showed before."""
    for member in members:
        run.wait(50).event(TableShownAgain(), member)
    return run
