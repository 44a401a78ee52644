"""A run whose tables were polled while members came and went."""

from gridproof_model.events.harness import TableShownAgain, TablesPolled
from gridproof_properties.judging.trace_builder import Row, TraceBuilder


def polled_run() -> TraceBuilder:
    """Two groups; a newcomer takes a primary over, and everybody has shown that twice."""
    run = TraceBuilder(2).join(0, 1, group="a").join(2, group="b")
    before: list[Row] = [(0, 2), (2, 1)]
    for member in (0, 1, 2):
        run.view("started", before, observer=member)
    run.join(3, group="b").wait(200)
    for member in (0, 1, 2, 3):
        poll(run, [(0, 3), (2, 1)], member)
        again(run, 0, 1, 2)
    return run.event(TablesPolled(16, 4, 0))


def poll(run: TraceBuilder, rows: list[Row], member: int) -> TraceBuilder:
    """A member shows a table that is new."""
    return run.wait(50).view("busy", rows, observer=member, settled=False)


def again(run: TraceBuilder, *members: int) -> TraceBuilder:
    """Members show what they showed before."""
    for member in members:
        run.wait(50).event(TableShownAgain(), member)
    return run
