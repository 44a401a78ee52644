"""The rules, read from their pages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROTOCOL = ROOT / "docs" / "protocol"
CHAPTERS = (
    "keys", "table", "placement", "migration", "repair", "leaving", "members",
    "calls", "backups", "sync", "strict", "splits", "jobs", "limits",
)  # fmt: skip
"""In the order in which somebody learns them."""
SOURCES = ROOT / "docs" / "sources.md"
HEADING = re.compile(r"^### (?P<number>[a-z]+\.[1-9][0-9]?) (?P<title>.+)$", re.MULTILINE)
MADE = re.compile(r'^(<a id="[^"]+"></a>\n|> .*\n\n?)', re.MULTILINE)
"""What this program writes into a page."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its number, its sentence, what is said besides, and who says it."""

    number: str
    title: str
    text: str
    says: str

    @property
    def chapter(self) -> str:
        """The page it stands on."""
        return self.number.partition(".")[0]

    @property
    def is_choice(self) -> bool:
        """Whether it is this project's own, wholly or in part."""
        return "Our choice" in self.says


def pages() -> list[Path]:
    """Return the pages with rules, in the order in which they are read."""
    return [PROTOCOL / "README.md", *(PROTOCOL / f"{chapter}.md" for chapter in CHAPTERS)]


def plain(page: str) -> str:
    """Return a page without what this program writes into it."""
    return MADE.sub("", page)


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return every rule of the protocol, in the order of the pages; what systems taught comes last."""
    return tuple(rule for path in (*pages(), SOURCES) for rule in rules_in(path.read_text(encoding="utf-8")))


def rules_in(page: str) -> Iterator[Rule]:
    """Yield the rules of one page."""
    text = plain(page)
    for heading in HEADING.finditer(text):
        body = re.split(r"^#+ ", text[heading.end() :], maxsplit=1, flags=re.MULTILINE)[0].strip()
        *paragraphs, last = body.split("\n\n") if body else [""]
        is_said = last.startswith("*") and last.endswith("*")
        said = last.strip("*") if is_said else ""
        rest = paragraphs if is_said else [*paragraphs, last]
        yield Rule(heading["number"], heading["title"], "\n\n".join(rest), said)
