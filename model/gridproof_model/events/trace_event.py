"""What every event of a trace is.

An event is one step of the protocol, or something that the harness saw of the run. It changes nothing: traces, judges,
space-time diagrams and refinement read it. So it says what was done in the protocol's own words, with everything that
a reader needs to follow the step. Members stand in it by their numbers in the trace.

A field holds a whole number, a text, a truth value, a member's number, or a tuple of these: nothing that can change.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated

from gridproof_model.value import Immutable

MEMBER = "a member"
"""Marks the type of a field that numbers a member."""
MemberNumber = Annotated[int, MEMBER]
"""A member by its number in the trace."""
Versions = tuple[tuple[str, int], ...]
"""A version by namespace."""


@dataclass(frozen=True, slots=True)
class TraceEvent(Immutable):
    """One thing that happened in a run."""


MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "async_backups": "Backups that no caller waits for.",
        "attempt": "Which attempt of the call it is, from 1.",
        "call_id": "The call id that the attempt was sent with.",
        "call_timeout_ms": "How long a call may take.",
        "caller": "The member that the call was made at.",
        "candidate": "Who claims to be master.",
        "coordinator": "The member that has the cluster state changed.",
        "destination": "Who gets the replica.",
        "execution": "The name of this execution of the job.",
        "fault": "Its name in the harness's catalogue.",
        "from_index": "The replica index that the member had before.",
        "index": "The replica's index in the row, 0 the primary's.",
        "invocation": "The caller's own number for the call.",
        "job": "The job's name.",
        "key_type": "The type of the key, such as string or long.",
        "kind": "The kind of message, or of migration.",
        "list_version": "The version of the member list by which the target was found.",
        "map_index": "Which of the two snapshot maps, 0 or 1.",
        "master": "The member that ordered the migration.",
        "member": "The member it is about.",
        "members": "Member numbers, the oldest first.",
        "namespace": "What shares a version vector within the partition: one map, or all that is not fragmented.",
        "namespaces": "Namespaces, each with a version vector of its own.",
        "number": "The master's number for the migration.",
        "operation": "The kind of operation.",
        "outcome": "success or failed.",
        "partition": "The partition, from 0.",
        "partitions": "Partitions, from 0.",
        "reason": "The reason, in the words of the system.",
        "receiver": "Who was to get it.",
        "sender": "Who sent it.",
        "shard": "The number of the source's shard, from 0.",
        "shards": "How many shards its source has.",
        "snapshot": "The snapshot's id.",
        "stamp": "A digest of all row versions; only equality means something.",
        "state": "In the words of the system: safe, or why not.",
        "status": "In the words of the system: completed, failed, suspended, running, …",
        "sync_backups": "Backups whose acknowledgement a caller waits for.",
        "target": "The member that is asked.",
        "to": "The member that it was sent to.",
        "version": "The version, which grows by one for every change.",
        "versions": "A version for each backup, the first backup's first.",
        "why": "The reason, in the words of the system.",
    }
)
"""What a field means in every event that does not say otherwise."""
