"""What each system promises, by its name.

A trace names its system; whoever judges a trace puts what that system promises beside what was found.
"""

from collections.abc import Iterable, Mapping

from gridproof_implementation.adapter import Adapter, PromiseWord
from gridproof_implementation.adapters import find_adapter
from gridproof_model.trace import SIMULATED
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judging.verdict import PromiseLevel, Verdict

LEVELS = {PromiseWord.PROMISED: PromiseLevel.PROMISED, PromiseWord.WEAKNESS: PromiseLevel.WEAKNESS}
ADMITTED = frozenset(
    {
        "balance-after-loss",
        "balance-of-copies",
        "movement-of-copies",
        "copies-only-to-newcomer",
        "movement-after-loss",
        "linearizability",
    }
)
"""What the documented algorithms do not reach every time (placement.11, placement.13, placement.16, limits.1)."""
OF_AUDITS = frozenset(
    {
        "acknowledgement-means-copies",
        "acknowledged-write-on-every-copy",
        "no-needless-indeterminate",
        "promotion-without-loss",
        "writes-accepted-after-fault",
        "reads-accepted-after-fault",
        "redundancy-restored",
        "key-to-partition",
        "partition-in-range",
        "every-key-routed",
        "groups-apart-while-moving",
        "no-living-copy-dropped",
        "one-primary-answers",
        "living-member-stays-listed",
        "ended-member-is-removed",
        "shown-version-never-goes-back",
        "backup-not-ahead-of-primary",
        "acknowledged-writes-are-counted",
    }
)
"""What only an audit asks for: keys to be routed, single copies, reads right after a crash, what times are stated, and
what members show when they are polled."""
UNGROUPED = frozenset({"movement-of-primaries", "movement-only-to-newcomer"})
"""What is promised where each member is a partition group of its own (placement.16)."""
PROMISED_BY_THE_REFERENCE: Mapping[str, PromiseLevel] = {
    prop.name: (
        PromiseLevel.NONE
        if prop.name in OF_AUDITS
        else PromiseLevel.WEAKNESS
        if prop.name in ADMITTED
        else PromiseLevel.PROMISED
    )
    for prop in CATALOGUE
}
"""What simulated members are held to where each is a group of its own."""


def promised_by_the_reference(*, grouped: bool) -> Mapping[str, PromiseLevel]:
    """Return what simulated members are held to; less where several of them share a partition group."""
    if not grouped:
        return PROMISED_BY_THE_REFERENCE
    return {**PROMISED_BY_THE_REFERENCE, **dict.fromkeys(UNGROUPED, PromiseLevel.WEAKNESS)}


def promises_of(system: str, *, grouped: bool = False) -> Mapping[str, PromiseLevel]:
    """Return what a system promises, by property; empty for a system that nobody here knows."""
    if system == SIMULATED:
        return promised_by_the_reference(grouped=grouped)
    adapter = find_adapter(system)
    return {} if adapter is None else levels_of(adapter)


def levels_of(adapter: Adapter) -> Mapping[str, PromiseLevel]:
    """Return what a system promises where it is asked for everything, by property."""
    return {name: LEVELS[promise.word] for name, promise in adapter.promises.items()}


def promised_in(system: str, verdicts: Iterable[Verdict]) -> Mapping[str, PromiseLevel]:
    """Return what a system promises, or some verdicts on a run of it say that it does."""
    said = {one.property: one.promise for one in verdicts if one.promise is PromiseLevel.PROMISED}
    return {**promises_of(system), **said}
