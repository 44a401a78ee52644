"""Finds the page that a citation refers to.

A source is a list of citations, such as "seed: Lite Members; migration.11; defect HZ-26". A seed is a page of
Hazelcast's manual and has a web address; every other citation refers to a place in `docs/`. `docs/sources.md` lists the
possible forms.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

MANUAL = "https://docs.hazelcast.com/hazelcast/5.4/architecture/data-partitioning"
SEEDS = {
    "Data Partitioning and Replication": MANUAL,
    "Lite Members": MANUAL,
    "How Data is Partitioned": MANUAL,
    "Partition Table": MANUAL,
    "Repartitioning": MANUAL,
    "Replication Algorithm for AP Data Structures": MANUAL,
    "Best-Effort Consistency": MANUAL,
    "Execution Guarantees": MANUAL,
    "Throwing an IndeterminateOperationStateException": MANUAL,
    "Partition Group Configuration": "https://docs.hazelcast.com/imdg/4.2/clusters/partition-group-configuration",
    "Invocation Lifecycle": "https://docs.hazelcast.com/hazelcast/5.0/consistency-and-replication/invocation-lifecycle",
    "In-Memory Storage": "https://docs.hazelcast.com/hazelcast/5.5/architecture/in-memory-storage",
}
"""The web addresses of the manual's pages, by the section that a citation names."""
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
"""The headings in `docs/invariants.md`, by the letter with which the names of their invariants begin."""
RULE = re.compile(r"\b[a-z]+\.[1-9][0-9]?\b")
_PAGES = {"systems": "docs/sources.md", "settings": "docs/protocol/README.md"}
"""The page that has the rules of a chapter, for chapters without a page of their own."""
_CITATION = re.compile(
    rf"(?P<rule>{RULE.pattern})|chapter (?P<chapter>[a-z]+)|(?P<letter>\b[HATMPRIS])[1-9]\b"
    r"|(?P<defect>\b(?:HZ|P)-[0-9]+)|(?P<page>docs/[a-z-]+\.md)|seed: (?P<seed>[^;,]+)"
)


@cache
def protocol_rules() -> Mapping[str, str]:
    """Return the text of each rule of `docs/protocol/` by its number, as collected by `python -m
    tools.protocol_pages`."""
    text = Path(__file__).with_name("protocol_rules.json").read_text(encoding="utf-8")
    rules: dict[str, str] = json.loads(text)
    return rules


def rules_of(source: str) -> Mapping[str, str]:
    """Return the rules that a source cites, each with its text, in order."""
    return {number: protocol_rules()[number] for number in RULE.findall(source) if number in protocol_rules()}


def links_of(source: str) -> tuple[str, ...]:
    """Return the links of a source's citations: web addresses, and places in `docs/`; each link once, in order."""
    return tuple(dict.fromkeys(_links(source)))


def address_of(source: str) -> str:
    """Return the first web address among a source's links; empty if there is none."""
    return next((link for link in links_of(source) if link.startswith("https:")), "")


def _links(source: str) -> Iterator[str]:
    for found in _CITATION.finditer(source):
        if rule := found["rule"]:
            chapter = rule.split(".")[0]
            yield f"{_PAGES.get(chapter, f'docs/protocol/{chapter}.md')}#{rule}"
        elif chapter := found["chapter"]:
            yield f"docs/protocol/{chapter}.md"
        elif letter := found["letter"]:
            yield f"docs/invariants.md#{INVARIANTS[letter]}"
        elif defect := found["defect"]:
            yield f"docs/defects.md#{'hazelcast' if defect.startswith('HZ') else 'peers'}"
        elif page := found["page"]:
            yield page
        elif found["seed"] in SEEDS:
            yield SEEDS[found["seed"]]
