"""One call from a system to its verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import assert_never, cast

from gridproof_implementation.adapter import Adapter, AdapterError, Grid, KeyRouter, Kind, Options, Placer, PromiseWord
from gridproof_implementation.hashing import hash_payloads
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.audits.grid import GridPlan, audit_grid
from gridproof_properties.audits.placer import NODES, PlacerPlan, audit_placer
from gridproof_properties.audits.recorder import STOPPED, Sink
from gridproof_properties.audits.routing import audit_routes
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.checkers.routes import key_to_partition
from gridproof_properties.judge import Panel, Property
from gridproof_properties.verdict import PromiseLevel, Verdict
from gridproof_properties.verdict_records import verdict_record

_LEVELS = {PromiseWord.PROMISED: PromiseLevel.PROMISED, PromiseWord.WEAKNESS: PromiseLevel.WEAKNESS}
_ABOUT_LOSS = frozenset({"backups-converge", "balance-after-loss", "movement-after-loss", "promotion-without-loss"})
_ZONE_COUNT = len({node.zone for node in NODES})


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of everything an audit does."""

    grid: GridPlan = field(default_factory=GridPlan)
    placer: PlacerPlan = field(default_factory=PlacerPlan)
    random_keys_per_type: int = 100_000


def check_conformance(
    adapter: Adapter,
    options: Options,
    sink: Sink | None = None,
    *,
    properties: Sequence[Property] = CATALOGUE,
    extent: Extent | None = None,
) -> tuple[Verdict, ...]:
    """Audit one system and return a verdict per property.

    Every record goes to `sink` (a trace writer, say) and to the judges, in order, and is not kept; the verdicts follow
    as the last records. A property the adapter does not name has promise NONE. A system that breaks off in the middle
    of the audit leaves no property holding: what was found broken stays broken, all else is unknown.

    Raises AdapterError when the system cannot be opened.
    """
    with adapter.open(options) as system:
        panel = Panel([with_batched_hash(prop) for prop in properties], promise_levels(adapter, options))
        run = _Run(panel, sink)
        try:
            _drive(adapter, system, options, run.take, extent or Extent())
        except AdapterError as error:
            if not run.under_way:
                raise
            run.take(EventRecord(run.name, run.at_ms, STOPPED, None, str(error)))
    verdicts = panel.conclude()
    for verdict in verdicts:
        run.tell(verdict)
    return verdicts


def promise_levels(adapter: Adapter, options: Options) -> dict[str, PromiseLevel]:
    """Return the subject's promises in the words of verdicts, by property name.

    What these options put out of reach is owed by nobody: a library that returns all copies cannot keep more of them
    apart than there are zones, and a grid without backups loses what a crash takes, so that none is staged.
    """
    excused: frozenset[str] = frozenset()
    if adapter.kind is Kind.PLACER and options.backup_count + 1 > _ZONE_COUNT:
        excused = frozenset({"group-separation"})
    if adapter.kind is Kind.GRID and options.backup_count == 0:
        excused = _ABOUT_LOSS
    return {name: _LEVELS[promise.word] for name, promise in adapter.promises.items() if name not in excused}


class _Run:
    """Hands each record on, and remembers what the last records need."""

    def __init__(self, panel: Panel, sink: Sink | None) -> None:
        self._panel = panel
        self._sink = sink
        self._count = 0
        self.name = ""
        self.at_ms = 0

    @property
    def under_way(self) -> bool:
        """Whether the system showed anything beyond the head of the run."""
        return self._count > 1

    def take(self, record: Record) -> None:
        """Show one record to the judges and the sink."""
        self.name = record.run
        self.at_ms = getattr(record, "at_ms", self.at_ms)
        self._count += 1
        self._panel.observe(record)
        if self._sink is not None:
            self._sink(record)

    def tell(self, verdict: Verdict) -> None:
        """Write one verdict behind the records it was reached on."""
        if self._sink is not None:
            self._sink(verdict_record(self.name, verdict))


def _drive(adapter: Adapter, system: KeyRouter | Placer | Grid, options: Options, sink: Sink, extent: Extent) -> None:
    """Run the audit of the adapter's kind; its `open` yields the port its kind names."""
    match adapter.kind:
        case Kind.GRID:
            audit_grid(cast(Grid, system), adapter.name, options, sink, extent.grid)
        case Kind.PLACER:
            audit_placer(cast(Placer, system), adapter.name, options, sink, extent.placer)
        case Kind.ROUTER:
            audit_routes(cast(KeyRouter, system), adapter.name, options, sink, extent.random_keys_per_type)
        case _:
            assert_never(adapter.kind)


def with_batched_hash(prop: Property) -> Property:
    """Return the same property judged with the batched hash, which a test holds equal to the model's."""
    fast = key_to_partition(lambda payloads: hash_payloads(payloads).tolist())
    return fast if prop.name == fast.name else prop
