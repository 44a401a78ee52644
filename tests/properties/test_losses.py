"""What a live run lost of what it acknowledged."""

import pytest

from gridproof_model.events.conditions import FaultBegun
from gridproof_model.trace import EventRecord, OperationKind, OperationRecord, Outcome
from gridproof_properties.campaign.losses import Losses, describe_times

OK, REFUSED, UNKNOWN = Outcome.OK, Outcome.REFUSED, Outcome.UNKNOWN
REST, LATER = "at rest", "later"
Asked = tuple[OperationKind, str, str | None, int, Outcome, str, str | None]


def asked(
    kind: OperationKind, key: str, value: str | None = None, at_ms: int = 0, outcome: Outcome = OK, stage: str = "busy",
    answer: str | None = None,
) -> Asked:  # fmt: skip
    return kind, key, value, at_ms, outcome, stage, answer


def write(key: str, value: str, at_ms: int, outcome: Outcome = OK) -> Asked:
    return asked(OperationKind.WRITE, key, value, at_ms, outcome)


def read(key: str, value: str | None) -> Asked:
    return asked(OperationKind.READ, key, value, 900, OK, REST)


def losses(*operations: Asked, fault_ms: int = 100) -> Losses:
    """Each operation takes 10 ms; the fault begins at 100."""
    found = Losses()
    found.observe(EventRecord("run", fault_ms, None, FaultBegun("split", (), (), "apart")))
    for number, (kind, key, value, at_ms, outcome, stage, answer) in enumerate(operations):
        record = OperationRecord(
            "run", number, 0, kind, key, 0, value, outcome, None, None, at_ms, at_ms + 10, stage, answer=answer
        )
        found.observe(record)
    return found


def test_a_change_by_one_side_of_what_was_there_before_is_lost_where_the_old_value_comes_back() -> None:
    found = losses(write("register-a", "old", 0), write("register-a", "new", 150), read("register-a", "old"))

    assert [(loss.key, loss.after_fault_ms, loss.read) for loss in found.lost()] == [("register-a", 60, "old")]
    assert found.describe() == "1 of 1 writes; 1 read an older value; acknowledged 0.1 to 0.1 s after the fault"


def test_what_may_have_come_last_is_no_loss() -> None:
    together = (write("register-a", "one", 150), write("register-a", "other", 155))

    assert losses(*together, read("register-a", "one")).lost() == []
    assert losses(*together, read("register-a", "other")).lost() == []
    unknown = write("register-a", "late", 110, UNKNOWN)
    assert losses(unknown, write("register-a", "new", 150), read("register-a", "late")).lost() == []
    refused = write("register-a", "not", 160, REFUSED)
    assert losses(write("register-a", "new", 150), refused, read("register-a", "not")).lost() != []


def test_what_nobody_read_at_rest_is_not_known_to_be_lost() -> None:
    assert losses(write("register-a", "new", 150)).lost() == []


def test_what_compared_and_changed_nothing_is_owed_by_nobody() -> None:
    put = asked(OperationKind.PUT_IF_ABSENT, "cells-a", "one", 110)
    left = asked(OperationKind.PUT_IF_ABSENT, "cells-a", "two", 130, answer="one")
    removed = asked(OperationKind.COMPARE_AND_REMOVE, "cells-a", None, 150, answer="true")

    assert losses(put, left, read("cells-a", "one")).lost() == []
    assert losses(put, left, removed, read("cells-a", None)).lost() == []
    assert len(losses(put, left, removed, read("cells-a", "one")).lost()) == 1


def test_offers_that_nobody_polled_are_lost_once_the_queue_is_empty() -> None:
    offers = [asked(OperationKind.OFFER, "queue-1", value, 110) for value in ("a", "b", "c")]
    polled = asked(OperationKind.POLL, "queue-1", "a", 200)
    empty = asked(OperationKind.POLL, "queue-1", None, 990, OK, LATER)
    perhaps = asked(OperationKind.POLL, "queue-1", None, 210, UNKNOWN)

    assert losses(*offers, polled).lost() == []
    assert [loss.key for loss in losses(*offers, polled, empty).lost()] == ["queue-1"] * 2
    assert len(losses(*offers, polled, perhaps, empty).lost()) == 1
    assert losses(*offers, polled, empty).describe().startswith("2 of 3 offers")


def test_appends_that_no_list_has_are_lost() -> None:
    appends = [asked(OperationKind.APPEND, "appends-1", value, 110) for value in ("a", "b")]

    assert len(losses(*appends, read("appends-1", "b x")).lost()) == 1
    assert len(losses(*appends, read("appends-1", None)).lost()) == 2


def test_a_sum_is_short_of_additions() -> None:
    additions = [asked(OperationKind.ADD, "counter-1", str(n), 110) for n in (1, 2, 3)]
    found = losses(*additions, read("counter-1", "1"))

    assert found.describe() == "2 of 3 additions"
    assert losses(*additions, read("counter-1", "4")).lost() == []


def test_what_compared_and_says_that_it_changed_nothing_may_have_changed_it_when_it_was_sent_before() -> None:
    first = asked(OperationKind.COMPARE_AND_SET, "cells-a", "one", 0, answer="true")
    again = asked(OperationKind.COMPARE_AND_SET, "cells-a", "two", 150, answer="false")

    assert losses(first, again, read("cells-a", "two")).lost() == []
    assert [loss.read for loss in losses(first, again, read("cells-a", "none")).lost()] == ["none"]


@pytest.mark.parametrize(
    ("first_s", "last_s", "said"),
    [
        (0.3, 1.24, "0.3 to 1.2 s after the fault"),
        (-2.7, -0.01, "2.7 to 0.0 s before the fault"),
        (-0.8, 1.2, "from 0.8 s before the fault to 1.2 s after it"),
    ],
)
def test_when_what_is_lost_was_acknowledged_is_said_from_the_fault_on(first_s: float, last_s: float, said: str) -> None:
    assert describe_times(first_s, last_s) == said
