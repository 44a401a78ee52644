"""The release of the locks that a member held when it left.

Choice (calls.33): the documents say nothing of these locks. The locks of a member that left are released, as users
expect; otherwise no caller would ever get them. Every replica asks the partition's owner for the release, since the
member that left may be the former owner; asking twice does no harm. A call for a release fails if the partition is
still migrating when all attempts are used up; as long as a lock is still held, another call is made after the pause
between attempts. A new owner asks for the release of the locks that came with a partition and were not released before
it moved, as no other member would ever ask."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from gridproof_implementation.protocol.effects import Answer, Timer
from gridproof_implementation.protocol.node import OWN_CALL, Call, Node
from gridproof_implementation.protocol.structures import RELEASES
from gridproof_model.membership import MemberId


@dataclass(frozen=True, slots=True)
class ReleaseAnew(Timer):
    """It is time to ask again for the release of locks that could not be released in a partition."""

    partition: int


class Holdings:
    """Releases the locks of members that left, in all structures that this member has replicas of."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._gone: dict[MemberId, None] = {}
        """The members that left since this member started, in order; a partition that comes later may still have their
        locks."""

    def release(self, gone: MemberId) -> None:
        """Ask the owners of partitions to release all locks that a member that left holds in the replicas here."""
        self._gone[gone] = None
        for partition in range(self._node.settings.partition_count):
            self.release_in(partition, (gone,))

    def release_in(self, partition: int, whose: Iterable[MemberId] | None = None) -> None:
        """Ask a partition's owner to release all locks that these members hold there, or that any member that left
        holds if no members are given.

        For members that left earlier a call for the release may already be under way.
        """
        node, holders = self._node, self._gone if whose is None else whose
        for namespace in node.replicas.namespaces(partition) if self._gone else ():
            for structure, part in node.replicas.fragment(partition, namespace).structures.items():
                release = RELEASES.get(structure.kind)
                owed = () if release is None else [release(structure, part, gone) for gone in holders]
                for operation in owed:
                    if operation is not None:
                        call = Call(OWN_CALL, operation, partition, fail_on_indeterminate_state=False)
                        node.invocations.invoke(call, partial(self.on_answer, partition))

    def on_answer(self, partition: int, answer: Answer) -> None:
        """If a release failed, set a timer to ask for it again."""
        if answer.failure is not None:
            self._node.set_timer(ReleaseAnew(partition), self._node.settings.invocation_retry_pause_us)

    def on_release_anew(self, timer: ReleaseAnew) -> None:
        """Ask again for the release of the locks that are still held in a partition by members that left."""
        self.release_in(timer.partition)
