"""To which partition your client sends a key.

The suite calls one function, with many keys at once. Here the function has a rule of its own, so that the skeleton
runs; let it call your client instead. The rules are in docs/adapter-protocol.md of gridproof.
"""

from hashlib import md5
from typing import Any

from gridproof_agent import serve


def partitions_of(keys: list[list[str]], count: int) -> Any:
    """Return each key's partition, or a text that says why your client refuses it. A key is a type and a text."""
    return {"partitions": [partition_of(text, count) for _, text in keys]}


def partition_of(text: str, count: int) -> int:
    """Call your client here."""
    return int(md5(text.encode(errors="surrogatepass")).hexdigest(), 16) % count


PROMISES = {
    "partition-in-range": {"word": "promised", "source": "agent.py: a remainder"},
    "key-to-partition": {"word": "promised", "source": "agent.py: all clients have one rule"},
}
"""What the documents of your client say about a property (`gridproof properties` lists all), and where they say it."""

if __name__ == "__main__":
    # Leave own_rule out if your client is to have Hazelcast's rule: its answers are then compared with that rule.
    serve("toy", "1", partitions_of, kind="router", key_types=["string"], own_rule="MD5", promises=PROMISES)
