"""The page about protocols of others: what was found of each, beside what Endive takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tools.protocols.by_hand import ByHand, table
from tools.protocols.measured import Measured
from tools.protocols.originals import ORIGINALS, Original

TENTH = 10
"""So many times the processor time of ours Endive should take where it takes long."""
LONG_S = 30.0
"""Where Endive takes more than so many seconds, it is said how many times ours that is."""
SHORT_S = 3.0
"""Ours should take no more than so many seconds where Endive is quick."""

_OPENING = """# Protocols of others, and the lemmas that were found

The protocols that Endive was tried on (Schultz, Dardik and Tripakis 2022, "Plain and Simple Inductive Invariant
Inference for Distributed Protocols in TLA+"; github.com/will62794/endive at 8b6f2ab), written anew from their public
texts in [`examples/protocols`](examples/protocols). For Endive a person writes the predicates that lemmas are made of,
and the quantifiers before them; here nobody does. How the search goes is in [finding-lemmas.md](finding-lemmas.md).

This page is made by `make protocols` from `tools/protocols/measured.json`. `python -m tools.protocols count FOLDER` and
`endive FOLDER` measure the originals, where a copy of Endive's repository is in the folder.

"""

_HARD = """\
- `mongo_logless_reconfig`: majorities are of the members that a server knows, not of all servers, and that two of them
  meet is a sum of counts: for any number nothing is known of these.
- `learning_switch`: what carries its claims at two nodes holds of two only; with a part of the world of three, four
  lemmas are found that hold of three and of four nodes. For any number Z3 gives up where a packet is forwarded.
- `hybrid_reliable_broadcast`: what was found holds of two nodes only; so does that of `learning_switch_of_packets`.
- `chord_ring_maintenance`: its seventeen lemmas are of three nodes. What people wrote for it says of any number that no
  successor skips the origin, of three nodes and their order round the ring.
- `lease`: sums of three clocks are among the words. What was found without help holds of the world searched only. With
  four sums given five lemmas are found in three seconds, which prove it for any size: `--with 'until[client] <= end +
  offset[client]'` and, in the same way, `granted_until[client] <= end + offset[client]`, `granted_until[client] <= now
  + offset[client]`, `asked_at[client] <= now + offset[client]`.
- `lamport_mutex`: its lemmas speak of the order of two messages in one lane, with a number of each; of lanes there are
  words for a message at a place, for some message, and for two of a kind.
- `ownership`, which has the tables: with 150 seconds the search comes to lemmas of two predicates (727 candidates of
  363,378 tried). What is left of `one_member_executes_writes` is a step of a state in which a table of version 18 is on
  its way, and no member has one above 17. Its lemmas are a person's.
- `viewstamped_replication`, [`voting`](examples/protocols/voting.py), [`paxos.py`](examples/paxos.py),
  [`flexible_paxos`](examples/protocols/flexible_paxos.py): the lemma that decides counts those who have gone on *or*
  accepted a value, a disjunction under a count. What was found of both kinds of Paxos is of two rounds. The three
  lemmas that a person wrote for Paxos prove it for any number of nodes, values and rounds.
"""


def page(measured: Mapping[str, Measured], by_hand: Mapping[str, ByHand]) -> str:
    """Return the page."""
    parts = (_summary(measured), _table(measured), _counts(measured), table(by_hand), _hardest(measured))
    return _OPENING + "\n".join("\n".join([*part, ""]) for part in parts) + "\n" + _HARD


def _summary(measured: Mapping[str, Measured]) -> Iterator[str]:
    listed = [one for one in ORIGINALS if one.is_listed]
    known = [(one, measured[one.name]) for one in listed]
    done = [(one, said) for one, said in known if said.found is not None and said.found.proved == said.found.claims]
    any_size = [one.name for one, said in done if said.found is not None and said.found.is_for_any_size]
    quick = [one.name for one, said in done if _is_within_goal(said)]
    rest = [one.name for one in listed if one.name not in {found.name for found, _ in done}]
    yield f"Of the {len(listed)} names on Endive's list {len(done)} are found, without a predicate and without a lemma,"
    yield f"{len(any_size)} of them for any size; {len(quick)} of them in a tenth of Endive's processor time where that"
    yield f"is over {LONG_S:g} seconds, or in at most {SHORT_S:g} seconds elsewhere. Not found: {', '.join(rest)}."


def _is_within_goal(said: Measured) -> bool:
    assert said.found is not None
    used_s = said.found.used_s if said.found.proved_s is None else said.found.proved_s
    if said.endive is not None and said.endive.used_s > LONG_S:
        return used_s * TENTH <= said.endive.used_s
    return used_s <= SHORT_S


def _table(measured: Mapping[str, Measured]) -> Iterator[str]:
    yield "## What was found"
    yield ""
    yield "Seconds are of processor time on one shared machine with others at work, of ours without imports. Found:"
    yield "exploring, searching, and the first proof of every claim in the world that is searched, which is what Endive"
    yield "answers, and what is compared with it. In all: the proofs for any size and in larger worlds, too (ended: cut"
    yield "off while larger ones were tried). Of Endive all its processes, with two workers of TLC and the seed of its"
    yield "paper, until it ended. Where it was ended a lower bound stands (>), taken while others were at work: for"
    yield "two-phase commit of three managers its page says 83 s on six workers (published). What Endive finds is"
    yield "likely to be inductive: proving it is left to its user. – where it was not run, or has no text."
    yield ""
    headings = "name", "ours", "searched with", "states", "claims proved", "lemmas", "any size", "found, s", "in all, s"
    yield f"| {' | '.join(headings)} | Endive, s |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for one in ORIGINALS:
        said = measured[one.name]
        if said.found is not None and said.found.proved:
            yield _row(one, said)


def _row(one: Original, said: Measured) -> str:
    found, endive = said.found, said.endive
    assert found is not None
    states = f"{found.states:,}" + ("" if found.is_whole else ", a part")
    name = one.name if one.is_listed else f"{one.name} (not on the list)"
    theirs = "–"
    if endive is not None:
        end = "" if endive.has_found or not endive.has_ended else ", not found"
        theirs = f"{'' if endive.has_ended else '> '}{endive.used_s:g}{end}"
    cells = (
        name,
        f"`{one.ours}`",
        found.world,
        states,
        f"{found.proved} of {found.claims}",
        str(found.lemmas) if found.proved else "–",
        "yes" if found.is_for_any_size else "no",
        "–" if found.proved_s is None else f"{found.proved_s:.2f}",
        f"{found.used_s:.2f}" + ("" if found.stopped_at is None else ", ended"),
        theirs,
    )
    return f"| {' | '.join(cells)} |"


def _counts(measured: Mapping[str, Measured]) -> Iterator[str]:
    yield "## The same states"
    yield ""
    yield "Each rewriting against its original: the states that TLC counts of the original, and the explorer of ours,"
    yield "in one world. Where the original starts in some states that a condition chooses, ours has a first step that"
    yield "does; the states before it are not counted. Two of the list are known in Ivy only, which TLC does not read,"
    yield "and so are Paxos and Flexible Paxos (ivybench). Voting is of the TLA+ examples (32a32c7), up to its `Next`."
    yield ""
    yield "| name | module | its constants | ours | TLC, of the original | explored, of ours |"
    yield "|---|---|---|---|---|---|"
    for one in ORIGINALS:
        said = measured[one.name]
        if said.our_states is not None:
            theirs = "; ".join(f"{name} = {value}" for name, value in one.constants.items() if name != value)
            ours = ", ".join(f"{name} {value}" for name, value in one.world.items())
            counted = "–" if said.tlc_states is None else f"{said.tlc_states:,}"
            yield f"| {one.name} | {one.module or '–'} | {theirs} | {ours} | {counted} | {said.our_states:,} |"


def _hardest(measured: Mapping[str, Measured]) -> Iterator[str]:
    yield "## The hardest"
    yield ""
    yield "What was not found, or was ended: how far the search came, and the state that was left, from which a step"
    yield "leads out of the claim, or out of what it leans on, and which nothing excludes that holds."
    yield ""
    yield "| ours | searched with | states | s | questions | came to | what is left |"
    yield "|---|---|---|---|---|---|---|"
    for one in ORIGINALS:
        found = measured[one.name].found
        if found is not None and found.proved < found.claims:
            states = f"{found.states:,}" + ("" if found.is_whole else ", a part")
            left = found.obstacle or "–"
            came_to = found.stopped_at or "all was tried"
            cells = f"`{one.ours}`", found.world, states, f"{found.used_s:.0f}", f"{found.questions:,}", came_to, left
            yield f"| {' | '.join(cells)} |"
