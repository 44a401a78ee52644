"""Of a system that says how its copies are spread, it is what it says that a mutated table breaks."""

import pytest

from gridproof_model.events.conditions import StatedTable
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Result
from suite.zoo.mutated_statements import TRACE_MUTATIONS
from tests.suite.good_runs import good_run

MUTATIONS = {one.name: one for one in TRACE_MUTATIONS}


def is_said(record: Record) -> bool:
    return isinstance(record, EventRecord) and isinstance(record.event, StatedTable)


@pytest.mark.parametrize(
    ("mutation", "name"),
    [
        ("copies-uneven-without-ranks", "balance-of-primaries"),
        ("copies-uneven-without-ranks", "balance-after-loss"),
        ("primaries-even-by-group", "balance-of-primaries"),
        ("primaries-even-by-group", "balance-after-loss"),
        ("copies-even-by-group", "balance-of-copies"),
    ],
)
def test_the_same_table_is_right_for_a_system_that_says_nothing(mutation: str, name: str) -> None:
    records = MUTATIONS[mutation].mutate(good_run())

    silent = [record for record in records if not is_said(record)]

    assert judge_run(list(records), [get_property(name)], {})[0].result is Result.BROKEN
    assert judge_run(silent, [get_property(name)], {})[0].result is Result.HOLDS
