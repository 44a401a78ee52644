"""What a world never puts to the test.

A claim is vacuous where it is kept because nothing happens that it speaks of: no premise of it ever holds, or no step
assigns what it reads. It is true, and it says nothing; whoever reads verdicts is shown that.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from gridproof_model.language.lowered import LoweredClaim, Premise
from gridproof_model.language.specification import variables_in
from gridproof_properties.explorer.exploration import ClaimVerdict
from gridproof_properties.judging.verdict import Result

EMPTY = "says nothing here: the constants of this world alone make it true"


def marked(
    verdict: ClaimVerdict, lowered: LoweredClaim, occurs: Callable[[Premise], bool], idle: Sequence[str]
) -> ClaimVerdict:
    """Return the verdict on a claim, marked where nothing or not everything of it was tested in all states.

    `occurs` says whether a premise holds in some state; `idle` names the variables that no step assigns.
    """
    if lowered.is_empty:
        return replace(verdict, sentence=EMPTY, is_empty=True)
    if verdict.result is not Result.HOLDS:
        return verdict
    untested = list(dict.fromkeys(premise.text for premise in lowered.premises if not occurs(premise)))
    read = variables_in(lowered.claim.condition)
    if read and read <= set(idle):
        why = f"no step assigns what it speaks of ({', '.join(sorted(read))})"
        return replace(verdict, sentence=f"{verdict.sentence}, but {why}", is_vacuous=True)
    if not untested:
        return verdict
    is_vacuous = not any(map(occurs, lowered.premises))
    more = f" (and {len(untested) - 1} more)" if len(untested) > 1 else ""
    why = f"{'nothing tests it' if is_vacuous else 'a part is not tested'}: no state has {untested[0]}{more}"
    return replace(verdict, sentence=f"{verdict.sentence}, but {why}", untested=tuple(untested), is_vacuous=is_vacuous)
