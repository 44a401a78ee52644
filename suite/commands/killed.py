"""`python -m suite killed`: makes the installed lists of the planted bugs that each property has killed.

The list of the properties that mutants declare to break is written at once. The matrix of the properties that notice a
mutant in runs takes long: its rows are made only for the mutants that are named, from runs of theirs that are judged to
their end by all judges.

The row of a mutant has every property that some run of the mutant breaks while the reference keeps it there: for a
mutant of the zoo, the runs are its witness and drawn runs; for a blind mutant, they are drawn runs that reach the
changed place. Each row is written when it is finished, so that the whole matrix can be made in parts. The list is made
from the declarations of mutants and trace mutations; `tests/suite` checks that each mutant and each trace mutation
breaks the properties that its declaration names.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from pathlib import Path

import gridproof
from gridproof.output.folders import write_result
from gridproof.output.progress import show_progress
from gridproof.time_limit import limited
from gridproof_properties.exit_status import ExitStatus
from suite.blind.attack import noticed_in
from suite.blind.mutations import BlindMutant
from suite.blind.search import BlindSearch, draw, every_mutant
from suite.blind.unseen import write_rows
from suite.reach.measure import VARIED, Progress, measure
from suite.reach.survey import survey
from suite.zoo import TRACE_MUTATIONS, ZOO, mutated_polls, mutated_simulations, mutated_steps
from suite.zoo.members import MEMBER_MUTANTS
from suite.zoo.mutant import MemberMutant
from suite.zoo.mutation_search import new_in
from suite.zoo.named import chosen_mutants

FILE = Path(gridproof.__file__).with_name("killed.json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `killed`."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME",
        help="mutants whose runs are judged to the end by everything: of the zoo by number or name, blind ones by id, "
        f"or the seed of a draw of {DRAWN} (default: none, only the list)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Write the lists from which `gridproof properties` prints what each property has killed, and what no other has."""
    blind = blind_named(arguments.names)
    named = [name for name in arguments.names if name not in blind]
    with show_progress("who notices") as report, limited() as limit:
        for one in chosen_mutants(named) if named else ():
            _add(one.number, row_of(one))
        if blind:
            for name, noticed in rows_of_blind([one for some in blind.values() for one in some], report):
                _add(name, noticed)
    write_result("killed", FILE, text())
    print(f"list    {FILE}")
    return limit.status_of_part(ExitStatus.HOLDS)


def _add(name: str, noticed: frozenset[str]) -> None:
    add_row(name, noticed)
    print(f"{name}: {', '.join(sorted(noticed)) or 'nobody'}", flush=True)


def text() -> str:
    """Return the text of the list's file."""
    return json.dumps(bugs_killed(), indent=1, ensure_ascii=False) + "\n"


NOTICED = Path(gridproof.__file__).with_name("noticed.json")
RUNS = 20
"""The number of runs of each mutant that are judged, besides its witness."""
DRAWN = 60
"""The number of blind mutants in one draw."""
MEASURED = 400
"""The number of runs that are measured to find out which runs reach each place."""


def rows_written() -> dict[str, Sequence[str]]:
    """Return the rows written so far, by the number or id of the mutant."""
    rows: dict[str, Sequence[str]] = json.loads(NOTICED.read_text(encoding="utf-8"))
    return rows


def add_row(name: str, noticed: frozenset[str]) -> None:
    """Write one row; it replaces an older row of the same mutant."""
    write_rows(NOTICED, {**rows_written(), name: sorted(noticed)})


def row_of(mutant: MemberMutant, runs: int = RUNS) -> frozenset[str]:
    """Return the properties that notice a mutant of the zoo in runs."""
    found = set[str]()
    if mutant.witness is not None:
        with mutant.plant():
            found.update(verdict.property for verdict in mutant.witness())
    for seed in range(runs):
        with mutant.plant():
            find = mutant.search(seed)
        found.update(verdict.property for verdict in new_in(find, mutant.search, seed))
    return frozenset(found)


def rows_of_blind(mutants: Sequence[BlindMutant], progress: Progress) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield, for each blind mutant, the properties that notice it; mutants that no measured run reaches are left
    out."""
    search = BlindSearch(survey(), measure(range(MEASURED), 1, progress, play=VARIED), inf)
    for one in mutants:
        if seeds := search.seeds_reaching(one)[:RUNS]:
            yield one.id, noticed_in(one, seeds)


def blind_named(names: Sequence[str]) -> Mapping[str, Sequence[BlindMutant]]:
    """Return the blind mutants that each name stands for: those that a seed draws, or the mutant with an id."""
    mutants = every_mutant()
    by_id = {one.id: [one] for one in mutants}
    drawn = {name: draw(mutants, DRAWN, int(name)) for name in names if name.isdecimal()}
    return drawn | {name: by_id[name] for name in names if name in by_id}


OTHER_RUNS = (mutated_simulations, mutated_steps, mutated_polls)


def bugs_killed() -> dict[str, list[Mapping[str, str | None]]]:
    """Return, for each property that has killed any, the planted bugs that break the property.

    Each bug has its number, as `zoo` accepts it, if it has one; its name; what it does instead of following a rule, or
    its change in the records; and the real defect that it stands for, or the rule that it breaks.
    """
    found: dict[str, list[Mapping[str, str | None]]] = {}
    proved = [one for one in MEMBER_MUTANTS if one.is_proved]  # of the others no run is known that breaks anything
    for mutant in (*proved, *ZOO):
        number = getattr(mutant, "number", None)
        bug = {"number": number, "name": mutant.name, "what": mutant.rule, "source": mutant.source}
        for name in mutant.breaks:
            found.setdefault(name, []).append(bug)
    for one in (*TRACE_MUTATIONS, *(mutation for module in OTHER_RUNS for mutation in module.TRACE_MUTATIONS)):
        for name in one.breaks:
            bug = {"number": None, "name": one.name, "what": one.change, "source": one.source}
            found.setdefault(name, []).append(bug)
    return dict(sorted(found.items()))
