"""Every citation in the tree leads to a rule, a heading or a page of this repository."""

import re
from collections.abc import Iterator
from functools import cache

import pytest

from gridproof.citations import SEEDS
from tests.house.source_tree import ROOT
from tests.house.test_invariants_page import INVARIANTS
from tests.house.test_words import texts
from tools.protocol_pages.links import defects
from tools.protocol_pages.rules import CHAPTERS, all_rules

NUMBERS = {rule.number for rule in all_rules()}
OF_A_RULE = re.compile(rf"\b(?:{'|'.join((*CHAPTERS, 'settings', 'systems'))})\.[0-9]+\b(?!\.[0-9a-z])")
OF_SEEDS = "|".join(SEEDS)
KINDS = {
    "rule": (OF_A_RULE, NUMBERS),
    "chapter": (re.compile(r"(?<=\bchapter )[a-z]+(?=[;,.)\"]|$)"), set(CHAPTERS)),
    "defect": (re.compile(r"\bHZ-[0-9]+|(?<=\bdefect )P-[0-9]+"), set(defects())),
    "invariant": (re.compile(r"(?<=\binvariant )[A-Z][0-9]+\b"), set(INVARIANTS)),
    "seed": (re.compile(rf"(?<=\bseed: )(?:(?:{OF_SEEDS})(?![A-Za-z])|[A-Z][a-z]+[ -][A-Za-z -]+)"), set(SEEDS)),
    "page": (re.compile(r"\b(?:docs|decisions)/[a-z0-9/-]+\.md\b"), None),
}
"""For each kind of citation what finds one, and what there is; None for files."""
OF_BEFORE = re.compile(
    r"\breference (?:partitioning|replication)\b|\bbug-zoo\b|\bauditable-systems\b|\blive-systems [0-9]"
    r"|\((?:[a-z]+\.[0-9]+[,;] )*(?:[GNLSTFAHRIP][0-9]{1,2}|M[0-9])[),;]"
)
"""Keys of before, and in parentheses the bare letters of guarantees."""
NOT_READ = ("tests/house/test_citations.py", "decisions/0021-rules-have-numbers-of-their-own.md", "LICENSE")
READ = (".py", ".md", ".java", ".go", ".mjs")


@cache
def read_texts() -> tuple[tuple[str, str], ...]:
    """Return every text that may cite, by its path, with lines that were broken joined again."""
    return tuple(
        (name, re.sub(r"[ \t]*\n[ \t]*(?:# ?)?", " ", text))
        for name, text in texts().items()
        if name.endswith(READ) and name not in NOT_READ
    )


def unresolved(kind: str, name: str, text: str) -> Iterator[str]:
    """Yield the citations of a kind that lead nowhere."""
    pattern, known = KINDS[kind]
    for found in pattern.finditer(text):
        cited = found.group().strip()
        if cited not in known if known is not None else not (ROOT / cited).exists():
            yield f"{name}: {cited}"


@pytest.mark.parametrize("kind", KINDS)
def test_every_citation_leads_somewhere(kind: str) -> None:
    lost = [one for name, text in read_texts() for one in unresolved(kind, name, text)]

    assert lost == [], "cite what docs/sources.md says can be cited"


def test_nothing_is_cited_by_its_number_in_private_notes() -> None:
    old = [f"{name}: {found.group()}" for name, text in read_texts() for found in OF_BEFORE.finditer(text)]

    assert old == [], "cite the rule of docs/protocol/"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "page"])
def test_something_of_each_kind_is_cited(kind: str) -> None:
    assert any(KINDS[kind][0].search(text) for _, text in read_texts())


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("rule", "as migration.99 has it"),
        ("defect", "(HZ-99)"),
        ("invariant", "invariant Q1"),
        ("seed", "seed: Lite Membership; x"),
        ("page", "see docs/nowhere.md"),
    ],
)
def test_a_citation_that_leads_nowhere_is_seen(kind: str, text: str) -> None:
    assert list(unresolved(kind, "file", text))
