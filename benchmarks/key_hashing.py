"""Keys a second, in batches, against the Hazelcast client.

Both turn the same Python keys into partition ids in one process. They take turns, so that a busy machine slows both;
the best turn of each counts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from time import perf_counter

from gridproof_implementation.adapter import Options
from gridproof_implementation.adapters.hazelcast_client import HazelcastClient, open_hazelcast_client
from gridproof_implementation.hashing import Partitions, partitions_of_ints, partitions_of_longs, partitions_of_strings
from gridproof_model.keys import KeyType

GOAL = 30.0
"""Times as fast as the client, at least."""
PARTITION_COUNT = 271
_TURNS = 7
_KEYS = 50_000


@dataclass(frozen=True, slots=True)
class Measured:
    """Keys of one type: how many a second each of the two routes."""

    key_type: KeyType
    ours_per_s: float
    theirs_per_s: float

    @property
    def ratio(self) -> float:
        """How many times as fast ours is."""
        return self.ours_per_s / self.theirs_per_s

    def __str__(self) -> str:
        return (
            f"{self.key_type.value:>8}  ours {self.ours_per_s:>12,.0f} keys/s   "
            f"client {self.theirs_per_s:>9,.0f} keys/s   {self.ratio:6.1f} times"
        )


def measure(client: HazelcastClient, turns: int = _TURNS) -> tuple[Measured, ...]:
    """Measure strings, ints and longs; AssertionError when the two disagree about a key."""
    chosen = Random(0)
    strings = [f"key-{chosen.getrandbits(40)}" for _ in range(_KEYS)]
    ints = [chosen.randint(-(1 << 31), (1 << 31) - 1) for _ in range(_KEYS)]
    longs = [chosen.randint(-(1 << 63), (1 << 63) - 1) for _ in range(_KEYS)]
    return (
        _measure(client, turns, KeyType.STRING, strings, lambda: partitions_of_strings(strings, PARTITION_COUNT)),
        _measure(client, turns, KeyType.INT, ints, lambda: partitions_of_ints(ints, PARTITION_COUNT)),
        _measure(client, turns, KeyType.LONG, longs, lambda: partitions_of_longs(longs, PARTITION_COUNT)),
    )


def main() -> None:
    """Print keys a second of both and their ratio."""
    with open_hazelcast_client(Options()) as client:
        print(f"key to partition, against hazelcast-python-client {client.version} (goal: {GOAL:.0f} times)")
        for measured in measure(client):
            print(measured)


def _measure(
    client: HazelcastClient,
    turns: int,
    key_type: KeyType,
    values: Sequence[str] | Sequence[int],
    ours: Callable[[], Partitions],
) -> Measured:
    get_partition_id = client.get_partition_id(key_type, PARTITION_COUNT)

    def theirs() -> list[int]:
        return [get_partition_id(value) for value in values]

    assert ours().tolist() == theirs(), f"the two disagree about {key_type.value} keys"
    our_s, their_s = [], []
    for _ in range(turns):
        our_s.append(_seconds(ours))
        their_s.append(_seconds(theirs))
    return Measured(key_type, len(values) / min(our_s), len(values) / min(their_s))


def _seconds(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return perf_counter() - began


if __name__ == "__main__":
    main()
