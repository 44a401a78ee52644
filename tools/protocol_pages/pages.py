"""The pages, as they should be."""

import json
import re
from collections.abc import Iterator

from suite.zoo.members import MEMBER_MUTANTS
from tools.protocol_pages.choices import choices_page
from tools.protocol_pages.links import (
    defects,
    finding_links,
    member_links,
    mutant_links,
    property_links,
    specification_links,
)
from tools.protocol_pages.reasons import IN_SHORT, KINDS, REASONS, reason_for
from tools.protocol_pages.rules import HEADING, PROTOCOL, ROOT, SOURCES, Rule, all_rules, pages, plain

SHOWN_MAX = 5
"""How many names of one kind stand below a rule; the others are counted."""
NAMED = {
    "specification": "specification",
    "member": "method of the member",
    "properties": "property",
    "planted": "planted bug",
    "finding": "finding",
}
LEGEND = "<!-- reasons -->"
PLACES = {"finding": "../findings.md", "planted": "../zoo.md"}


def made_pages() -> dict[str, str]:
    """Return every file that is made, by its path from the root."""
    made = {path: with_blocks(path.read_text(encoding="utf-8")) for path in pages()}
    made[PROTOCOL / "README.md"] = _with_legend(made[PROTOCOL / "README.md"])
    made[SOURCES] = _with_anchors(SOURCES.read_text(encoding="utf-8"))
    found = {path.relative_to(ROOT).as_posix(): text for path, text in made.items()}
    found["docs/defects.md"] = defects_page()
    found["docs/choices.md"] = choices_page()
    found["gridproof/protocol_rules.json"] = rules_file()
    return found


def with_blocks(page: str) -> str:
    """Return a page with the anchor of each rule above it, and what the tree has of it below."""
    parts = re.split(r"(?=^#+ )", plain(page), flags=re.MULTILINE)
    made = []
    for part in parts:
        if heading := HEADING.match(part):
            rest = part.rstrip("\n")
            made.append(f'<a id="{heading["number"]}"></a>\n{rest}\n\n{block(heading["number"])}\n\n')
        else:
            made.append(part)
    return "".join(made).rstrip("\n") + "\n"


def block(number: str) -> str:
    """Return what stands below a rule: one line for each kind, and one that names the kinds of which there is none."""
    of_kind = {
        "specification": specification_links(),
        "member": member_links(),
        "properties": property_links(),
        "planted": mutant_links(),
        "finding": finding_links(),
    }
    lines = [f"> {kind}: {_shown(kind, names)}" for kind in KINDS if (names := of_kind[kind].get(number))]
    none = [_none_of(kind, reason_for(number, kind)) for kind in KINDS if not of_kind[kind].get(number)]
    if none:
        lines.append(f"> {', '.join(none)}")
    return "  \n".join(lines)


def _shown(kind: str, names: tuple[str, ...]) -> str:
    shown = [f'"{name}"' if kind == "finding" else name if kind == "planted" else f"`{name}`" for name in names]
    more = len(names) - SHOWN_MAX
    return ", ".join(shown[:SHOWN_MAX]) + (f", and {more} more" if more > 0 else "")


def _none_of(kind: str, letter: str) -> str:
    return f"no {NAMED[kind]} ({letter}: {IN_SHORT[letter]})"


def _with_legend(page: str) -> str:
    before, _, after = page.partition(LEGEND)
    after = re.sub(r"\A\n*(?:\|.*\n)+", "\n", after).lstrip("\n")
    rows = "\n".join(f"| {letter} | {reason} |" for letter, reason in REASONS.items())
    return f"{before}{LEGEND}\n\n| letter | reason |\n|---|---|\n{rows}\n\n{after}"


def _with_anchors(page: str) -> str:
    return HEADING.sub(lambda found: f'<a id="{found["number"]}"></a>\n{found.group()}', plain(page))


def defects_page() -> str:
    """Return the catalogue of defects with the planted bugs that stand for each."""
    text = (ROOT / "docs" / "defects.md").read_text(encoding="utf-8")
    return "".join(_defect_lines(text))


def _defect_lines(text: str) -> Iterator[str]:
    rows = defects()
    for line in text.splitlines(keepends=True):
        row = rows.get(line.strip("|").split("|")[0].strip())
        if row is None:
            yield line
        else:
            numbers = [m.number for m in MEMBER_MUTANTS if re.search(rf"\b{row[0]}\b", m.source)]
            yield f"| {' | '.join(row[:4])} | {', '.join(numbers) or 'none'} |\n"


def rules_file() -> str:
    """Return what each rule says, as the command line prints it."""
    rules = {rule.number: " ".join(_whole(rule).split()) for rule in all_rules()}
    return json.dumps(rules, indent=1, ensure_ascii=False) + "\n"


def _whole(rule: Rule) -> str:
    """Return a rule in one paragraph: its sentence, what is said besides, but for tables, and who says it."""
    prose = "\n".join(line for line in rule.text.splitlines() if not line.startswith("|"))
    return f"{rule.title}. {prose} {f'({rule.says.rstrip(chr(46))})' if rule.says else ''}"
