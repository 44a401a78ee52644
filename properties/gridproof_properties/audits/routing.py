"""The audit of a key router.

Every type the router offers meets two kinds of keys. Random ones, from distributions that favour the extremes of a
type, with the partition count of the run; of a type with at most 65,536 keys all are taken instead. And boundary keys,
constructed for the edges of each of several partition counts. Everything is drawn from the seed alone. A router has no
time: all events are at 0 ms.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from random import Random
from typing import cast

from gridproof_implementation.adapter import KeyRouter, Options, Refused, Rule, SecondOpinion
from gridproof_model.events import Event
from gridproof_model.events.harness import BoundaryUnreachable, KeyRefused
from gridproof_model.hashing import INT_MAX
from gridproof_model.keys import Key, KeyType
from gridproof_model.serialization import serialize
from gridproof_model.trace import EventRecord, Record, RouteRecord, RunRecord
from gridproof_properties.audits.boundary_keys import (
    LISTABLE_TYPES,
    boundary_hashes,
    boundary_keys,
    listed_keys,
    why_unreachable,
)
from gridproof_properties.audits.random_keys import random_keys

Progress = Callable[[str, int, int | None], None]
"""Takes what is being done, how much of it is done, and of how much."""

BOUNDARY_COUNTS = (1, 2, 271, 1009, 65_536, INT_MAX)
"""Partition counts whose edges are met: trivial, even, the default, a prime, a power of two, the largest."""
"""Event: some boundary hashes have no key of a type; the detail says how many and why."""
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
    """Route random and boundary keys of every type the router offers, and record where each one went.

    Needs memory for one batch of keys. A refused key becomes an event; an error the router raises is passed on. A rule
    of the router's own has edges that nobody here knows: the same keys are met, none as a boundary key, and each is
    held against what another process of the router says.
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


class _Audit:
    """One run over one router."""

    def __init__(
        self, run: str, router: KeyRouter, sink: Callable[[Record], None], rule: Rule | None, own_rule: bool
    ) -> None:
        self._run = run
        self._router = router
        self._sink = sink
        self._rule = rule
        self._own_rule = own_rule

    def meet_edges(self, key_type: KeyType, partition_counts: Iterable[int]) -> None:
        """Route the boundary keys of one type for each partition count; say so when some cannot exist."""
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
        """Route keys in batches and record each answer."""
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
        """Return where keys belong by the system's own rule; None where it has the documented hash."""
        if self._own_rule:
            return cast("SecondOpinion", self._router).partitions_elsewhere(batch, partition_count)
        rule = self._rule
        return [None if rule is None else rule(key, partition_count) for key in batch]

    def _event(self, event: Event) -> None:
        self._sink(EventRecord(self._run, 0, None, event))


def _keys_of(key_type: KeyType, seed: int, wanted: int) -> Iterator[Key]:
    """Yield all keys of a listable type, else as many random ones as wanted."""
    if key_type in LISTABLE_TYPES:
        return iter(listed_keys(key_type))
    return islice(random_keys(key_type, Random(f"{seed} {key_type.value}")), wanted)
