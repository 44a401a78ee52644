"""The audit of a placement library.

Six nodes, or as many as are asked for, then one more, then one of them less. Each key is a partition of its own and the
nodes that hold its copies are its row, so the judges of tables apply as they stand. A library has one table and nobody
to disagree with: the first node stands for the observer.
"""

from dataclasses import dataclass
from random import Random
from uuid import NAMESPACE_OID, uuid5

from gridproof_implementation.adapter import AdapterError, Node, ObservedRow, Options, Placer
from gridproof_model.identity import Address, Member, MemberId
from gridproof_model.trace import MemberChange
from gridproof_properties.audits.recorder import Recorder, Sink, new_run

ZONES = ("zone-a", "zone-b", "zone-c")
"""Of the nodes in turn, unless others are asked for."""


@dataclass(frozen=True, slots=True)
class PlacerPlan:
    """How much of everything an audit does."""

    key_count: int = 20_000


def audit_placer(placer: Placer, system: str, options: Options, sink: Sink, plan: PlacerPlan | None = None) -> None:
    """Place the same keys on so many nodes, on one more, and on those that remain after one left."""
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
    placed = _place(placer, keys, founders)  # who fails at once has shown nothing: no record says otherwise
    # To a library that knows no zones they are nothing: each node is due its own part.
    group = {node: node.zone if placer.separates_zones else node.name for node in nodes}
    for node in founders:
        recorder.joined(0, _member(node), group[node], node.name)
    _show(recorder, placed, founders, f"joined {count}", 0)
    recorder.joined(1, _member(newcomer), group[newcomer], newcomer.name)
    _show(recorder, _place(placer, keys, nodes), nodes, f"joined {count + 1}", 1)
    recorder.gone(2, _member(leaver), MemberChange.LEFT)
    _show(recorder, _place(placer, keys, left), left, "left 1", 2)


def _check_zones(placer: Placer, system: str, options: Options, zones: int) -> None:
    """AdapterError for zones that it does not know, or fewer than its promises are about; `zones` are the fewest."""
    if options.zones and not placer.separates_zones:
        raise AdapterError(f"--zones {','.join(options.zones)}: {system} puts no copies apart by zone; leave it out")
    needed = min(placer.copies, len(ZONES))
    if placer.separates_zones and zones < needed:
        cure = "give --members and --zones more, or keep fewer --backups"
        raise AdapterError(f"{system} is to put {needed} copies apart, and once there are {zones} zones only: {cure}")


def _place(placer: Placer, keys: list[str], present: list[Node]) -> list[ObservedRow]:
    ids = {node.name: _member(node).id for node in present}
    return [ObservedRow(tuple(ids[name] for name in names)) for names in placer.place(keys, present)]


def _show(recorder: Recorder, rows: list[ObservedRow], present: list[Node], stage: str, at_ms: int) -> None:
    recorder.view(at_ms, stage, _member(present[0]), rows, settled=True)


def _member(node: Node) -> Member:
    return Member(MemberId(Address(node.name, 0), uuid5(NAMESPACE_OID, node.name)), weight=node.weight)
