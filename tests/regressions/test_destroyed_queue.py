"""A backup that kept what its primary had forgotten.

Found in seeds 3000225 and 5001295, by the judge of the order of queues. A queue is destroyed: its backup forgets it
first and then applies an update that was under way, its primary forgets both. The versions are equal, so anti-entropy
finds nothing. When the primary ends, the value comes out behind one that was offered after the destruction. A system
whose members forget a structure each by itself (calls.34, sync.6) owes no order of what was destroyed; the
judge had asked only whether the value's own poll was lost, not its offer.
"""

from gridproof_model.events.conditions import StructureForgotten
from gridproof_model.trace import EventRecord, OperationKind, Outcome, Record
from gridproof_properties.judging.verdict import Result
from tests.properties.recorded_history import operation_record
from tests.properties.test_simulated_judges import result_of

OFFER, POLL, DESTROY = OperationKind.OFFER, OperationKind.POLL, OperationKind.DESTROY


def history(*destroyed: Record) -> list[Record]:
    """Return a first offer, a destruction of the queue, a second offer, and polls that find the second value first."""
    return [
        operation_record(2, OFFER, "v0"),
        *destroyed,
        operation_record(4, OFFER, "v1"),
        *(operation_record(number, POLL, value) for number, value in enumerate(("v1", "v0", None), start=5)),
    ]


def destroyed(start_ms: int, forgotten_ms: int) -> list[Record]:
    """Return a destruction that nobody answers, and when the last member forgot the queue."""
    asked = operation_record(3, DESTROY, None, Outcome.UNKNOWN, span_ms=(start_ms, start_ms))
    return [asked, *(EventRecord("run", forgotten_ms, None, StructureForgotten(n, "queue:key-0")) for n in (0, 1))]


def test_a_value_that_one_copy_kept_of_a_destroyed_queue_owes_no_order() -> None:
    assert result_of("queue-order-kept", history(*destroyed(30, 31))) is Result.UNKNOWN


def test_a_value_that_was_under_way_when_its_queue_was_destroyed_owes_no_order() -> None:
    assert result_of("queue-order-kept", history(*destroyed(19, 21))) is Result.UNKNOWN


def test_a_value_offered_after_every_member_forgot_the_queue_owes_its_order() -> None:
    assert result_of("queue-order-kept", history(*destroyed(10, 11))) is Result.BROKEN
