"""What gridproof needs to drive the pocket grid."""

from contextlib import nullcontext
from uuid import NAMESPACE_DNS, uuid5

import pocket_grid

import gridproof as gp

PROMISES = [
    "acknowledged-write-kept", "reads-see-acknowledged-writes", "read-your-writes", "backups-converge", "full-rows",
    "one-replica-per-member", "views-agree", "balance-of-primaries", "redundancy-restored", "comes-to-rest",
    "key-to-partition", "writes-accepted-at-rest", "reads-accepted-at-rest",
]  # fmt: skip


def member_of(name):
    return gp.Member(gp.MemberId(gp.Address(name, 1), uuid5(NAMESPACE_DNS, name)))


class PocketPort:
    version, holds_data, now_ms = "1.0", True, 0

    def __init__(self, options):
        self.partition_count, self.backup_count = options.partition_count, options.backup_count
        self.grid = pocket_grid.PocketGrid(options.partition_count, options.backup_count)
        self.nodes = {}  # by member, oldest first

    def start_member(self, *, group=None, lite=False):
        if lite:
            raise gp.AdapterError("a pocket grid has no lite members")
        node = self.grid.start()
        self.nodes[member_of(node.name)] = node
        return member_of(node.name)

    def members(self):
        return tuple(self.nodes)

    def group_of(self, member):
        return member.id.address.host

    def crash(self, member):
        self.grid.kill(self.nodes.pop(member))

    def leave(self, member):
        self.grid.stop(self.nodes.pop(member))

    def why_unsettled(self):
        return None if self.grid.idle() else "partitions move, or somebody is gone"

    def wait(self, duration_ms):
        self.now_ms += duration_ms
        for _ in range(-(-duration_ms // 10)):  # a beat every ten milliseconds
            self.grid.tick()

    def view_table(self, observer):
        return [gp.ObservedRow(tuple(member_of(name).id for name in row)) for row in self.nodes[observer].table]

    def partition_of(self, key):
        return pocket_grid.partition_of(key, self.partition_count)

    def write(self, key, value):
        return self.ask(gp.WriteAnswer, lambda via: self.grid.put(key, value, via))

    def remove(self, key):
        return self.ask(gp.WriteAnswer, lambda via: self.grid.delete(key, via))

    def read(self, key, *, through=None):
        return self.ask(gp.ReadAnswer, lambda via: self.grid.get(key, via), through)

    def ask(self, answer, call, through=None):
        self.now_ms += 1  # a call takes a millisecond
        try:
            return answer(gp.Outcome.OK, call(self.nodes[through or self.members()[0]]))
        except pocket_grid.Unavailable as error:
            return answer(gp.Outcome.REFUSED, detail=str(error))

    def read_replica(self, member, partition):
        entries = self.nodes[member].data.get(partition)
        return None if entries is None else gp.ReplicaContent("copy", None, entries)


ADAPTER = gp.Adapter(
    "pocket", "a small grid in one process", gp.Kind.GRID, lambda options: nullcontext(PocketPort(options)),
    {name: gp.Promise(gp.PromiseWord.PROMISED, "pocket_grid.py") for name in PROMISES},
)  # fmt: skip
