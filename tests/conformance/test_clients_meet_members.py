"""What a public client of Hazelcast writes, a Java member reads under the same key, and the other way round."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from gridproof_implementation.adapter import Options
from gridproof_implementation.adapters.hazelcast import ADAPTER as MEMBERS
from gridproof_implementation.adapters.hazelcast import hazelcast_agent
from gridproof_implementation.adapters.hazelcast_client import _INT_TYPES, HazelcastClient, open_hazelcast_client
from gridproof_implementation.adapters.hazelcast_node_client import ADAPTER as NODE_CLIENT
from gridproof_implementation.adapters.hazelcast_node_client import launch
from gridproof_implementation.live.agent_grid import AgentGrid, open_agents
from gridproof_implementation.live.process import AgentProcess, Fleet, Launch
from gridproof_model.hashing import INT_MIN
from gridproof_model.keys import Key, KeyType
from gridproof_model.routing import partition_hash, partition_of
from gridproof_properties.audits.boundary_keys import boundary_keys
from gridproof_properties.audits.settle import settle
from tests.model.golden_keys import GOLDEN_KEYS

PARTITIONS = 271
KEYS = [golden.key for golden in GOLDEN_KEYS if golden.key.type is not KeyType.RAW]
"""Raw bytes are no key that anybody can write."""
MAP = "typed"
BESIDE = Path(__file__).parent / "hazelcast_keys"
"""What only these tests ask members and clients for."""

pytestmark = [
    pytest.mark.live,
    pytest.mark.nightly,
    pytest.mark.xdist_group("live"),
    pytest.mark.skipif(MEMBERS.missing() is not None, reason=f"{MEMBERS.missing()}: make live"),
]
node = pytest.mark.skipif(NODE_CLIENT.missing() is not None, reason=f"{NODE_CLIENT.missing()}: make live")


def edges_of_the_rule() -> list[Key]:
    """Of every type, what hashes to the edges of the rule."""
    unknown_to_clients = (KeyType.RAW, KeyType.COMPACT, KeyType.PORTABLE)
    kinds = [kind for kind in KeyType if kind not in unknown_to_clients]
    return [one.key for kind in kinds for one in boundary_keys(kind, PARTITIONS)]


@dataclass(frozen=True, slots=True)
class Meeting:
    """A member, and a client that is connected to it."""

    member: AgentProcess
    put: Callable[[Key, str], object]
    get: Callable[[Key], object]
    takes: Callable[[Key], bool]
    """Whether the client has such a key at all."""

    def wrong(self, keys: Sequence[Key]) -> dict[str, list[Key]]:
        """Write each key on either side and read it on the other; return the keys whose value did not come over."""
        found: dict[str, list[Key]] = {
            "written by the client": [],
            "written by the member": [],
            "on two partitions": [],
        }
        for number, key in enumerate(key for key in keys if self.takes(key)):
            self.put(key, f"client-{number}")
            if self.member.ask("typed_get", key=key.written)["value"] != f"client-{number}":
                found["written by the client"].append(key)
            self.member.ask("typed_put", key=key.written, value=f"member-{number}")
            if self.get(key) != f"member-{number}":
                found["written by the member"].append(key)
            if self.member.ask("typed_partition", key=key.written)["partition"] != partition_of(key, PARTITIONS):
                found["on two partitions"].append(key)
        return found


@pytest.fixture(scope="module")
def grid() -> Iterator[AgentGrid]:
    """Two members at rest."""
    agent = replace(hazelcast_agent(), further=BESIDE)
    launch = agent.launch("-Dgridproof.extra=TypedKeys")
    with open_agents(launch, Options(member_count=2, partition_count=PARTITIONS)) as opened:
        for _ in range(2):
            opened.start_member()
        assert settle(opened, 60_000).settled
        yield opened


@pytest.fixture(scope="module")
def by_node(grid: AgentGrid) -> Iterator[Meeting]:
    """The Node.js client."""
    addresses = [str(member.id.address) for member in grid.members()]
    with Fleet() as fleet:
        program, _, packages = launch().command
        client = fleet.start("client", Launch((program, str(BESIDE / "connected_client.mjs"), packages)))
        own = {KeyType(name) for name in client.hello(30)["key_types"]}

        def put(key: Key, value: str) -> object:
            return client.ask("put", key=key.written, value=value, addresses=addresses)

        def get(key: Key) -> object:
            return client.ask("get", key=key.written, addresses=addresses)["value"]

        yield Meeting(grid.process_of(grid.members()[0]), put, get, lambda key: key.type in own)


@pytest.fixture(scope="module")
def by_python(grid: AgentGrid) -> Iterator[Meeting]:
    """The Python client: one for each declared width of a number."""
    addresses = [str(member.id.address) for member in grid.members()]
    with ExitStack() as leaving, open_hazelcast_client(Options()) as router:
        maps: dict[str, Any] = {}

        def map_for(key: Key) -> Any:
            width = _INT_TYPES.get(key.type, "INT")
            if width not in maps:
                new_client = import_module("hazelcast").HazelcastClient
                client = new_client(cluster_members=addresses, default_int_type=width, statistics_enabled=False)
                leaving.callback(client.shutdown)
                maps[width] = client.get_map(MAP).blocking()
            return maps[width]

        def put(key: Key, value: str) -> object:
            return map_for(key).set(router.clients_form(key), value)

        def get(key: Key) -> object:
            return map_for(key).get(router.clients_form(key))

        yield Meeting(grid.process_of(grid.members()[0]), put, get, takes)


def takes(key: Key) -> bool:
    """Whether the Python client has such a key: it writes no float, and refuses negative bytes."""
    return key.type in HazelcastClient.key_types and not (
        key.type is KeyType.BYTE and isinstance(key.value, int) and key.value < 0
    )


@node
def test_what_the_node_client_writes_a_member_reads_and_the_other_way_round(by_node: Meeting) -> None:
    assert by_node.wrong(KEYS) == {"written by the client": [], "written by the member": [], "on two partitions": []}


def test_what_the_python_client_writes_a_member_reads_and_the_other_way_round(by_python: Meeting) -> None:
    assert by_python.wrong(KEYS) == {"written by the client": [], "written by the member": [], "on two partitions": []}


@pytest.mark.parametrize("client", ["by_python", pytest.param("by_node", marks=node)])
def test_a_key_of_the_smallest_hash_is_two_entries_one_for_clients_and_one_for_members(
    client: str, request: pytest.FixtureRequest
) -> None:
    # docs/findings.md: the client names the partition, 245, and the member that owns it believes it.
    meeting: Meeting = request.getfixturevalue(client)
    edges = [key for key in edges_of_the_rule() if meeting.takes(key)]
    smallest = [key for key in edges if partition_hash(key) == INT_MIN]

    assert {key.type for key in smallest} >= {KeyType.STRING, KeyType.INT, KeyType.LONG, KeyType.UUID}
    assert meeting.wrong(edges) == {
        "written by the client": smallest,
        "written by the member": smallest,
        "on two partitions": [],
    }
