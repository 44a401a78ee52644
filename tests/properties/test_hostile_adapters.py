"""Adapters that nobody would write: an honest one, damaged."""

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gridproof_implementation.adapter import Adapter, AdapterError, ObservedRow, ReadAnswer, ReplicaContent, WriteAnswer
from gridproof_implementation.trace.schema import check_record
from gridproof_model.events.harness import AuditStopped
from gridproof_model.trace import EventRecord, Outcome, Record
from gridproof_properties.audits.conformance import Extent, check_conformance
from gridproof_properties.judging.verdict import Result, Verdict, exit_status
from tests.profiles import examples
from tests.properties.bad_adapters import UnprintableError, raising, recursing, returning
from tests.properties.honest_grid import HonestGrid, adapter_of
from tests.properties.test_bad_adapters import OPTIONS, PLAN

METHODS = (
    "start_member", "members", "group_of", "view_table", "why_unsettled", "wait", "crash", "leave", "partition_of",
    "write", "read", "read_replica", "write_many", "remove",
)  # fmt: skip
ERRORS: tuple[BaseException, ...] = (
    Exception(), Exception("one\ntwo"), Exception("\x1b[31m\x00\ud800"), Exception("a" * 100_000), KeyError(),
    OSError(5, "x"), SystemExit(), SystemExit(0), SystemExit("bye"), KeyboardInterrupt(), GeneratorExit(),
    StopIteration(), MemoryError(), TimeoutError(), AdapterError("gone"), AdapterError(""), UnprintableError(),
    BaseExceptionGroup("g", [ValueError("in")]),
)  # fmt: skip
WORD: Any = "ok"
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 28, 29, 2**63, -(2**63), 10**400, 0.5, float("nan"), float("inf"), "", "a", "\x00",
    "a\nb", "\ud800", "a" * 100_000, b"a", [], [None], [[]], [0] * 29, {}, {"a": 1}, set(), object(), type, Ellipsis,
    iter(()), (), ObservedRow(()), [ObservedRow(())] * 29, [ObservedRow((None,) * 7)] * 29,
    [ObservedRow((None,), -1)] * 29, [ObservedRow((None,), 2**63)] * 29, WriteAnswer(Outcome.OK),
    WriteAnswer(Outcome.UNKNOWN), WriteAnswer(Outcome.REFUSED, 99), WriteAnswer(Outcome.OK, 2**63),
    WriteAnswer(Outcome.OK, 1, "\n"), WriteAnswer(WORD), ReadAnswer(Outcome.OK), ReadAnswer(Outcome.OK, "\ud800"),
    ReadAnswer(Outcome.OK, "x" * 100_000), ReadAnswer(WORD), ReplicaContent("primary", None, {}),
    ReplicaContent("king", 2**63, {"k": "v"}), ReplicaContent("", -1, {"\ud800": "\x00"}),
)  # fmt: skip
"""What no method should answer, and what one may: where it does not fit, the port says so."""


@st.composite
def damages(draw: st.DrawFn) -> tuple[str, Callable[..., Any], int]:
    """Draw a method, what it does instead, and from which of its calls on."""
    method = draw(st.sampled_from(METHODS))
    does = draw(st.sampled_from(ERRORS).map(raising) | st.sampled_from(VALUES).map(returning) | st.just(recursing))
    return method, does, draw(st.sampled_from([0, 1, 2, 5, 20]))


def damaged(drawn: Sequence[tuple[str, Callable[..., Any], int]]) -> Adapter:
    """Return the honest grid with some methods gone wrong."""
    return adapter_of(type("Damaged", (HonestGrid,), {name: gone_wrong(name, does, at) for name, does, at in drawn}))


def gone_wrong(name: str, does: Callable[..., Any], at: int) -> Callable[..., Any]:
    calls = iter(range(1_000_000))

    def method(self: HonestGrid, *arguments: object, **named: object) -> Any:
        honest = getattr(HonestGrid, name, None)
        return does() if honest is None or next(calls) >= at else honest(self, *arguments, **named)

    return method


def audit(adapter: Adapter) -> None:
    """Audit one, and hold what comes of it against what every adapter is owed."""
    records: list[Record] = []
    verdicts: Sequence[Verdict] = ()
    refused = ""
    try:
        verdicts = check_conformance(adapter, OPTIONS, records.append, extent=Extent(grid=PLAN, call_deadline_s=20))
    except AdapterError as error:  # it did not begin
        refused = str(error)
    assert bool(refused) != bool(verdicts)
    for record in records:
        check_record(record)
    stopped = [r.event.why for r in records if isinstance(r, EventRecord) and isinstance(r.event, AuditStopped)]
    assert all("\n" not in line for line in (refused, *stopped))
    if stopped:
        assert Result.HOLDS not in {verdict.result for verdict in verdicts}
        assert exit_status(verdicts) in (1, 3)


DRAWN = st.lists(damages(), min_size=1, max_size=2, unique_by=lambda drawn: drawn[0])


@settings(max_examples=examples(25, nightly=2_000))
@given(drawn=DRAWN)
def test_a_damaged_adapter_ends_as_verdicts_or_one_line(drawn: Sequence[tuple[str, Callable[..., Any], int]]) -> None:
    audit(damaged(drawn))
