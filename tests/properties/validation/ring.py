"""A small specification, and tables for its logs."""

from gridproof_model.language import (
    ANY,
    Array,
    BoolExpr,
    IndexExpr,
    Int,
    Specification,
    Step,
    all_of,
)

specification = Specification("counters", "Counters go up; one of them may be set back unseen.", source="a test")
size = specification.constant("size", 2, "How many counters.", least=1)
counters = specification.index("counter", size)
value = specification.variable("value", Array(counters, Int(0, 100)), "Of each counter.")
offset = specification.variable("offset", Int(0, 2), "What nobody knows.", initial=ANY)


@specification.action(counters, source="a test")
def counts(counter: IndexExpr) -> Step:
    """A counter goes up, up to ten above the offset."""
    return Step(when=[value[counter] < offset + 10], then=[value[counter].becomes(value[counter] + 1)])


@specification.action(counters, source="a test")
def is_set_back(counter: IndexExpr) -> Step:
    """A counter begins anew; nobody logs it."""
    return Step(when=[value[counter] > 0], then=[value[counter].becomes(0)])


@specification.may_stop
def always() -> BoolExpr:
    """Nothing has to happen."""
    return all_of()
