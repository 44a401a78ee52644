"""Where your client sends a key.

One function is asked, with many keys at once. It has a rule of its own here, so that all of it runs at once; let it ask
your client instead. The rules are in docs/adapter-protocol.md of gridproof.
"""

from hashlib import md5
from typing import Any

from gridproof_agent import serve


def partitions_of(keys: list[list[str]], count: int) -> Any:
    """Return the partition of each key, or a text: your client refuses it, and why. A key is its type and its text."""
    return {"partitions": [partition_of(text, count) for _, text in keys]}


def partition_of(text: str, count: int) -> int:
    """Ask your client here."""
    return int(md5(text.encode(errors="surrogatepass")).hexdigest(), 16) % count


PROMISES = {
    "partition-in-range": {"word": "promised", "source": "agent.py: a remainder"},
    "key-to-partition": {"word": "promised", "source": "agent.py: all clients have one rule"},
}
"""What the documents of your client say of a property (`gridproof properties` lists them), and where."""

if __name__ == "__main__":
    # Leave own_rule out where your client is to have the rule of Hazelcast: it is then held against that one.
    serve("toy", "1", partitions_of, kind="router", key_types=["string"], own_rule="MD5", promises=PROMISES)
