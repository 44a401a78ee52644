"""What each protocol of `docs/examples/protocols` is a rewriting of, and the world in which both are counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

PROTOCOLS = Path(__file__).parents[2] / "docs" / "examples" / "protocols"

NODES = {"Node": "{n1, n2, n3}"}
TWO_NODES = {"Node": "{n1, n2}"}
"""Of two nodes there is one majority: where ours leaves out by which majority something is so, that is the same."""
TWO_VALUES = {"Value": "{v1, v2}"}
NIL = {"Nil": "Nil"}
MAJORITIES = "{{n1, n2}, {n1, n3}, {n2, n3}, {n1, n2, n3}}"
WITH_QUORUMS = {**NODES, "Quorum": MAJORITIES}


@dataclass(frozen=True, slots=True)
class Original:
    """A protocol as others wrote it."""

    name: str
    """As it is on Endive's list."""
    ours: str
    """The file of the rewriting, without its ending."""
    module: str | None
    """The TLA+ module in Endive's folder of benchmarks; None where there is none."""
    constants: Mapping[str, str] = field(default_factory=dict)
    """Of the module, in the words of TLC."""
    world: Mapping[str, int] = field(default_factory=dict)
    """The constants of ours that mean the same."""
    once: str | None = None
    """What of ours holds once a step chose what the original starts with: states before that are not counted."""
    constraint: str | None = None
    """Of the module: beyond it TLC does not search."""
    is_listed: bool = True
    """Whether the name is on Endive's list."""
    folder: Path = PROTOCOLS
    """Where the rewriting is."""

    @property
    def path(self) -> Path:
        """The rewriting."""
        return self.folder / f"{self.ours}.py"


ORIGINALS = (
    Original("tla-consensus", "consensus", "Consensus", {"Value": "{v1, v2, v3}"}, {"size": 3}),
    Original("tla-tcommit", "tcommit", "TCommit", {"RM": "{r1, r2, r3}"}, {"size": 3}),
    Original("tla-simple", "simple", "Simple", {"N": "4"}, {"size": 4}),
    Original("tla-simpleregular", "simple_regular", "SimpleRegular", {"N": "3"}, {"size": 3}),
    Original("tla-twophase", "two_phase_commit", "TwoPhase", {"RM": "{r1, r2, r3}"}, {"size": 3}),
    Original(
        "i4-lock-server",
        "lock_server",
        "lockserver",
        {"Server": "{s1, s2, s3}", "Client": "{c1, c2, c3}", **NIL},
        {"server_count": 3, "client_count": 3},
    ),
    Original(
        "i4-learning-switch",
        "learning_switch_of_packets",
        "learning_switch_i4",
        {"Node": "{n1, n2}", "Packet": "{p1, p2}"},
        {"size": 2, "packet_count": 2},
        once="begun",
    ),
    Original("i4-two-phase-commit", "two_phase_commit_with_failures", "two_phase_commit", NODES, {"size": 3}),
    Original("i4-chord-ring-maintenance", "chord_ring_maintenance", None),
    Original(
        "ex-quorum-leader-election", "quorum_leader_election", "quorum_leader_election", {**NODES, **NIL}, {"size": 3}
    ),
    Original("ex-lockserv-automaton", "lockserv_automaton", "lockserv_automaton", NODES, {"size": 3}),
    Original(
        "ex-simple-decentralized-lock",
        "simple_decentralized_lock",
        "simple_decentralized_lock",
        NODES,
        {"size": 3},
        once="begun",
    ),
    Original(
        "ex-naive-consensus",
        "naive_consensus",
        "naive_consensus",
        {**TWO_NODES, "Value": "{v1, v2, v3}", "Quorum": "{{n1, n2}}"},
        {"size": 2, "value_count": 3},
    ),
    Original(
        "ex-simple-election",
        "simple_election",
        "simple_election",
        {
            "Acceptor": "{n1, n2, n3}",
            "Quorum": MAJORITIES,
            "Proposer": "{p1, p2}",
        },
        {"size": 3, "proposer_count": 2},
    ),
    Original(
        "ex-toy-consensus",
        "toy_consensus",
        "toy_consensus",
        {**NODES, **TWO_VALUES, **NIL},
        {"size": 3, "value_count": 2},
    ),
    Original(
        "ex-majorityset-leader-election",
        "majorityset_leader_election",
        "majorityset_leader_election",
        NODES,
        {"size": 3},
    ),
    Original(
        "pyv-toy-consensus-forall",
        "toy_consensus_forall",
        "toy_consensus_forall",
        {**NODES, **TWO_VALUES, **NIL},
        {"size": 3, "value_count": 2},
    ),
    Original(
        "pyv-toy-consensus-epr",
        "toy_consensus_epr",
        "toy_consensus_epr",
        {**WITH_QUORUMS, **TWO_VALUES, **NIL},
        {"size": 3, "value_count": 2},
    ),
    Original(
        "pyv-sharded-kv",
        "sharded_kv",
        "sharded_kv",
        {**NODES, "Key": "{k1, k2}", **TWO_VALUES, **NIL},
        {"node_count": 3, "key_count": 2, "value_count": 2},
        once="begun",
    ),
    Original(
        "pyv-sharded-kv-no-lost-keys",
        "sharded_kv_no_lost_keys",
        "sharded_kv_no_lost_keys",
        {**NODES, "Key": "{k1, k2}", **TWO_VALUES, **NIL},
        {"node_count": 3, "key_count": 2, "value_count": 2},
        once="begun",
    ),
    Original("pyv-lockserv", "lockserv", "lockserv", NODES, {"size": 3}),
    Original(
        "pyv-consensus-wo-decide",
        "consensus_wo_decide",
        "consensus_wo_decide",
        {**TWO_NODES, "Quorums": "{{n1, n2}}"},
        {"size": 2},
    ),
    Original(
        "pyv-consensus-forall",
        "consensus_forall",
        "consensus_forall",
        {**TWO_NODES, "Quorum": "{{n1, n2}}", **TWO_VALUES},
        {"size": 2, "value_count": 2},
    ),
    Original(
        "pyv-consensus-epr",
        "consensus_epr",
        "consensus_epr",
        {**WITH_QUORUMS, "Value": "{v1}"},
        {"size": 3, "value_count": 1},
    ),
    Original("pyv-learning-switch", "learning_switch", "learning_switch", {"Node": "{n1, n2}"}, {"size": 2}),
    Original(
        "pyv-client-server-ae",
        "client_server_ae",
        "client_server_ae",
        {"Node": "{n1, n2}", "Request": "{r1, r2}", "Response": "{p1, p2}"},
        {"node_count": 2, "request_count": 2, "response_count": 2},
    ),
    Original(
        "pyv-client-server-db-ae",
        "client_server_db_ae",
        "client_server_db_ae",
        {"Node": "{n1, n2}", "Request": "{r1, r2}", "Response": "{p1, p2}", "DbRequestId": "{i1, i2}"},
        {"node_count": 2, "request_count": 2, "response_count": 2, "lookup_count": 2},
    ),
    Original("pyv-hybrid-reliable-broadcast", "hybrid_reliable_broadcast", None),
    Original("pyv-firewall", "firewall", "firewall", NODES, {"size": 3}),
    Original(
        "mongo-logless-reconfig",
        "mongo_logless_reconfig",
        "MongoLoglessDynamicRaft",
        {
            "Server": "{n1, n2, n3}",
            "Secondary": "Secondary",
            "Primary": "Primary",
            **NIL,
            "InitTerm": "0",
            "MaxTerm": "2",
            "MaxConfigVersion": "2",
            "MaxLogLen": "0",
        },
        {"size": 3, "last_term": 2, "last_version": 2},
        once="begun",
        constraint="StateConstraint",
    ),
    Original("peterson", "peterson", "peterson", {"ProcSet": "{0, 1}"}, {}, is_listed=False),
    Original("ring-election", "ring_election", None, is_listed=False),
    Original("lease", "lease", None, is_listed=False),
    Original("lamport-mutex", "lamport_mutex", None, is_listed=False),
    Original("viewstamped-replication", "viewstamped_replication", None, is_listed=False),
    Original(
        "voting", "voting", "Voting",
        {"Acceptor": "{a1, a2, a3}", "Value": "{v1, v2}", "Ballot": "0..1", "Quorum": "majorities"},
        {"size": 3, "value_count": 2, "round_count": 2}, is_listed=False,
    ),
    Original("paxos", "paxos", None, is_listed=False, folder=PROTOCOLS.parent),
    Original("flexible-paxos", "flexible_paxos", None, is_listed=False),
)  # fmt: skip
"""The thirty names of Endive's list, and eight that stand beside it."""
