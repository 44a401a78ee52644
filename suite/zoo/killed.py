"""Which mutants each property has killed.

Made of what mutants and mutations say that they break; `tests/suite` holds that each of them does.
"""

from collections.abc import Mapping

from suite.zoo import TRACE_MUTATIONS, ZOO, mutated_polls, mutated_simulations, mutated_steps
from suite.zoo.members import MEMBER_MUTANTS

OTHER_RUNS = (mutated_simulations, mutated_steps, mutated_polls)


def bugs_killed() -> dict[str, list[Mapping[str, str | None]]]:
    """Return, by property, the planted bugs that break it; a property that killed none is not there.

    Of each its number, as `zoo` takes it, if it has one; its name; the rule that it follows instead, or what it changes
    in the records; and the real defect it stands for, or the rule it breaks.
    """
    found: dict[str, list[Mapping[str, str | None]]] = {}
    for mutant in (*MEMBER_MUTANTS, *ZOO):
        number = getattr(mutant, "number", None)
        bug = {"number": number, "name": mutant.name, "what": mutant.rule, "source": mutant.source}
        for name in mutant.breaks:
            found.setdefault(name, []).append(bug)
    for one in (*TRACE_MUTATIONS, *(mutation for module in OTHER_RUNS for mutation in module.TRACE_MUTATIONS)):
        for name in one.breaks:
            bug = {"number": None, "name": one.name, "what": one.change, "source": one.source}
            found.setdefault(name, []).append(bug)
    return dict(sorted(found.items()))
