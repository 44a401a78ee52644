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

_OPENING = """# Protocols by other authors, and the lemmas that were found

These are the protocols on which Endive was tried (Schultz, Dardik and Tripakis 2022, "Plain and Simple Inductive
Invariant Inference for Distributed Protocols in TLA+"; github.com/will62794/endive at 8b6f2ab), rewritten from their
public texts in [`examples/protocols`](examples/protocols). For Endive a person writes the predicates of lemmas and
their quantifiers; here the program makes both. [finding-lemmas.md](finding-lemmas.md) describes the search.

This page is made by `make protocols` from `tools/protocols/measured.json`. `python -m tools.protocols count FOLDER` and
`endive FOLDER` measure the originals, if a copy of Endive's repository is in the folder.

"""

_HARD = """\
- `mongo_logless_reconfig`: a majority is taken of the members that a server knows, not of all servers. That two
  such majorities overlap is a statement about a sum of counts, which proofs for any number of servers do not support.
- `learning_switch`: the lemmas that prove its claim at two nodes are true for two nodes only. If a part of the states
  of the world of three nodes is explored, the search finds four lemmas, which hold for three and for four nodes. In the
  proof for any number of nodes, Z3 gives up at the action that forwards a packet.
- `hybrid_reliable_broadcast`, `learning_switch_of_packets`: the lemmas found are true for two nodes only.
- `chord_ring_maintenance`: its seventeen lemmas are about three nodes. A lemma written by its authors says, for any
  number, that no successor skips the origin; it is about three nodes and their order round the ring.
- `lease`: its lemmas need sums of three clocks. Lemmas found without help hold only in the world searched. If four sums
  are given, five lemmas are found in three seconds, which prove it for any size: `--with 'until[client] <= end +
  offset[client]'` and, in the same way, `granted_until[client] <= end + offset[client]`, `granted_until[client] <= now
  + offset[client]`, `asked_at[client] <= now + offset[client]`.
- `lamport_mutex`: its lemmas are about the order of two messages in one lane, and a number in each; predicates about
  lanes can name a message at a place, some message, and two messages of a kind.
- `ownership`, whose state has whole tables: in 150 seconds the search reaches lemmas of two predicates (727 of 363,378
  candidates tried). For `one_member_executes_writes` a step is left from a state in which a table of version 18 is on
  its way although no member has a table above version 17. A person wrote the lemmas with which `ownership` is proved.
- `viewstamped_replication`, [`voting`](examples/protocols/voting.py), [`paxos.py`](examples/paxos.py),
  [`flexible_paxos`](examples/protocols/flexible_paxos.py): the decisive lemma counts nodes that have gone on *or*
  accepted a value, a disjunction under a count. The lemmas found for both kinds of Paxos hold for two rounds. The three
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
    yield f"Of the {len(listed)} protocols on Endive's list {len(done)} are proved, without a given predicate or lemma,"
    yield f"{len(any_size)} of them for any size. For {len(quick)} protocols the search takes at most a"
    yield f"tenth of Endive's processor time, if that is over {LONG_S:g} seconds, and otherwise at most {SHORT_S:g}"
    yield f"seconds. Not proved: {', '.join(rest)}."


def _is_within_goal(said: Measured) -> bool:
    assert said.found is not None
    used_s = said.found.used_s if said.found.proved_s is None else said.found.proved_s
    if said.endive is not None and said.endive.used_s > LONG_S:
        return used_s * TENTH <= said.endive.used_s
    return used_s <= SHORT_S


def _table(measured: Mapping[str, Measured]) -> Iterator[str]:
    yield "## What was found"
    yield ""
    yield "Seconds are processor time on a shared machine beside other work; ours are without imports. *Found* covers"
    yield "exploring, searching, and the first proof of every claim in the world that is searched; this is Endive's"
    yield "task, and is compared with it. *In all* also includes the proofs for any size and in larger worlds (ended:"
    yield "stopped while larger worlds were tried). Endive's time is that of all its processes, with two workers of TLC"
    yield "and the seed of its paper, until it ended. If Endive was stopped, the time is a lower bound (>), beside"
    yield "other work: for two-phase commit of three managers its page says 83 s on six workers (published). The lemmas"
    yield "that Endive finds are likely to be inductive; proving them is left to its user. A dash means that Endive"
    yield "was not run, or has no text of the protocol."
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
    yield "Each rewriting is compared with its original in one world: by the states that TLC counts for the original,"
    yield "and those that the explorer counts for ours. If a condition chooses the original's initial states, ours has"
    yield "a first step that chooses them; the states before it are not counted. Two protocols on the list exist only"
    yield "in Ivy, which TLC does not read, as do Paxos and Flexible Paxos (ivybench). The text of Voting is from"
    yield "the TLA+ examples (32a32c7), up to `Next`."
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
    yield "The following searches found no proof, or were stopped. The table shows how far each got, and a state:"
    yield "a step from this state breaks the claim, or a lemma that it needs, and no lemma that holds excludes it."
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
