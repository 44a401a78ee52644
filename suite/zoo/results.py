"""Searches for planted bugs, as files for a CI server.

One test case per mutant: found is passed, survived is a failure, no run that met its precondition is an error, as the
exit status has them; unproved and not found is skipped.
"""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gridproof.ci.in_ci import JUNIT, SARIF
from gridproof.output.result_files import write_result
from suite.zoo.member_mutant import MemberMutant
from suite.zoo.mutation_search import MutationSearch

if TYPE_CHECKING:
    from gridproof.ci.junit import Case


def write_zoo_results(searches: Sequence[MutationSearch], asked: int, arguments: argparse.Namespace) -> None:
    """Write the files that were asked for; of searches that were asked for and not ended JUnit has one error."""
    if arguments.junit is not None:
        from gridproof.ci.junit import ERROR, Case, Suite, junit_text  # imported now: most write none

        cases = [_case(one) for one in searches]
        if len(searches) < asked:
            sentence = f"interrupted; these are {len(searches)} of {asked} mutants"
            cases.append(Case("interrupted", ERROR, "unknown", sentence))
        suite = Suite("zoo", cases, sum(case.seconds or 0.0 for case in cases))
        write_result(JUNIT, arguments.junit, junit_text("python -m suite zoo", [suite]))
    if arguments.sarif is not None:
        from gridproof.ci.sarif import result, sarif_text  # as above

        rules = [_rule(one.member_mutant) for one in searches]
        results = [
            result(one.member_mutant.number, place, "error", f"{_named(one)} survived: {_text(one)}", system="zoo",
                   of=("zoo", one.member_mutant.number))
            for place, one in enumerate(searches)
            if one.kill is None and one.member_mutant.is_proved and not one.unmet
        ]  # fmt: skip
        write_result(SARIF, arguments.sarif, sarif_text("zoo", ["members"], rules, results))


def _case(one: MutationSearch) -> "Case":
    from gridproof.ci.junit import ERROR, FAILURE, SKIPPED, Case

    seconds = sum(search.seconds for search in one.searches)
    if one.kill is not None:
        return Case(_named(one), seconds=seconds)
    if not one.member_mutant.is_proved:
        return Case(_named(one), SKIPPED, "", "not found; without a witness perhaps no bug", seconds=seconds)
    if one.unmet:
        sentence = f"no run met {' or '.join(one.unmet)}; --budget gives it more runs"
        return Case(_named(one), ERROR, "unknown", sentence, _text(one), seconds)
    return Case(_named(one), FAILURE, "survived", "it survived", _text(one), seconds)


def _named(one: MutationSearch) -> str:
    return f"{one.member_mutant.number} {one.member_mutant.name}"


def _text(one: MutationSearch) -> str:
    mutant = one.member_mutant
    runs = sum(search.runs for search in one.searches)
    guard = f" {mutant.guard}" if mutant.guard else ""
    noticers = " or ".join(mutant.breaks)
    return f"{mutant.rule} ({mutant.source}) Nobody noticed in {runs:,} runs, though {noticers} should.{guard}"


def _rule(mutant: MemberMutant) -> dict[str, object]:
    from gridproof.ci.sarif import rule  # imported now: most write none

    text = f"{mutant.rule} Source: {mutant.source}. {' or '.join(mutant.breaks)} should notice."
    made = rule(mutant.number, mutant.name, mutant.rule, text, "error")
    return made | {"properties": {"tags": [mutant.defect_class], "precision": "very-high"}}
