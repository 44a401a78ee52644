"""Small specifications whose chains are known."""

from gridproof_model.language import BoolExpr, IndexExpr, Int, Specification, Step

copies = Specification("copies", "Copies fail alone and are repaired one at a time.", source="birth-death chain")
count = copies.constant("count", 2, "Copies.", least=1)
copy_index = copies.index("copy", count, ordered=True)
up = copies.variable("up", Int(0, count), "Copies that are up.", initial=count)


@copies.action(copy_index, source="birth-death chain")
def fails(copy: IndexExpr) -> Step:
    """A copy that is up fails."""
    return Step(when=[copy.ordinal < up], then=[up.becomes(up - 1)])


@copies.action(source="birth-death chain")
def is_repaired() -> Step:
    """One copy is repaired from another."""
    return Step(when=[up < count, up > 0], then=[up.becomes(up + 1)])


@copies.action(source="birth-death chain")
def begins_anew() -> Step:
    """All is lost, and all copies begin anew."""
    return Step(when=[up == 0], then=[up.becomes(count)])


@copies.sometimes(source="birth-death chain")
def all_are_lost() -> BoolExpr:
    """No copy is up."""
    return up == 0


@copies.always(source="birth-death chain")
def one_is_up() -> BoolExpr:
    """Some copy is up."""
    return up > 0


@copies.definition()
def some_is_down() -> BoolExpr:
    """Whether a copy is down."""
    return up < count
