"""hazelcast-client of npm: the partition to which the public Node.js client sends a key.

An agent in JavaScript (`live/systems/hazelcast/hazelcast_client.mjs`) calls `PartitionServiceImpl.getPartitionId`
offline, as the client's own proxies do. A number in JavaScript has no width, so there is one client for each width,
which is set as its `defaultNumberType`; a long is the client's own `Long`. Raw bytes are given as the client's
`HeapData` with an empty header.
"""

import shutil
from importlib.resources import files

from gridproof_implementation.adapter import Adapter, AdapterError, Kind
from gridproof_implementation.live.agent_library import libraries
from gridproof_implementation.live.fetching import fetch_packages, why_missing
from gridproof_implementation.live.process import Launch
from gridproof_implementation.promise import promised
from gridproof_model.events.words import Admission

PACKAGES = ("hazelcast-client@5.7.0", "long@4.0.0", "@types/long@4.0.2")


def launch() -> Launch:
    """Return the command that starts the client's agent; AdapterError names what has to be installed first."""
    folder = fetch_packages(PACKAGES)
    node = shutil.which("node")
    if node is None:
        raise AdapterError("node is not installed; type: apt-get install nodejs")
    agent = files("gridproof_implementation.live") / "systems" / "hazelcast" / "hazelcast_client.mjs"
    return Launch((node, str(agent), str(folder)))


open_hazelcast_node_client = libraries(lambda _: launch())
_SOURCE = "hazelcast-nodejs-client, README: a client sends an operation to the owner of the key's partition"

ADAPTER = Adapter(
    name="hazelcast-node-client",
    summary="key to partition of the public Node.js client hazelcast-client, offline",
    kind=Kind.ROUTER,
    open=open_hazelcast_node_client,
    admits=Admission.HAZELCAST,
    promises={
        "key-to-partition": promised(_SOURCE),
        "partition-in-range": promised(_SOURCE),
        "every-key-routed": promised(
            "hazelcast-nodejs-client, Serialization: each type of the client stands for one Java type"
        ),
    },
    named_only=True,
    missing=lambda: why_missing(PACKAGES),
)
