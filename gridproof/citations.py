"""From a citation to the page where it is said.

A source is a list of keys with places: "seed: Lite Members; bug-zoo A4". Of the keys, seeds are pages of Hazelcast's
manual and have an address; invariants of the bug-zoo and specifications have a place in `docs/`. Protocol facts
("reference partitioning 3.3") were collected by hand from public source code and have a line on `docs/sources.md`.
"""

import re

MANUAL = "https://docs.hazelcast.com/hazelcast/5.4/architecture/data-partitioning"
SEEDS = {
    "Data Partitioning and Replication": MANUAL,
    "Lite Members": MANUAL,
    "How Data is Partitioned": MANUAL,
    "Partition Table": MANUAL,
    "Replication Algorithm for AP Data Structures": MANUAL,
    "Best-Effort Consistency": MANUAL,
    "Execution Guarantees": MANUAL,
    "Throwing an IndeterminateOperationStateException": MANUAL,
    "Partition Group Configuration": "https://docs.hazelcast.com/imdg/4.2/clusters/partition-group-configuration",
    "Invocation Lifecycle": "https://docs.hazelcast.com/hazelcast/5.0/consistency-and-replication/invocation-lifecycle",
    "In-Memory Storage": "https://docs.hazelcast.com/hazelcast/5.5/architecture/in-memory-storage",
}
"""Addresses of the manual's pages, by the section that a citation names."""
INVARIANTS = {
    "H": "routing",
    "A": "assignment",
    "T": "table",
    "M": "migration",
    "P": "promotion",
    "R": "replication",
    "I": "invocation",
    "S": "membership",
}
"""Headings of `docs/invariants.md`, by the letter of their invariants."""
SOURCES = {"reference": "protocol-facts", "auditable-systems": "systems-that-can-be-audited", "bug-zoo": "the-bug-zoo"}
"""Headings of `docs/sources.md`, by the first word of a citation."""


def links_of(source: str) -> tuple[str, ...]:
    """Return where the citations of a source lead: addresses, and places in `docs/`; each once, in order."""
    links: list[str] = []
    for part in source.split("; "):
        links += _links_of_part(part.strip())
    return tuple(dict.fromkeys(links))


def address_of(source: str) -> str:
    """Return the first address on the web that a source leads to, empty where there is none."""
    return next((link for link in links_of(source) if link.startswith("https:")), "")


def _links_of_part(part: str) -> list[str]:
    if part.startswith("seed: "):
        section = part.removeprefix("seed: ").split(",")[0]
        return [SEEDS[section]] if section in SEEDS else []
    word = part.removeprefix("not promised: ").split(" ")[0]
    if word == "bug-zoo":
        letters = re.findall(r"\b([HATMPRIS])\d+\b", part)
        if letters:
            return [f"docs/invariants.md#{INVARIANTS[letter]}" for letter in letters]
    return [f"docs/sources.md#{SOURCES[word]}"] if word in SOURCES else []
