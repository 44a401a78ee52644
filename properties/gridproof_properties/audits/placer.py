"""The audit of a placement library.

Six nodes, then seven, then six others. Each key is a partition of its own and the nodes that hold its copies are its
row, so the judges of tables apply as they stand. A library has one table and nobody to disagree with: the first node
stands for the observer.
"""

from dataclasses import dataclass
from random import Random
from uuid import NAMESPACE_OID, uuid5

from gridproof_implementation.adapter import Node, ObservedRow, Options, Placer
from gridproof_model.identity import Address, Member, MemberId
from gridproof_model.trace import MemberChange
from gridproof_properties.audits.recorder import Recorder, Sink, new_run

NODES = tuple(Node(f"node-{index + 1}", f"zone-{'abc'[index % 3]}") for index in range(7))
"""Three zones: two nodes each, and a seventh in the first. All of weight 1."""


@dataclass(frozen=True, slots=True)
class PlacerPlan:
    """How much of everything an audit does."""

    key_count: int = 20_000


def audit_placer(placer: Placer, system: str, options: Options, sink: Sink, plan: PlacerPlan | None = None) -> None:
    """Place the same keys on six nodes, on seven, and on the six that remain after one left."""
    chosen = Random(options.seed)
    keys = [f"key-{chosen.getrandbits(64):016x}" for _ in range((plan or PlacerPlan()).key_count)]
    recorder = Recorder(options.run or new_run(system), sink)
    recorder.head(
        system=system,
        version=placer.version,
        seed=options.seed,
        partition_count=len(keys),
        backup_count=placer.copies - 1,
    )
    present = list(NODES[:6])
    for node in present:
        recorder.joined(0, _member(node), node.zone, node.name)
    _look(placer, recorder, keys, present, "joined 6", 0)
    present.append(NODES[6])
    recorder.joined(1, _member(NODES[6]), NODES[6].zone, NODES[6].name)
    _look(placer, recorder, keys, present, "joined 7", 1)
    leaver = chosen.choice(present[1:6])
    present.remove(leaver)
    recorder.gone(2, _member(leaver), MemberChange.LEFT)
    _look(placer, recorder, keys, present, "left 1", 2)


def _look(placer: Placer, recorder: Recorder, keys: list[str], present: list[Node], stage: str, at_ms: int) -> None:
    ids = {node.name: _member(node).id for node in present}
    rows = [ObservedRow(tuple(ids[name] for name in names)) for names in placer.place(keys, present)]
    recorder.view(at_ms, stage, _member(present[0]), rows, settled=True)


def _member(node: Node) -> Member:
    return Member(MemberId(Address(node.name, 0), uuid5(NAMESPACE_OID, node.name)), weight=node.weight)
