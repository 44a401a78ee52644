"""The audit of a key router.

Each type of key that the router offers is tried with two kinds of keys. Random keys come from distributions that favour
the extremes of a type, and are routed with the partition count of the run; if a type has at most 65,536 keys, all of
them are routed instead. And boundary keys are constructed for the boundaries of each of several partition counts. What
is drawn depends only on the seed. A router has no time: the time of all its events is 0 ms.

The audit of a placement library uses six nodes, or as many as are asked for, then one node more, then one fewer. Each
key is a partition of its own, and its row is made of the nodes that hold its copies, so the judges of tables apply
unchanged. A library has one table and no members that could disagree: the first node takes the place of the member that
shows the table.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import cast
from uuid import NAMESPACE_OID, uuid5

from gridproof_implementation.adapter import (
    AdapterError,
    KeyRouter,
    Node,
    ObservedRow,
    Options,
    Placer,
    Refused,
    Rule,
    SecondOpinion,
)
from gridproof_model.events import Event
from gridproof_model.events.harness import BoundaryUnreachable, KeyRefused
from gridproof_model.hashing import INT_MAX
from gridproof_model.keys import Key, KeyType
from gridproof_model.membership import Address, Member, MemberId
from gridproof_model.serialization import serialize
from gridproof_model.trace import EventRecord, MemberChange, Record, RouteRecord, RunRecord
from gridproof_properties.audits.boundary_keys import (
    LISTABLE_TYPES,
    boundary_hashes,
    boundary_keys,
    listed_keys,
    random_keys,
    why_unreachable,
)
from gridproof_properties.audits.recorder import Recorder, Sink, new_run
from gridproof_properties.judging.words import count

Progress = Callable[[str, int, int | None], None]
"""A function that is called with what is being done, how much of it is done, and how much there is in all."""

BOUNDARY_COUNTS = (1, 2, 271, 1009, 65_536, INT_MAX)
"""Partition counts whose boundary keys are tried: trivial, even, the default, a prime, a power of two, the largest."""
"""Event: for some boundary hashes there is no key of a type; the event's detail says for how many, and why."""
_BATCH = 4096


def audit_routes(
    router: KeyRouter,
    adapter_name: str,
    options: Options,
    sink: Callable[[Record], None],
    random_keys_per_type: int = 100_000,
    progress: Progress | None = None,
    rule: Rule | None = None,
    own_rule: bool = False,
) -> None:
    """Route random and boundary keys of every type that the router offers, and record the partition of each key.

    Memory is needed for one batch of keys. If a key is refused, an event says so; an error that the router raises is
    passed on. The boundaries of a router's own rule are not known: the same keys are tried, but none as a boundary key,
    and each answer is compared with that of another process of the router.
    """
    run = options.run or f"{adapter_name}-seed-{options.seed}"
    sink(RunRecord(run, adapter_name, router.version, options.seed, options.partition_count, backup_count=0))
    audit = _Audit(run, router, sink, rule, own_rule)
    for done, key_type in enumerate(router.key_types):
        if progress is not None:
            progress(f"{key_type.value} keys", done, len(router.key_types))
        audit.meet_edges(key_type, (*BOUNDARY_COUNTS, options.partition_count))
        keys = _keys_of(key_type, options.seed, random_keys_per_type)
        audit.route(keys, options.partition_count, boundary=False)


@dataclass(frozen=True, slots=True)
class _Audit:
    """One run of the audit on one router."""

    _run: str
    _router: KeyRouter
    _sink: Callable[[Record], None]
    _rule: Rule | None
    _own_rule: bool

    def meet_edges(self, key_type: KeyType, partition_counts: Iterable[int]) -> None:
        """Route the boundary keys of one type for each partition count; record an event if some of them cannot
        exist."""
        wanted, met = 0, 0
        for partition_count in dict.fromkeys(partition_counts):
            keys = list(boundary_keys(key_type, partition_count))
            self.route((boundary.key for boundary in keys), partition_count, boundary=not self._own_rule)
            wanted += len(boundary_hashes(partition_count))
            met += len({boundary.hash for boundary in keys})
        if met < wanted and not self._own_rule:
            why = why_unreachable(key_type) or ""
            self._event(BoundaryUnreachable(key_type.value, wanted - met, wanted, why))

    def route(self, keys: Iterable[Key], partition_count: int, *, boundary: bool) -> None:
        """Route keys in batches, and record each answer."""
        remaining = iter(keys)
        while batch := list(islice(remaining, _BATCH)):
            answers = self._router.partitions_of(batch, partition_count)
            for key, answer, own in zip(batch, answers, self._documented(batch, partition_count), strict=True):
                if isinstance(answer, Refused) or isinstance(own, Refused):
                    refused = answer if isinstance(answer, Refused) else own
                    self._event(KeyRefused(key.type.value, key.text, cast("Refused", refused).reason))
                    continue
                self._sink(
                    RouteRecord(
                        run=self._run,
                        key_type=key.type.value,
                        payload=serialize(key),
                        partition_count=partition_count,
                        partition=answer,
                        key=key.text,
                        boundary=boundary,
                        documented=own,
                    )
                )

    def _documented(self, batch: Sequence[Key], partition_count: int) -> Sequence[int | Refused | None]:
        """Return where keys belong by the system's own rule; None if the system uses the documented hash."""
        if self._own_rule:
            return cast("SecondOpinion", self._router).partitions_elsewhere(batch, partition_count)
        rule = self._rule
        return [None if rule is None else rule(key, partition_count) for key in batch]

    def _event(self, event: Event) -> None:
        self._sink(EventRecord(self._run, 0, None, event))


def _keys_of(key_type: KeyType, seed: int, wanted: int) -> Iterator[Key]:
    """Yield all keys of a listable type, or else `wanted` random keys."""
    if key_type in LISTABLE_TYPES:
        return iter(listed_keys(key_type))
    return islice(random_keys(key_type, Random(f"{seed} {key_type.value}")), wanted)


ZONES = ("zone-a", "zone-b", "zone-c")
"""The zones that the nodes are in by turns, unless others are given."""


@dataclass(frozen=True, slots=True)
class PlacerPlan:
    """How much the audit of a placement library does."""

    key_count: int = 20_000


def audit_placer(placer: Placer, system: str, options: Options, sink: Sink, plan: PlacerPlan | None = None) -> None:
    """Place the same keys on a number of nodes, on one node more, and on the nodes that remain after one has left."""
    chosen = Random(options.seed)
    keys = [f"key-{chosen.getrandbits(64):016x}" for _ in range((plan or PlacerPlan()).key_count)]
    zones, count = options.zones or ZONES, options.node_count
    nodes = [Node(f"node-{index + 1}", zones[index % len(zones)]) for index in range(count + 1)]
    founders, newcomer = nodes[:count], nodes[count]
    leaver = chosen.choice(nodes[1:count] or [newcomer])
    left = [node for node in nodes if node is not leaver]
    _check_zones(placer, system, options, min(len({node.zone for node in some}) for some in (founders, left)))
    recorder = Recorder(options.run or new_run(system), sink)
    recorder.head(
        system=system,
        version=placer.version,
        seed=options.seed,
        partition_count=len(keys),
        backup_count=placer.copies - 1,
    )
    placed = _place(placer, keys, founders)  # a library that fails at once has shown nothing, so no record exists
    # If a library does not separate zones, each node is a group of its own.
    group = {node: node.zone if placer.separates_zones else node.name for node in nodes}
    for node in founders:
        recorder.joined(0, _member(node), group[node], node.name)
    _show(recorder, placed, founders, f"joined {count}", 0)
    recorder.joined(1, _member(newcomer), group[newcomer], newcomer.name)
    _show(recorder, _place(placer, keys, nodes), nodes, f"joined {count + 1}", 1)
    recorder.gone(2, _member(leaver), MemberChange.LEFT)
    _show(recorder, _place(placer, keys, left), left, "left 1", 2)


def _check_zones(placer: Placer, system: str, options: Options, zones: int) -> None:
    """Raise AdapterError if a library without zones is given zones, or if `zones` are too few for its promises."""
    if options.zones and not placer.separates_zones:
        wrong = f"--zones {','.join(options.zones)}: {system} does not separate copies by zone"
        raise AdapterError(f"{wrong}; leave --zones out")
    needed = min(placer.copies, len(ZONES))
    if placer.separates_zones and zones < needed:
        cure = "raise --members and --zones, or lower --backups"
        lack = f"but at one time of the audit its nodes are in only {count(zones, 'zone')}"
        raise AdapterError(f"{system} keeps {needed} copies, each in a zone of its own, {lack}; {cure}")


def _place(placer: Placer, keys: list[str], present: list[Node]) -> list[ObservedRow]:
    ids = {node.name: _member(node).id for node in present}
    return [ObservedRow(tuple(ids[name] for name in names)) for names in placer.place(keys, present)]


def _show(recorder: Recorder, rows: list[ObservedRow], present: list[Node], stage: str, at_ms: int) -> None:
    recorder.view(at_ms, stage, _member(present[0]), rows, settled=True)


def _member(node: Node) -> Member:
    return Member(MemberId(Address(node.name, 0), uuid5(NAMESPACE_OID, node.name)), weight=node.weight)
