"""The ledger as a page: `docs/ledger.md`, or the page of a user's specification.

The page has no times in it, so that it changes only if what is known changes.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from gridproof_model.language import Specification
from gridproof_properties.claims.known import Knowledge
from gridproof_properties.claims.ledger import Evidence
from gridproof_properties.claims.ledger_row import LedgerRow, Status
from gridproof_properties.claims.proof_graph import named
from gridproof_properties.judging.words import count
from gridproof_properties.proofs.any_number.cutoffs import open_sizes

HEAD = """# The ledger

This page says how well every claim of every specification is known, and in which worlds. *Proved*: shown by induction
with Z3, for every reachable state of the worlds named, however many there are. *Exhaustive*: the explorer visited every
state of the worlds named, and checked the claim there. *Seen*: a behaviour leads to what a sometimes-claim describes,
and the plain interpreter replays this behaviour. *Partly*: proved or exhaustive in the worlds named, but
not in all worlds of the argument, which with an open number are endless. *Open*: none of these is known; the row gives
the reason.

After `any number of`, a row names the constants that the proof leaves open. If a claim is not inductive, a step that
breaks it is named; this step may begin in an unreachable state, and `gridproof prove` shows the states before and after
it. Lemmas are facts that no document states and that the proofs need; each is proved with the claims that rely on it.

Before its table, a section says how many elements of a set are enough: if a claim can be broken in a larger world, it
can be broken in a world of that size. Where the proof gives no such number, the reason stands there.
"""
NEEDS = "What each proof needs; without it, the actions named after `for` could break the claim or lemma:"


def ledger_page(ledgers: Sequence[Evidence], by: str) -> str:
    """Return the page of these ledgers, with a section for each specification; `by` is the program that wrote it."""
    known = [(one.argument.specification, one.knowledge) for one in ledgers]
    return "\n".join([HEAD, by, *how_many_for_any_number(known), *map(ledger_section, ledgers)])


def claim_line(row: LedgerRow) -> str:
    """Return the table cell for a claim: its name and its sentence."""
    return f"`{row.claim}`: {_in_a_cell(row.sentence)}"


def _in_a_cell(text: str) -> str:
    """Return a text that ends no cell of a table: an author's sentence, or a path, may have a bar in it."""
    return text.replace("|", "\\|")


def how_many_for_any_number(known: Iterable[tuple[Specification, Knowledge]]) -> list[str]:
    """Return a sentence on how many proved claims are proved for every number of elements; empty if there are none."""
    proved, widely = set[tuple[str, str]](), set[tuple[str, str]]()
    for specification, knowledge in known:
        names = {claim.name for claim in specification.claims}
        for one in knowledge.proved:
            held = {(specification.name, name) for name in names & one.holds}
            proved |= held
            widely |= held if open_sizes(specification, one.constants) else set()
    said = f"Of {count(len(proved), 'claim')} proved by induction, {len(widely)} are proved for any number of members"
    return [said + ", or of other elements.\n"] if widely else []


def ledger_section(evidence: Evidence) -> str:
    """Return the section of the page about one specification."""
    argument, rows = evidence.argument, evidence.rows(is_shown=False)
    counts = Counter(row.status for row in rows)
    summary = ", ".join(f"{counts[status]} {status}" for status in Status if counts[status])
    lines = [
        f"## {argument.specification.name}",
        "",
        " ".join((f"The table has {count(len(rows), 'row')}: {summary}.", *evidence.cutoffs)),
        "",
        "| claim | kind | status | how |",
        "|---|---|---|---|",
        *(f"| {claim_line(row)} | {row.kind} | **{row.status}** | {_in_a_cell(row.detail)} |" for row in rows),
        "",
    ]
    if argument.lemmas:
        lines += ["Lemmas:", "", *(f"- `{lemma.name}`: {lemma.sentence}" for lemma in argument.lemmas), ""]
    graph = evidence.graph
    if graph is not None and graph.has_lemmas:
        lines += [NEEDS, ""]
        said = {name: f"`{name}`{graph.unless_proved(name)}" for name in graph.nodes}
        for name, below in graph.leans_on.items():
            if below:
                needs = "; ".join(f"{said[other]} for {named(actions)}" for other, actions in below.items())
                lines.append(f"- {said[name]} needs {needs}.")
        lines.append("")
    return "\n".join(lines)
