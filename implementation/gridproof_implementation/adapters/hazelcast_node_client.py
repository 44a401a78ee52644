"""hazelcast-client of npm: where the public Node.js client sends a key.

The client is asked offline, through an agent in JavaScript (`live/systems/hazelcast/hazelcast_client.mjs`), by the call
that its own proxies make: `PartitionServiceImpl.getPartitionId`. A number in JavaScript has no width, so each width is
asked of a client that is set to it (`defaultNumberType`); a long is the client's own `Long`. Raw bytes are its
`HeapData` with an empty header.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import cast

from gridproof_implementation.adapter import (
    Adapter,
    AdapterError,
    Kind,
    Options,
    Promise,
    PromiseWord,
    Refused,
)
from gridproof_implementation.live.fleet import FAILED, Fleet
from gridproof_implementation.live.npm import fetch_packages, why_missing
from gridproof_implementation.live.process import AgentProcess, Launch
from gridproof_model.events.words import Admission
from gridproof_model.keys import Key, KeyType

PACKAGES = ("hazelcast-client@5.7.0", "long@4.0.0", "@types/long@4.0.2")
ANSWER_TIMEOUT_S = 60.0


class HazelcastNodeClient:
    """The router port over the client's agent."""

    key_types = (
        KeyType.STRING,
        KeyType.BYTE,
        KeyType.SHORT,
        KeyType.INT,
        KeyType.LONG,
        KeyType.FLOAT,
        KeyType.DOUBLE,
        KeyType.BOOLEAN,
        KeyType.BYTES,
        KeyType.UUID,
        KeyType.RAW,
    )

    def __init__(self, process: AgentProcess) -> None:
        self._process = process
        self.version = str(process.hello(ANSWER_TIMEOUT_S)["version"])

    def partitions_of(self, keys: Sequence[Key], partition_count: int) -> Sequence[int | Refused]:
        """Ask the client for all keys in one question."""
        try:
            asked = self._process.ask(
                "partitions", ANSWER_TIMEOUT_S, keys=[key.written for key in keys], count=partition_count
            )
        except FAILED as error:
            raise AdapterError(f"the client's agent does not answer: {error}") from error
        found = cast("list[object]", asked["partitions"])
        return [one if isinstance(one, int) else Refused(str(one)) for one in found]


def launch() -> Launch:
    """Return what starts the client's agent; AdapterError with what to install."""
    folder = fetch_packages(PACKAGES)
    node = shutil.which("node")
    if node is None:
        raise AdapterError("node is not installed; type: apt-get install nodejs")
    agent = files("gridproof_implementation.live") / "systems" / "hazelcast" / "hazelcast_client.mjs"
    return Launch((node, str(agent), str(folder)))


@contextmanager
def open_hazelcast_node_client(_: Options) -> Iterator[HazelcastNodeClient]:
    """Start the agent; the client connects to nothing."""
    with Fleet() as fleet:
        process = fleet.start("client", launch())
        try:
            client = HazelcastNodeClient(process)
        except FAILED as error:
            raise AdapterError(f"the client's agent said no hello: {error}") from error
        yield client


_SOURCE = "hazelcast-nodejs-client, README: a client sends an operation to the owner of the key's partition"

ADAPTER = Adapter(
    name="hazelcast-node-client",
    summary="key to partition of the public Node.js client hazelcast-client, offline",
    kind=Kind.ROUTER,
    open=open_hazelcast_node_client,
    admits=Admission.HAZELCAST,
    promises={
        "key-to-partition": Promise(PromiseWord.PROMISED, _SOURCE),
        "partition-in-range": Promise(PromiseWord.PROMISED, _SOURCE),
        "every-key-routed": Promise(
            PromiseWord.PROMISED,
            "hazelcast-nodejs-client, Serialization: each type has the Java type that it stands for",
        ),
    },
    named_only=True,
    missing=lambda: why_missing(PACKAGES),
)
