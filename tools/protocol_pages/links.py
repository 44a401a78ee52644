"""What the tree has of each rule: whoever cites its number."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from gridproof.citations import RULE
from gridproof_model.specifications import SPECIFICATIONS
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.simulated import UNGROUPED
from suite.zoo.members import MEMBER_MUTANTS
from tools.protocol_pages.rules import ROOT

Links = Mapping[str, tuple[str, ...]]
"""By the number of a rule: names of what cites it, each once, in order."""
MEMBER = ("implementation/gridproof_implementation/protocol", "implementation/gridproof_implementation/placement")
MODEL = "model/gridproof_model"
DEFECT = re.compile(r"\b(?:HZ|P)-[0-9]+")


@cache
def specification_links() -> Links:
    """Return the actions and claims whose source cites each rule."""
    actions = [(one.name, act.name, act.source) for one in SPECIFICATIONS for act in one.actions]
    claims = [(one.name, claim.name, claim.source) for one in SPECIFICATIONS for claim in one.claims]
    return _grouped(
        (rule, f"{of}: {name}") for of, name, source in (*actions, *claims) for rule in RULE.findall(source)
    )


@cache
def property_links() -> Links:
    """Return the properties whose source cites each rule."""
    return _grouped((rule, str(prop.name)) for prop in (*CATALOGUE, *UNGROUPED) for rule in RULE.findall(prop.source))


@cache
def mutant_links() -> Links:
    """Return the planted bugs that cite each rule, or stand for a defect of it."""
    rules = {defect: RULE.findall(row[3]) for defect, row in defects().items()}
    parts = [
        (rule, mutant.number)
        for mutant in MEMBER_MUTANTS
        for rule in (
            *RULE.findall(mutant.source),
            *(rule for defect in DEFECT.findall(mutant.source) for rule in rules.get(defect, ())),
        )
    ]
    return _grouped(parts)


@cache
def finding_links() -> Links:
    """Return the headings of `docs/findings.md` under which each rule is cited."""
    sections = re.split(r"^##+ ", (ROOT / "docs" / "findings.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    parts = [(rule, part.split("\n", 1)[0]) for part in sections[1:] for rule in RULE.findall(part)]
    return _grouped(parts)


@cache
def member_links() -> Links:
    """Return the methods and classes of the member, its placement and its nouns that cite each rule."""
    return _grouped(pair for path in _member_files() for pair in _cited_in(path))


@cache
def defects() -> Mapping[str, list[str]]:
    """Return the rows of `docs/defects.md`, by the number of the defect."""
    text = (ROOT / "docs" / "defects.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    return {row[0]: row for row in rows if DEFECT.fullmatch(row[0])}


def _member_files() -> Iterator[Path]:
    for folder in MEMBER:
        yield from sorted((ROOT / folder).rglob("*.py"))
    yield from sorted(p for p in (ROOT / MODEL).glob("*.py"))


def _cited_in(path: Path) -> Iterator[tuple[str, str]]:
    """Yield a rule and the method, or the class, in whose lines it is cited: the innermost."""
    text = path.read_text(encoding="utf-8")
    if RULE.search(text) is None:
        return
    lines = text.splitlines()
    named = dict(_spans(ast.parse(text), ""))
    for number, line in enumerate(lines, start=1):
        for rule in RULE.findall(line):
            inside = [(end - start, name) for (start, end), name in named.items() if start <= number <= end]
            yield rule, min(inside)[1] if inside else path.stem if path.stem != "__init__" else path.parent.name


def _spans(tree: ast.AST, owner: str) -> Iterator[tuple[tuple[int, int], str]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{owner}.{node.name}" if owner else node.name
            yield (node.lineno, node.end_lineno or node.lineno), name
            if isinstance(node, ast.ClassDef):
                yield from _spans(node, name)


def _grouped(pairs: Iterator[tuple[str, str]] | list[tuple[str, str]]) -> Links:
    found: dict[str, dict[str, None]] = {}
    for rule, name in pairs:
        found.setdefault(rule, {})[name] = None
    return {rule: tuple(names) for rule, names in found.items()}
