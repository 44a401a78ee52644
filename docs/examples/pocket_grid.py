"""A small data grid that lives in one process.

Keys hash to partitions the way Hazelcast does it, so that its clients would find them. Every partition has a row of
nodes: the first one owns it, the others are backups, and a put returns when all of them have it. When nodes come or go
the rows are dealt anew and partitions move, one at a time, while clients keep working.
"""


class Unavailable(Exception):
    """The owner of the partition is gone, and nobody has taken over yet."""


def murmur3(data, seed=0x01000193):
    """MurmurHash3 x86 32, as a signed number."""
    mask, h = 0xFFFFFFFF, seed
    for i in range(0, len(data), 4):
        block = data[i : i + 4]
        k = int.from_bytes(block, "little") * 0xCC9E2D51 & mask
        k = (k << 15 | k >> 17) * 0x1B873593 & mask
        h ^= k
        if len(block) == 4:
            h = ((h << 13 | h >> 19) & mask) * 5 + 0xE6546B64 & mask
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & mask
    h = (h ^ h >> 13) * 0xC2B2AE35 & mask
    h ^= h >> 16
    return h - (1 << 32) if h >> 31 else h


def partition_of(key, count):
    data = key.encode()
    hashed = murmur3(len(data).to_bytes(4, "big") + data)
    return 0 if hashed == -(1 << 31) else abs(hashed) % count


class Node:
    """One member: what it knows, and what it holds."""

    def __init__(self, name):
        self.name = name
        self.alive = True
        self.table = []  # who holds what, as this node knows it: a row of names per partition
        self.data = {}  # what this node holds: partition -> {key: value}


class Move:
    """A partition on its way from one row to another."""

    def __init__(self, partition, row, entries):
        self.partition = partition
        self.row = row
        self.entries = entries


class PocketGrid:
    """All nodes, and what happens among them."""

    def __init__(self, partitions=271, backups=1):
        self.partitions = partitions
        self.backups = backups
        self.nodes = {}  # by name, oldest first
        self.rows = [[] for _ in range(partitions)]
        self.plan = []  # partitions that are to move
        self.move = None  # the one that is moving
        self.started = 0

    # Nodes

    def start(self):
        self.started += 1
        node = Node(f"node-{self.started}")
        self.nodes[node.name] = node
        self.deal()
        self.publish()
        return node

    def kill(self, node):
        """Pull the plug: nobody is notified."""
        node.alive = False

    def stop(self, node):
        """Leave in good order: hand everything over first."""
        self.settle()
        del self.nodes[node.name]
        self.deal()
        self.nodes[node.name] = node  # it still answers while its partitions move
        self.settle()
        del self.nodes[node.name]

    def settle(self):
        while not self.idle():
            self.tick()

    # Clients

    def put(self, key, value, via):
        for data in self.copies(key, via):
            data[key] = value

    def delete(self, key, via):
        for data in self.copies(key, via):
            data.pop(key, None)

    def get(self, key, via):
        """Read at the node that was asked if it has a copy, for all copies are equal, else at the owner."""
        partition = partition_of(key, self.partitions)
        node = via if partition in via.data else self.owner(partition, via)
        return node.data[partition].get(key)

    def owner(self, partition, via):
        node = self.nodes.get(via.table[partition][0])
        if node is None or not node.alive:
            raise Unavailable(f"{via.table[partition][0]} does not answer")
        return node

    def copies(self, key, via):
        """All that has to change with a key: each copy, and the one under way if the partition is moving."""
        partition = partition_of(key, self.partitions)
        self.owner(partition, via)  # nothing is written where it does not answer
        holders = [self.nodes[name] for name in via.table[partition]]
        copies = [node.data[partition] for node in holders if node.alive]
        if self.move is not None and self.move.partition == partition:
            copies.append(self.move.entries)
        return copies

    # What happens in the background, a beat at a time

    def idle(self):
        return self.move is None and not self.plan and all(node.alive for node in self.nodes.values())

    def tick(self):
        if not all(node.alive for node in self.nodes.values()):
            self.bury()
        elif self.move is not None:
            self.finish_move()
        elif self.plan:
            self.begin_move()

    def bury(self):
        """Notice who is gone; the first backup left becomes the owner."""
        self.nodes = {name: node for name, node in self.nodes.items() if node.alive}
        self.move = None
        for partition, row in enumerate(self.rows):
            row[:] = [name for name in row if name in self.nodes] or list(self.nodes)[:1]
            for name in row:
                self.nodes[name].data.setdefault(partition, {})
        self.deal()
        self.publish()

    def deal(self):
        """Plan what has to move so that everybody owns about as much as everybody else."""
        self.move = None
        self.target = [self.target_row(partition) for partition in range(self.partitions)]
        self.plan = [p for p in range(self.partitions) if self.rows[p] != self.target[p]]
        for partition in [p for p in self.plan if not self.rows[p]]:
            self.switch(partition, self.target[partition], {})  # the very first node gets everything at once
            self.plan.remove(partition)

    def target_row(self, partition):
        names = list(self.nodes)
        return [names[(partition + i) % len(names)] for i in range(min(1 + self.backups, len(names)))]

    def begin_move(self):
        partition = self.plan.pop(0)
        owner = self.nodes[self.rows[partition][0]]
        self.move = Move(partition, self.target[partition], dict(owner.data[partition]))

    def finish_move(self):
        self.switch(self.move.partition, self.move.row, self.move.entries)
        self.move = None
        self.publish()

    def switch(self, partition, row, entries):
        for name in self.rows[partition]:
            del self.nodes[name].data[partition]
        for name in row:
            self.nodes[name].data[partition] = dict(entries)
        self.rows[partition] = list(row)

    def publish(self):
        for node in self.nodes.values():
            node.table = [list(row) for row in self.rows]
