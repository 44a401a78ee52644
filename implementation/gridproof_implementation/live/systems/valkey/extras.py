"""Verbs of Valkey's agent that not every audit needs: operations of clients, and new nodes that copy a primary."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from gridproof_implementation.live.agent import ok, until
from gridproof_implementation.live.systems.valkey.cluster import ClusterNode, ask

OPERATIONS = ("add", "put-if-absent", "compare-and-set", "append", "items", "offer", "poll")
PUT_IF_ABSENT = """
local held = redis.call('GET', KEYS[1])
if not held then redis.call('SET', KEYS[1], ARGV[1]) end
return held
"""
COMPARE_AND_SET = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
"""


@dataclass(frozen=True, slots=True)
class Extras:
    """The further verbs of a node, which are called only while the node is running."""

    node: ClusterNode

    def operate(self, kind: str, key: str, value: str | None, expected: str | None) -> Any:
        """Execute an operation: INCR, a comparison in a script, or pushing to, reading, or popping from a list."""
        if kind == "items":
            return ok(value=self.node.read("LRANGE", key, "0", "-1"))
        changes: Mapping[str, tuple[str, ...]] = {
            "add": ("INCR", key),
            "put-if-absent": ("EVAL", PUT_IF_ABSENT, "1", key, value or ""),
            "compare-and-set": ("EVAL", COMPARE_AND_SET, "1", key, expected or "", value or ""),
            "append": ("RPUSH", key, value or ""),
            "offer": ("RPUSH", key, value or ""),
            "poll": ("LPOP", key),
        }
        ended = self.node.write(*changes[kind])
        return ok(confirmed=ended.copies, value=ended.reply == 1 if kind == "compare-and-set" else ended.reply)

    def repair(self) -> Any:
        """Let each node that has no data copy the primary that has the fewest replicas."""
        for newcomer in self.node.topology().empty_primaries():
            copied = min(self.node.topology().shards, key=lambda shard: len(shard.replicas))
            ask(newcomer.address, "CLUSTER", "REPLICATE", copied.primary)
            until(partial(self._why_no_replica, newcomer.id))
        return {"done": True}

    def _why_no_replica(self, member: str) -> str | None:
        known = any(member in shard.replicas for shard in self.node.topology().shards)
        return None if known else f"no node lists {member} as a replica"
