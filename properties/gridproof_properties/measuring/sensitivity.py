"""How much each rate moves an answer: the same question with one rate changed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from gridproof_model.language.rates import NEVER, Immediate, Rate, Staged, Timed
from gridproof_properties.measuring.measure import Measured, Measurement, Measurer, Question

INSTEAD_OF_NEVER: Mapping[str, Timed] = {"1/h": Timed(1 / 3600), "1/min": Timed(1 / 60), "1/s": Timed(1.0)}
"""How often an action happens in a variation that never does in the question."""
TIMES = ("half", 0.5), ("twice", 2.0)
"""By what any other rate is multiplied."""


@dataclass(frozen=True, slots=True)
class Variation:
    """One rate changed, and what was measured then."""

    action: str
    change: str
    """What became of its rate: "half as often", "twice as often", or how often in place of never."""
    rows: tuple[Measured, ...]


def variations(measurer: Measurer, found: Measurement) -> Iterator[Variation]:
    """Yield what each rate of a measured question moves; an action that is never possible moves nothing."""
    question = found.question
    for action, rate in question.rates.items():
        if rate != NEVER or action in found.never:
            for change, instead in _changed(rate):
                yield Variation(action, change, measurer.measure(_with(question, action, instead)).rows)


def _changed(rate: Rate) -> Iterator[tuple[str, Rate]]:
    match rate:
        case Timed() if rate == NEVER:
            yield from ((f"{word} in place of never", instead) for word, instead in INSTEAD_OF_NEVER.items())
        case Timed():
            yield from ((f"{word} as often", replace(rate, per_second=rate.per_second * by)) for word, by in TIMES)
        case Staged():
            yield from ((f"after {word} the time", replace(rate, mean_s=rate.mean_s * by)) for word, by in TIMES)
        case Immediate():
            yield from ((f"{word} the weight", Immediate(rate.weight * by)) for word, by in TIMES)


def _with(question: Question, action: str, rate: Rate) -> Question:
    return replace(question, rates={**question.rates, action: rate})
