"""What members learn about each other: lists, suspicion, masters; and how they start, end, or leave without loss.

A member that wants to leave asks the master, loses its replicas by migrations, and gets the answer that it may go. The
history variable `split` records whether a live member was treated as gone: most claims are promised only until then.
"""

from gridproof_model.language import *
from gridproof_model.language.expressions import coerced
from gridproof_model.specifications.ownership.state import *


def _changes() -> Update:
    return changes_left.becomes(if_else(any_way, changes_left - 1, changes_left))


def _may_change() -> BoolExpr:
    return ~any_way | (changes_left > 0)


def _heeds(observer: IndexExpr, member: IndexExpr) -> list[BoolExpr]:
    """Return the guards of a step in which an observer changes a member's place in its list, or its suspicion of it."""
    return [_may_change(), ~ended[observer], is_listed(observer, member)]


@specification.action(members, members, OneOf(Role), source="placement.1, placement.2")
def member_starts(member: IndexExpr, companion: IndexExpr, kind: EnumExpr[Role]) -> Step:
    """A member starts, as a data member or a lite member, in a group of its own or in the group of another member."""
    is_group = (companion == member) | (role[companion] != Role.ABSENT)
    return Step(
        when=[role[member] == Role.ABSENT, kind != Role.ABSENT, is_group],
        then=[
            role[member].becomes(kind),
            group[member].becomes(if_else(companion == member, member.ordinal, group[companion])),
        ],
    )


@specification.action(members, members, source="members.10")
def lite_member_is_promoted(master: IndexExpr, member: IndexExpr) -> Step:
    """A master turns a lite member of its list into a data member."""
    return Step(
        when=[is_master(master), is_listed(master, member), role[member] == Role.LITE],
        then=[role[member].becomes(Role.DATA)],
    )


@specification.action(members, source="calls.3")
def member_ends(member: IndexExpr) -> Step:
    """A member crashes, or ends to merge, without asking: it does nothing more, but its messages stay under way."""
    return Step(
        when=[endings_left > 0, role[member] != Role.ABSENT, ~ended[member]],
        then=[endings_left.becomes(endings_left - 1), ended[member].becomes(True), holds[member].becomes(False)],
    )


@specification.action(members, members, source="members.2, members.5")
def member_is_listed(observer: IndexExpr, member: IndexExpr) -> Step:
    """An observer appends to its list a member that a master has let join."""
    is_let_in = any_way | (works(observer) & follows[member].is_none & ~ended[member])
    is_new = ~is_listed(observer, member)
    return Step(
        when=[_may_change(), ~ended[observer], role[member] != Role.ABSENT, is_new, is_let_in],
        then=[_changes(), rank[observer][member].becomes(count(members, lambda other: is_listed(observer, other)))],
    )


def removes(observer: IndexExpr, member: IndexExpr) -> list[Update]:
    """Return the updates of an observer that removes a member: later members move up; no answer of it is awaited."""
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


@specification.action(members, members, source="members.14, members.2", fair=True)
def ended_member_is_removed(observer: IndexExpr, member: IndexExpr) -> Step:
    """An observer removes a member that has ended from its list."""
    return Step(
        when=[*_heeds(observer, member), ended[member], any_way | is_master(observer)],
        then=[_changes(), *removes(observer, member)],
    )


@specification.action(members, members, source="members.14, members.2")
def member_is_removed(observer: IndexExpr, member: IndexExpr) -> Step:
    """An observer removes a live member from its list: the member was treated as gone, or another list has arrived."""
    of_another = any_way | (is_master(observer) & (observer != member))
    return Step(
        when=[doubts_left > 0, *_heeds(observer, member), ~ended[member], of_another],
        then=[_changes(), doubts_left.becomes(doubts_left - 1), split.becomes(True), *removes(observer, member)],
    )


@specification.action(members, members, source="members.2")
def master_is_followed(observer: IndexExpr, master: IndexExpr) -> Step:
    """A member has taken a list that contains it, and follows the first member of the list as its master.

    Without a split, the member had no master yet, no other member is master, and if it follows itself, none has joined.
    """
    is_another = exists(members, lambda other: (other != master) & is_master(other))
    another_has_joined = exists(members, lambda other: (other != observer) & ~ended[other] & follows[other].is_some)
    is_in_it = is_listed(observer, observer)
    is_news = follows[observer] != master
    is_first = rank[observer][master] == 0
    are_split = split | follows[observer].is_some | is_another | ((observer == master) & another_has_joined)
    return Step(
        when=[any_way, changes_left > 0, ~ended[observer], is_news, is_first, is_in_it],
        then=[changes_left.becomes(changes_left - 1), follows[observer].becomes(master), split.becomes(are_split)],
    )


@specification.action(members, members, source="members.2, members.5, table.8", fair=True)
def list_arrives(observer: IndexExpr, master: IndexExpr) -> Step:
    """A member takes the list of its master, or of the master that has let it join."""
    takes_it = [(follows[observer] == master) | follows[observer].is_none, rank[observer] != rank[master]]
    suspected = array_of(members, lambda member: suspects[observer][member] & is_listed(master, member))
    return Step(
        when=[
            ~any_way,
            ~ended[observer],
            observer != master,
            is_master(master),
            is_listed(master, observer),
            *takes_it,
        ],
        then=[
            rank[observer].becomes(rank[master]),
            follows[observer].becomes(master),
            suspects[observer].becomes(suspected),
        ],
    )


@specification.action(members, members, source="members.14", fair=True)
def ended_member_is_suspected(observer: IndexExpr, member: IndexExpr) -> Step:
    """An observer suspects a member of its list that has ended."""
    return Step(
        when=[*_heeds(observer, member), ~suspects[observer][member], ended[member]],
        then=[_changes(), suspects[observer][member].becomes(True)],
    )


@specification.action(members, members, source="members.14")
def member_is_suspected(observer: IndexExpr, member: IndexExpr) -> Step:
    """An observer suspects a live member of its list."""
    is_news = ~suspects[observer][member]
    return Step(
        when=[doubts_left > 0, *_heeds(observer, member), is_news, ~ended[member], any_way | (observer != member)],
        then=[_changes(), doubts_left.becomes(doubts_left - 1), suspects[observer][member].becomes(True)],
    )


@specification.action(members, members, source="members.15", fair=True)
def suspicion_is_cleared(observer: IndexExpr, member: IndexExpr) -> Step:
    """An observer hears from a member that it suspected, and clears the suspicion."""
    return Step(
        when=[~ended[observer], suspects[observer][member], any_way | ~ended[member]],
        then=[suspects[observer][member].becomes(False)],
    )


@specification.action(members, source="members.19", fair=True)
def claim_begins(candidate: IndexExpr) -> Step:
    """A member that suspects all older members asks the others to follow it; it follows itself first."""
    return Step(
        when=[~ended[candidate], ~claiming[candidate], follows[candidate] != candidate, may_lead(candidate, candidate)],
        then=[
            claiming[candidate].becomes(True),
            has_claimed[candidate].becomes(True),
            follows[candidate].becomes(candidate),
            split.becomes(split | exists(members, is_master)),
        ],
    )


@specification.action(members, members, source="members.20", fair=True)
def claim_is_granted(member: IndexExpr, candidate: IndexExpr) -> Step:
    """A member that suspects all members older than a candidate follows the candidate.

    A member may follow the candidate after the claim is over: then the claim has left out a live member.
    """
    is_asked = [has_claimed[candidate], follows[member] != member, is_listed(member, member), member != candidate]
    return Step(
        when=[~ended[member], *is_asked, may_lead(member, candidate)],
        then=[
            follows[member].becomes(candidate),
            granted[candidate][member].becomes(True),
            split.becomes(split | ((follows[member] != candidate) & ~claiming[candidate])),
        ],
    )


def stays(candidate: IndexExpr, member: IndexExpr) -> BoolExpr:
    """Return whether a candidate keeps a member in its list: itself, or a member that answered and is not suspected."""
    has_answered = granted[candidate][member] & ~suspects[candidate][member]
    return is_listed(candidate, member) & ((member == candidate) | has_answered)


@specification.definition(members)
def is_known(member: IndexExpr) -> BoolExpr:
    """Some member has this member in its list."""
    return exists(members, lambda observer: is_listed(observer, member))


@specification.action(members, source="members.22", fair=True)
def claim_ends(candidate: IndexExpr) -> Step:
    """A candidate becomes the master of the members that have answered; no others stay in its list.

    Without a split, every live member that is in any list has answered, and still follows the candidate.
    """

    def place_of(member: IndexExpr) -> OptionExpr[IntExpr]:
        its = rank[candidate][member]
        older = count(members, lambda other: stays(candidate, other) & (rank[candidate][other].value < its.value))
        return if_else(stays(candidate, member), coerced(older, PLACE), None)

    def is_missing(member: IndexExpr) -> BoolExpr:
        return ~ended[member] & is_known(member) & ~(stays(candidate, member) & (follows[member] == candidate))

    suspected = array_of(members, lambda member: suspects[candidate][member] & stays(candidate, member))
    return Step(
        when=[~ended[candidate], claiming[candidate]],
        then=[
            claiming[candidate].becomes(False),
            must_fetch[candidate].becomes(True),
            rank[candidate].becomes(array_of(members, place_of)),
            suspects[candidate].becomes(suspected),
            split.becomes(split | exists(members, is_missing)),
        ],
    )


@specification.action(members, source="leaving.1, leaving.2")
def member_asks_to_leave(member: IndexExpr) -> Step:
    """A member asks its master for permission to leave, repeatedly; a lite member leaves at once."""
    another_runs = exists(members, lambda other: ~ended[other] & (other != member) & follows[other].is_some)
    can_ask = any_way | (follows[member].is_some & another_runs)
    return Step(
        when=[leaves_left > 0, ~ended[member], role[member] != Role.ABSENT, ~leaving[member], can_ask],
        then=[
            leaves_left.becomes(leaves_left - 1),
            leaving[member].becomes(True),
            let_go[member].becomes(let_go[member] | (~any_way & (role[member] == Role.LITE))),
        ],
    )


@specification.action(members, members, source="leaving.4, leaving.5; invariant S1; defect HZ-76", fair=True)
def leave_is_answered(master: IndexExpr, member: IndexExpr) -> Step:
    """A master lets a member that asked to leave end: the member has no slot in the master's row and will get none."""
    is_in_no_order = for_all(
        migrations, lambda migration: (underway[master] != migration) | (plan[migration].destination != member)
    )
    is_known_to_be_free = works(master) & is_listed(master, member)
    may_answer = any_way | (is_known_to_be_free & ~let_go[member] & ~ended[member])
    return Step(
        when=[is_master(master), may_answer, leaving[member], ~is_in(row[master], member), is_in_no_order],
        then=[let_go[member].becomes(True), departs(is_known_to_be_free)],
    )


@specification.action(members, members, source="leaving.6", fair=True)
def all_are_let_go(master: IndexExpr, member: IndexExpr) -> Step:
    """All data members in a master's list asked to leave: no data can be saved, and each member that asks may go."""
    nobody_stays = ~exists(members, lambda other: may_own(master, other) & ~leaving[other])
    waits = leaving[member] & ~let_go[member] & ~ended[member]
    return Step(
        when=[works(master), is_listed(master, member), waits, nobody_stays],
        then=[let_go[member].becomes(True), gives_up.becomes(True)],
    )


@specification.action(members, source="leaving.9", fair=True)
def member_goes(member: IndexExpr) -> Step:
    """A member that was permitted to leave ends."""
    return Step(when=[let_go[member], ~ended[member]], then=[ended[member].becomes(True), holds[member].becomes(False)])
