"""What members held in structures before they left.

Choice (calls.33): the documents are silent here. Locks of a member that left are released, as users expect, else nobody
would ever get them. Every replica asks the owner for it, since the owner may be the very member that left; asking twice
changes nothing.
"""

from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.node import Call, Node
from gridproof_implementation.protocol.structures import RELEASES
from gridproof_model.identity import MemberId


class Holdings:
    """The structures here that know whose something is."""

    def __init__(self, node: Node) -> None:
        self._node = node

    def release(self, gone: MemberId) -> None:
        """Have whatever a member that left holds here released by the owners of the partitions."""
        node = self._node
        for partition in range(node.settings.partition_count):
            for namespace in node.replicas.namespaces(partition):
                for structure, part in node.replicas.fragment(partition, namespace).structures.items():
                    release = RELEASES.get(structure.kind)
                    operation = None if release is None else release(structure, part, gone)
                    if operation is not None:
                        call = Call(0, operation, partition, fail_on_indeterminate_state=False)
                        node.invocations.invoke(call, self.on_released)

    def on_released(self, answer: Answer) -> None:
        """Nobody waits for it."""
