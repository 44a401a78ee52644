"""Specifications of nothing in particular, small, with a constant for every option that sets one.

Of three kinds, as options distinguish them: symmetric with a progress claim, without one, and without a symmetry.
"""

from gridproof_model.language import (
    BoolExpr,
    IndexExpr,
    IndexSet,
    Int,
    IntExpr,
    LeadsTo,
    Set,
    SetExpr,
    Specification,
    Step,
    count,
    exists,
    for_all,
    leads_to,
)
from gridproof_model.language.expressions import wrap
from gridproof_model.language.tree import Variable


def lamps(name: str, *, ordered: bool = False, progress: bool = True, few: bool = False) -> Specification:
    """Return a specification in which lamps are lit, and some are counted; where `few` may be, a claim is false."""
    made = Specification(name, "Lamps are lit, and some are counted.", source="a test")
    members = made.constant("members", 2, "How many lamps there are.", least=1)
    backups = made.constant("backups", 1, "How many are counted in front.")
    writes = made.constant("writes", 1, "How many are counted behind.")
    size = made.constant("size", 1, "How many are counted besides.")
    lamp = made.index("lamp", members, ordered=ordered)
    lit = made.variable("lit", Set(lamp), "Lamps that are lit.")
    counted = made.variable("counted", Int(0, backups + writes + size), "How many were counted.")

    @made.definition()
    def left() -> IntExpr:
        """How many are not counted yet."""
        return backups + writes + size - counted

    @made.action(lamp, source="a test", fair=True)
    def one_is_lit(one: IndexExpr) -> Step:
        """A lamp is lit."""
        return Step(when=[~lit[one]], then=[lit[one].becomes(True)])

    @made.action(source="a test")
    def one_is_counted() -> Step:
        """One more is counted."""
        return Step(when=[left() > 0], then=[counted.becomes(counted + 1)])

    @made.may_stop
    def it_is_over() -> bool:
        """A behaviour may end anywhere."""
        return True

    @made.always(source="a test")
    def none_is_counted_twice() -> BoolExpr:
        """There are no more than there are."""
        return counted <= backups + writes + size

    @made.always(source="a test")
    def none_is_less() -> BoolExpr:
        """A count is not negative."""
        return counted < 1 if few else counted >= 0

    @made.sometimes(source="a test")
    def all_are_counted() -> BoolExpr:
        """All were counted."""
        return left() == 0

    _claim_of_light(made, lamp, lit, progress=progress)
    return made


def _claim_of_light(made: Specification, lamp: IndexSet, lit: SetExpr, *, progress: bool) -> None:
    """Claim that all lamps are lit at times, and, where it is wanted, that they are in the end."""

    @made.definition()
    def unlit() -> IntExpr:
        """How many lamps are not lit."""
        return count(lamp, lambda one: ~lit[one])

    @made.sometimes(source="a test")
    def all_are_lit() -> BoolExpr:
        """All lamps are lit."""
        return for_all(lamp, lambda one: lit[one])

    if progress:

        @made.eventually(source="a test")
        def light_spreads() -> LeadsTo:
            """Once a lamp is lit, all are."""
            return leads_to(exists(lamp, lambda one: lit[one]), for_all(lamp, lambda one: lit[one]))


symmetric = lamps("symmetric")
safe = lamps("safe", progress=False)
whole = lamps("whole", ordered=True)
few, few_safe, few_whole = (
    lamps("few", few=True), lamps("few_safe", progress=False, few=True), lamps("few_whole", ordered=True, few=True),
)  # fmt: skip
SAME = {one.name: wrap(Variable(one.name, one.domain)) for one in safe.variables}
"""The view of a specification by itself."""
COUNTED = {"counted": SAME["counted"]}
"""The view of what is counted, the light left out."""
