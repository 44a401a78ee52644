"""A run whose tables were polled while members came and went."""

from gridproof_model.events.harness import ListShown, TableShownAgain, TablesPolled
from gridproof_properties.judging.trace_builder import Row, TraceBuilder


def polled_run() -> TraceBuilder:
    """Two groups; a newcomer takes a primary over, and everybody has shown that twice.

    One more has been there, and has ended long before the last list is shown.
    """
    run = TraceBuilder(2).state(100, 1_000).join(0, 1, group="a").join(2, 3, group="b")
    lists(run, (0, 1, 2, 3), 0, 1, 2).crash(3)
    lists(run, (0, 1, 2), 0, 1, 2)
    before: list[Row] = [(0, 2), (2, 1)]
    for member in (0, 1, 2):
        run.view("started", before, observer=member)
    run.join(4, group="b").wait(200)
    for member in (0, 1, 2, 4):
        poll(run, [(0, 4), (2, 1)], member)
        again(run, 0, 1, 2)
    lists(run, (0, 1, 2, 4), 0, 1, 2, 4)
    return run.event(TablesPolled(16, 4, 0))


def lists(run: TraceBuilder, members: tuple[int, ...], *observers: int) -> TraceBuilder:
    """Members show whom they list."""
    for observer in observers:
        run.event(ListShown(members), observer)
    return run


def poll(run: TraceBuilder, rows: list[Row], member: int) -> TraceBuilder:
    """A member shows a table that is new."""
    return run.wait(50).view("busy", rows, observer=member, settled=False)


def again(run: TraceBuilder, *members: int) -> TraceBuilder:
    """Members show what they showed before."""
    for member in members:
        run.wait(50).event(TableShownAgain(), member)
    return run
