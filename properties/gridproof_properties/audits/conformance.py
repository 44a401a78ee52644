"""One call that audits a system and returns the verdicts on it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from gridproof_implementation.adapter import Adapter, AdapterError, FaultCondition, Options, PromiseWord
from gridproof_implementation.checked_ports import (
    CheckedGrid,
    CheckedPlacer,
    CheckedRouter,
    check_adapter,
    checked_rule,
    open_checked,
)
from gridproof_implementation.guard import CALL_DEADLINE_S, Guard, TimeIsOverError
from gridproof_model.events import kinds_of
from gridproof_model.events.conditions import Admitted, AuditSetup, HeldTo, StatedTable, StatedTimes
from gridproof_model.events.harness import AuditStopped, PassedOver, Remark, TakenFromFile
from gridproof_model.renamed import present_name
from gridproof_model.trace import EventRecord, OperationKind, Record, RunRecord
from gridproof_properties.audits.grid import GridPlan, audit_grid
from gridproof_properties.audits.promises import LEVELS, attributed, unknown_names, with_own_word
from gridproof_properties.audits.recorder import Sink
from gridproof_properties.audits.routing import PlacerPlan, audit_placer, audit_routes
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.checkers.routes import key_to_partition
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.panel import Panel
from gridproof_properties.judging.verdict import PromiseLevel, Verdict
from gridproof_properties.judging.verdict_records import verdict_record
from gridproof_properties.judging.words import count

_SAID = kinds_of(StatedTimes | StatedTable | Admitted | HeldTo | AuditSetup | TakenFromFile | PassedOver | Remark)
"""Events that describe a system as its documents or files do, or the machine, before the system shows anything."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How much an audit does, and how long it may take."""

    grid: GridPlan = field(default_factory=GridPlan)
    placer: PlacerPlan = field(default_factory=PlacerPlan)
    random_keys_per_type: int = 100_000
    call_deadline_s: float = CALL_DEADLINE_S
    """How long one call of the adapter may take at most."""
    time_limit_s: float | None = None
    """How long the whole audit may take; no call begins after that, and the call under way is the last one."""


def check_conformance(
    adapter: Adapter,
    options: Options,
    sink: Sink | None = None,
    *,
    properties: Sequence[Property] = CATALOGUE,
    extent: Extent | None = None,
) -> tuple[Verdict, ...]:
    """Audit one system and return one verdict per property.

    Every record goes in order to `sink` (for instance a trace writer) and to the judges, and is not kept; the verdicts
    are the last records. The adapter is called in its own thread, and the sink in the same thread. A property that the
    adapter does not name has the promise NONE. If the system fails in the middle of the audit, a time limit is reached,
    or the user interrupts the audit, no property holds: what was found broken stays broken, and everything else is
    unknown.

    Raise AdapterError if the adapter is invalid, promises an unknown property, or cannot be opened in time.
    """
    check_adapter(adapter, "the adapter")
    chosen = extent or Extent()
    levels = promise_levels(adapter, options, properties)
    panel = Panel([with_batched_hash(prop) for prop in properties], levels, admits=adapter.admits)
    run = _Run(panel, sink)
    guard = Guard(adapter.name, chosen.call_deadline_s, chosen.time_limit_s)
    try:
        guard.run(lambda: _audit(adapter, options, run.take, chosen, guard))
    except AdapterError as error:
        if not (run.name if isinstance(error, TimeIsOverError) else run.under_way):
            raise
        run.take(EventRecord(run.name, run.at_ms, None, AuditStopped(str(error))))
    except KeyboardInterrupt:
        if not run.name:
            raise
        run.take(EventRecord(run.name, run.at_ms, None, AuditStopped("interrupted")))
    verdicts = attributed(adapter.promises, panel.conclude())
    for verdict in verdicts:
        run.write(verdict)
    return verdicts


ASKED_BY_AUDITS = (OperationKind.WRITE, OperationKind.REMOVE, OperationKind.READ, OperationKind.READ_REPLICA)


def promise_levels(
    adapter: Adapter,
    options: Options,
    properties: Sequence[Property] = CATALOGUE,
    *,
    grouped: bool | None = None,
    under: Collection[FaultCondition] = (FaultCondition.CALM,),
    asked: Collection[OperationKind] = ASKED_BY_AUDITS,
) -> dict[str, PromiseLevel]:
    """Return the promise level of each property that is promised, by the property's name.

    A promise itself says for how many backups it is given, and what is left of it if members share a partition group;
    `grouped`, or else the options, says whether they do. A promise that is not given under all fault conditions of the
    run counts as none; the same is true of a promise that needs certain operations, if the run asks for none of them.
    Raise AdapterError if a promise has a name that no property has.
    """
    known = {prop.name: prop.needs for prop in (*CATALOGUE, *properties)}
    operations = {f"operation {kind}" for kind in OperationKind}
    unasked = operations - {f"operation {kind}" for kind in asked}
    promises = {present_name(name, known): promise for name, promise in adapter.promises.items()}
    for clause in unknown_names(adapter.promises, adapter.weaknesses, adapter.declines, known):
        raise AdapterError(f"{adapter.name} has promises that cannot be judged: {adapter.name} {clause}")
    given = {
        name: promise
        for name, promise in promises.items()
        if promise.is_given(options.backup_count)
        and not (promise.where_asked and known[name] <= unasked)
        and (promise.word is PromiseWord.WEAKNESS or set(under) <= set(promise.under))
    }
    shares = options.is_grouped if grouped is None else grouped
    return {name: LEVELS[(shares and promise.grouped) or promise.word] for name, promise in given.items()}


class _Run:
    """Passes each record on, and keeps what the last records need."""

    def __init__(self, panel: Panel, sink: Sink | None) -> None:
        self._panel = panel
        self._sink = sink
        self.under_way = False
        """Whether a record has come that shows what the system did, and not only what its documents state."""
        self.name = ""
        self.at_ms = 0

    def take(self, record: Record) -> None:
        """Show one record to the judges and the sink."""
        self.name = record.run
        self.at_ms = getattr(record, "at_ms", self.at_ms)
        is_said = isinstance(record, RunRecord) or (isinstance(record, EventRecord) and record.kind in _SAID)
        self.under_way = self.under_way or not is_said
        self._panel.observe(record)
        if self._sink is not None:
            self._sink(record)

    def write(self, verdict: Verdict) -> None:
        """Write one verdict, after the records on which it is based."""
        if self._sink is not None:
            self._sink(verdict_record(self.name, verdict))


def _audit(adapter: Adapter, options: Options, sink: Sink, extent: Extent, guard: Guard) -> None:
    """Open the system and run the audit that fits its port."""
    with open_checked(adapter, options, guard) as system:
        if not isinstance(system, CheckedRouter):
            kept = system.copies - 1 if isinstance(system, CheckedPlacer) else system.backup_count
            if "backup_count" in options.named and kept != options.backup_count:
                wrong = f"--backups {options.backup_count}: {adapter.name} always keeps {count(kept, 'backup')}"
                raise AdapterError(f"{wrong}; write --backups {kept}, or leave --backups out")
        adapter = replace(adapter, rule=checked_rule(adapter.rule, guard))
        match system:
            case CheckedGrid():
                audit_grid(system, adapter, options, with_own_word(adapter, sink), extent.grid)
            case CheckedPlacer():
                audit_placer(system, adapter.name, options, with_own_word(adapter, sink), extent.placer)
            case CheckedRouter():
                keys = extent.random_keys_per_type
                audit_routes(system, adapter.name, options, sink, keys, rule=adapter.rule, own_rule=adapter.own_rule)
            case _:
                assert_never(system)


def with_batched_hash(prop: Property) -> Property:
    """Return the same property; if it is about hashes, these are computed in batches (a test shows that they are
    equal)."""
    return _BATCHED if prop.name == _BATCHED.name else prop


def _hashes(payloads: Sequence[bytes]) -> Sequence[int]:
    # Imported here: only a grid with routes needs NumPy.
    from gridproof_implementation.hashing import hash_payloads

    hashes: list[int] = hash_payloads(payloads).tolist()
    return hashes


_BATCHED = key_to_partition(_hashes)
