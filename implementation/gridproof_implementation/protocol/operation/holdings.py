"""The release of locks that members held when they left.

Choice (calls.33): the documents are silent here. Locks of a member that left are released, as users expect; else no
caller would ever get them. Every replica asks the partition's owner for the release, since the owner may be the very
member that left; asking twice changes nothing. A call fails if the partition migrates while its attempts are used up;
it is made anew after the pause between attempts, for as long as something is held. A new owner asks for the locks that
came with a partition and were not released before it moved, as no other member would ever ask.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from gridproof_implementation.protocol.effects import Answer, Timer
from gridproof_implementation.protocol.node import OWN_CALL, Call, Node
from gridproof_implementation.protocol.structures import RELEASES
from gridproof_model.membership import MemberId


@dataclass(frozen=True, slots=True)
class ReleaseAnew(Timer):
    """It is time to ask once more for the locks that could not be released in a partition."""

    partition: int


class Holdings:
    """Releases what members that left hold in the structures here."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._gone: dict[MemberId, None] = {}
        """The members that left since this member began, in order: a partition that comes later may still name them."""

    def release(self, gone: MemberId) -> None:
        """Ask the owners of the partitions to release all locks here of a member that left."""
        self._gone[gone] = None
        for partition in range(self._node.settings.partition_count):
            self.release_in(partition, (gone,))

    def release_in(self, partition: int, whose: Iterable[MemberId] | None = None) -> None:
        """Ask a partition's owner to release all locks there of these members; of all members that left, if none is
        given.

        For members that left earlier a call may already be under way.
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
        """Ask for a release again after a pause, if it failed."""
        if answer.failure is not None:
            self._node.set_timer(ReleaseAnew(partition), self._node.settings.invocation_retry_pause_us)

    def on_release_anew(self, timer: ReleaseAnew) -> None:
        """Look again for locks that are still held in a partition."""
        self.release_in(timer.partition)
