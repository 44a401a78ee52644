"""Every state of two-phase commit, against two checkers in Python.

The same protocol with the same two always-claims, written for each tool in the tool's own language: minicheck takes a
function from a tuple to its successors, musil takes frozen dataclasses and guarded actions. The tools take turns in one
process, and the processor time of the best turn counts. Ours judges three sometimes-claims as well. What is not
installed is said and left out; musil needs Python 3.12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from time import process_time
from typing import Any

from benchmarks.explore_two_phase_commit import Counted, safety
from gridproof_properties.explorer import explore

SIZE = 7
_TURNS = 3
_LIMIT = 1_000_000
"""States at which the other tools would give up: more than there are."""

State = tuple[tuple[str, ...], str, int, int, bool, bool]
"""What minicheck holds: managers, coordinator, heard and prepared_sent as bits, commit_sent, abort_sent."""


@dataclass(frozen=True, slots=True)
class Transaction:
    """What musil holds."""

    managers: tuple[str, ...]
    coordinator: str = "waiting"
    heard: frozenset[int] = frozenset()
    prepared_sent: frozenset[int] = frozenset()
    commit_sent: bool = False
    abort_sent: bool = False


def count_with_minicheck(size: int) -> Counted:
    """Return what minicheck counts; ImportError without it, ValueError when it breaks off or refutes a claim."""
    minicheck = import_module("minicheck")
    model = minicheck.Protocol(
        name="two_phase_commit",
        candidate=False,
        fields=("managers", "coordinator", "heard", "prepared_sent", "commit_sent", "abort_sent"),
        initial=(("working",) * size, "waiting", 0, 0, False, False),
        transitions=successors,
        invariants={
            "managers_agree": lambda s: not ("committed" in s["managers"] and "aborted" in s["managers"]),
            "decisions_are_announced": lambda s: (
                (s["coordinator"] == "committed") == s["commit_sent"]
                and (s["coordinator"] == "aborted") == s["abort_sent"]
            ),
        },
    )
    started = process_time()
    found = minicheck.check_safety(model, max_states=_LIMIT)
    seconds = process_time() - started
    if not all(verdict["holds"] for verdict in found["properties"].values()):
        raise ValueError(f"minicheck: {found}")
    return Counted("minicheck", found["reachable_states"], seconds)


def count_with_ours(size: int) -> Counted:
    """Return what we count, lowering and witnesses included."""
    started = process_time()
    states = explore(safety(size)).states
    return Counted("gridproof", states, process_time() - started)


def successors(state: State) -> Iterator[tuple[str, State]]:
    """Yield each step of the protocol, named, with the state that it leads to."""
    managers, coordinator, heard, prepared_sent, commit_sent, abort_sent = state
    is_waiting = coordinator == "waiting"
    if is_waiting:
        yield "coordinator_aborts", (managers, "aborted", heard, prepared_sent, commit_sent, True)
        if heard == (1 << len(managers)) - 1:
            yield "coordinator_commits", (managers, "committed", heard, prepared_sent, True, abort_sent)
    for manager, standing in enumerate(managers):
        bit, before, after = 1 << manager, managers[:manager], managers[manager + 1 :]
        if is_waiting and prepared_sent & bit:
            yield "hears", (managers, coordinator, heard | bit, prepared_sent, commit_sent, abort_sent)
        if standing == "working":
            prepared = (*before, "prepared", *after)
            yield "prepares", (prepared, coordinator, heard, prepared_sent | bit, commit_sent, abort_sent)
            aborted = (*before, "aborted", *after)
            yield "chooses_to_abort", (aborted, coordinator, heard, prepared_sent, commit_sent, abort_sent)
        if commit_sent:
            ended = (*before, "committed", *after)
            yield "receives_commit", (ended, coordinator, heard, prepared_sent, commit_sent, abort_sent)
        if abort_sent:
            ended = (*before, "aborted", *after)
            yield "receives_abort", (ended, coordinator, heard, prepared_sent, commit_sent, abort_sent)


def count_with_musil(size: int) -> Counted:
    """Return what musil counts; ImportError without it, ValueError when it breaks off or refutes a claim."""
    musil = import_module("musil")
    model = musil.Model(
        init=Transaction(("working",) * size),
        actions=[
            musil.Action("coordinator_commits", lambda s: s.coordinator == "waiting" and len(s.heard) == size, commits),
            musil.Action("coordinator_aborts", lambda s: s.coordinator == "waiting", aborts),
            *(action for manager in range(size) for action in manager_actions(musil.Action, manager)),
        ],
        invariants={
            "managers_agree": lambda s: not ("committed" in s.managers and "aborted" in s.managers),
            "decisions_are_announced": lambda s: (
                (s.coordinator == "committed") == s.commit_sent and (s.coordinator == "aborted") == s.abort_sent
            ),
        },
    )
    started = process_time()
    found = musil.check(model, max_states=_LIMIT)
    seconds = process_time() - started
    if not found.ok or found.truncated:
        raise ValueError(f"musil: {found}")
    return Counted("musil", found.states_explored, seconds)


def commits(state: Transaction) -> Transaction:
    """Return the state in which the coordinator has committed and said so."""
    return replace(state, coordinator="committed", commit_sent=True)


def aborts(state: Transaction) -> Transaction:
    """Return the state in which the coordinator has aborted and said so."""
    return replace(state, coordinator="aborted", abort_sent=True)


def manager_actions(action: Callable[..., Any], manager: int) -> Iterator[Any]:
    """Yield what may happen with one manager, each made by musil's class of actions."""

    def standing(state: Transaction, word: str) -> tuple[str, ...]:
        return (*state.managers[:manager], word, *state.managers[manager + 1 :])

    def is_working(state: Transaction) -> bool:
        return state.managers[manager] == "working"

    def is_heard(state: Transaction) -> bool:
        return state.coordinator == "waiting" and manager in state.prepared_sent

    def prepares(state: Transaction) -> Transaction:
        return replace(state, managers=standing(state, "prepared"), prepared_sent=state.prepared_sent | {manager})

    yield action(f"{manager} is heard", is_heard, lambda s: replace(s, heard=s.heard | {manager}))
    yield action(f"{manager} prepares", is_working, prepares)
    yield action(f"{manager} chooses to abort", is_working, lambda s: replace(s, managers=standing(s, "aborted")))
    yield action(f"{manager} commits", lambda s: s.commit_sent, lambda s: replace(s, managers=standing(s, "committed")))
    yield action(f"{manager} aborts", lambda s: s.abort_sent, lambda s: replace(s, managers=standing(s, "aborted")))


TOOLS: tuple[tuple[str, Callable[[int], Counted]], ...] = (
    ("minicheck", count_with_minicheck),
    ("musil", count_with_musil),
)


def main() -> None:
    """Print ours and theirs, from turns taken one after the other."""
    installed = [count for name, count in TOOLS if find_spec(name) is not None]
    turns = [[count_with_ours(SIZE), *(count(SIZE) for count in installed)] for _ in range(_TURNS)]
    mine, *others = (min(counted, key=lambda one: one.seconds) for counted in zip(*turns, strict=True))
    rate = mine.states / mine.seconds
    print(f"two-phase commit, {SIZE} managers: gridproof {mine.states:,} states in {mine.seconds:.2f} s, {rate:,.0f}/s")
    for theirs in others:
        equal = "equal counts" if theirs.states == mine.states else f"but {theirs.tool} counts {theirs.states:,}"
        ratio = theirs.seconds / mine.seconds
        print(f"  {theirs.tool} {theirs.seconds:.2f} s: gridproof is {ratio:.0f} times as fast, {equal}")
    for name in [name for name, _ in TOOLS if find_spec(name) is None]:
        needed = "Python 3.12 and " if name == "musil" else ""
        print(f"  not compared: {name} is not installed (needs {needed}pip install '.[nightly]')")


if __name__ == "__main__":
    main()
