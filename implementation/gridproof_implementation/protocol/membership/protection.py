"""Split-brain protection: enough members for a structure's operations.

Reference replication 1.3 (check 5), 7.4. It keeps the smaller half of a split from being used; within the time that it
takes to notice a split, both halves are (reference replication 11, N7).
"""

from gridproof_implementation.protocol.membership.roster import Roster
from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_model.grid_config import SplitBrainProtection, StructureKind

_CONFIGURED = frozenset(kind.value for kind in StructureKind)


class Protection:
    """Knows each structure's rule."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._node = roster.node
        self._rules: dict[StructureId, SplitBrainProtection | None] = {}

    def refuses(self, operation: Operation) -> bool:
        """Whether too few data members are here for an operation; lite members do not count."""
        structure = operation.structure
        if structure not in self._rules:
            self._rules[structure] = self._find_rule(structure)
        rule = self._rules[structure]
        if rule is None:
            return False
        return rule.refuses(len(self._roster.members.data_members), is_read=operation.READ_ONLY)

    def _find_rule(self, structure: StructureId) -> SplitBrainProtection | None:
        if structure.kind not in _CONFIGURED:
            return None
        config = self._node.config.structure_config(StructureKind(structure.kind), structure.name)
        return None if config is None else config.protection
