"""What members learn of each other: lists, suspicion, masters; and how they end."""

from gridproof_model.language import BoolExpr, IndexExpr, IntExpr, OptionExpr, Step, Update, array_of, count, if_else
from gridproof_model.language.expressions import coerced
from gridproof_model.specifications.tables.state import (
    PLACE,
    asked_at,
    changes_left,
    claiming,
    ended,
    endings_left,
    follows,
    granted,
    has_claimed,
    is_listed,
    may_lead,
    members,
    rank,
    specification,
    suspects,
)


@specification.action(members, members, source="members.2")
def member_is_listed(observer: IndexExpr, member: IndexExpr) -> Step:
    """A member has somebody at the end of its list from now on."""
    return Step(
        when=[changes_left > 0, ~is_listed(observer, member)],
        then=[
            changes_left.becomes(changes_left - 1),
            rank[observer][member].becomes(count(members, lambda other: is_listed(observer, other))),
        ],
    )


def removes(observer: IndexExpr, member: IndexExpr) -> list[Update]:
    """Return how a list is without somebody: those after it move up, and nothing more is awaited from it."""
    place = rank[observer][member]

    def without(other: IndexExpr) -> OptionExpr[IntExpr]:
        its = rank[observer][other]
        is_after = its.is_some & (place.value < its.value)
        return if_else(other == member, None, if_else(is_after, coerced(its.value - 1, PLACE), its))

    return [
        rank[observer].becomes(array_of(members, without)),
        suspects[observer][member].becomes(False),
        asked_at[observer][member].becomes(None),
    ]


@specification.action(members, members, source="members.14, members.2")
def member_is_removed(observer: IndexExpr, member: IndexExpr) -> Step:
    """A member has somebody in its list no more."""
    return Step(
        when=[changes_left > 0, is_listed(observer, member)],
        then=[changes_left.becomes(changes_left - 1), *removes(observer, member)],
    )


@specification.action(members, members, source="members.2")
def master_is_followed(observer: IndexExpr, master: IndexExpr) -> Step:
    """A member has taken a list, and with it a master: whoever is the first of it."""
    return Step(
        when=[changes_left > 0, follows[observer] != master, rank[observer][master] == 0],
        then=[changes_left.becomes(changes_left - 1), follows[observer].becomes(master)],
    )


@specification.action(members, members, source="members.14")
def member_is_suspected(observer: IndexExpr, member: IndexExpr) -> Step:
    """A member takes somebody of its list for gone."""
    return Step(
        when=[changes_left > 0, ~ended[observer], is_listed(observer, member), ~suspects[observer][member]],
        then=[changes_left.becomes(changes_left - 1), suspects[observer][member].becomes(True)],
    )


@specification.action(members, members, source="members.15")
def suspicion_is_cleared(observer: IndexExpr, member: IndexExpr) -> Step:
    """A member hears from somebody whom it took for gone."""
    return Step(
        when=[~ended[observer], suspects[observer][member]],
        then=[suspects[observer][member].becomes(False)],
    )


@specification.action(members, source="calls.3")
def member_ends(member: IndexExpr) -> Step:
    """A member crashes, leaves or merges: it does nothing more; what it sent stays under way."""
    return Step(
        when=[endings_left > 0, ~ended[member]],
        then=[endings_left.becomes(endings_left - 1), ended[member].becomes(True)],
    )


@specification.action(members, source="members.19")
def claim_begins(candidate: IndexExpr) -> Step:
    """A member that suspects everybody older asks the others to follow it, and follows itself first."""
    return Step(
        when=[
            ~ended[candidate],
            ~claiming[candidate],
            follows[candidate] != candidate,
            may_lead(candidate, candidate),
        ],
        then=[
            claiming[candidate].becomes(True),
            has_claimed[candidate].becomes(True),
            follows[candidate].becomes(candidate),
        ],
    )


@specification.action(members, members, source="members.20")
def claim_is_granted(member: IndexExpr, candidate: IndexExpr) -> Step:
    """A member that suspects everybody older than a candidate follows it."""
    return Step(
        when=[
            ~ended[member],
            has_claimed[candidate],
            follows[member] != member,
            member != candidate,
            may_lead(member, candidate),
        ],
        then=[follows[member].becomes(candidate), granted[candidate][member].becomes(True)],
    )


def stays(candidate: IndexExpr, member: IndexExpr) -> BoolExpr:
    """Return whether a candidate keeps somebody in its list: itself, and who has answered and is not suspected."""
    has_answered = granted[candidate][member] & ~suspects[candidate][member]
    return is_listed(candidate, member) & ((member == candidate) | has_answered)


@specification.action(members, source="members.22")
def claim_ends(candidate: IndexExpr) -> Step:
    """A candidate is the master of those that have answered; nobody else stays in its list."""

    def place_of(member: IndexExpr) -> OptionExpr[IntExpr]:
        its = rank[candidate][member]
        older = count(members, lambda other: stays(candidate, other) & (rank[candidate][other].value < its.value))
        return if_else(stays(candidate, member), coerced(older, PLACE), None)

    return Step(
        when=[~ended[candidate], claiming[candidate]],
        then=[
            claiming[candidate].becomes(False),
            rank[candidate].becomes(array_of(members, place_of)),
            suspects[candidate].becomes(
                array_of(members, lambda member: suspects[candidate][member] & stays(candidate, member))
            ),
        ],
    )
