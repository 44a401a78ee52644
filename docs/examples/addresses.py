"""Members that crash and return, each by itself: the exact reading of what whole grids simulate.

Every member has a copy, so that everything is gone once all are down at one time.
`gridproof measure addresses.py --set members=3 --rate crashes=1/300s --rate returns=1/2s --time 60s`
"""

from gridproof_model.language import Array, Bool, BoolExpr, IndexExpr, Specification, Step, for_all

specification = Specification("addresses", "Members crash and return, each by itself.", source="an example")
members = specification.constant("members", 3, "Members, each with a copy of everything.", least=1)
addresses = specification.index("address", members)
is_up = specification.variable("is_up", Array(addresses, Bool()), "Who is up.", initial=True)


@specification.action(addresses, source="an example")
def crashes(address: IndexExpr) -> Step:
    """A member crashes."""
    return Step(when=[is_up[address]], then=[is_up[address].becomes(False)])


@specification.action(addresses, source="an example")
def returns(address: IndexExpr) -> Step:
    """A member returns, and is given a copy at once."""
    return Step(when=[~is_up[address]], then=[is_up[address].becomes(True)])


@specification.sometimes(source="an example")
def everything_is_lost() -> BoolExpr:
    """All members are down."""
    return for_all(addresses, lambda address: ~is_up[address])
