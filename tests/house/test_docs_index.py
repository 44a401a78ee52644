"""The index of the documents is whole."""

import re

from tests.house.source_tree import ROOT

DOCS = ROOT / "docs"


def test_every_document_is_in_the_index_once() -> None:
    named = re.findall(r"\]\(([a-z0-9-]+\.md)\)", (DOCS / "README.md").read_text(encoding="utf-8"))

    assert sorted(named) == sorted(page.name for page in DOCS.glob("*.md") if page.name != "README.md")
