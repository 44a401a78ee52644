"""What members held in structures before they left.

Choice (calls.33): the documents are silent here. Locks of a member that left are released, as users expect, else nobody
would ever get them. Every replica asks the owner for it, since the owner may be the very member that left; asking twice
changes nothing. A call that ends in vain, since the partition migrates while its attempts are used up, is made anew
after the pause between attempts, for as long as something is held; and an owner asks for what comes with a partition
that was released nowhere before it moved: nobody else would ever ask.
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
    """Time to ask once more for what could not be released in a partition."""

    partition: int


class Holdings:
    """The structures here that know whose something is."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._gone: dict[MemberId, None] = {}
        """Who left since this member began, in that order: a partition that comes later may still know them."""

    def release(self, gone: MemberId) -> None:
        """Have whatever a member that left holds here released by the owners of the partitions."""
        self._gone[gone] = None
        for partition in range(self._node.settings.partition_count):
            self.release_in(partition, (gone,))

    def release_in(self, partition: int, whose: Iterable[MemberId] | None = None) -> None:
        """Have whatever some members that left hold in one partition released by its owner; without any, all of them.

        For the others that left before a call may be under way.
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
        """Nobody waits for it, but what failed is asked for again."""
        if answer.failure is not None:
            self._node.set_timer(ReleaseAnew(partition), self._node.settings.invocation_retry_pause_us)

    def on_release_anew(self, timer: ReleaseAnew) -> None:
        """Look again for what is still held."""
        self.release_in(timer.partition)
