"""History: one write and one term that are looked at, and what has happened to them. No guard reads any of it.

A claim about the content of all copies is not inductive; one about the copies of one write is, and says the same where
the write is left open. The term begins with the first write, or with a promotion, and ends when anything but its
leader's own writes changes what the leader holds. Conditions of claims are what events state: that a message came
twice, that an answer was installed that had less, that a sync was given up.
"""

from gridproof_model.language import (
    Bool,
    BoolExpr,
    IndexExpr,
    Int,
    IntExpr,
    Option,
    OptionExpr,
    Set,
    Update,
    element_at,
    first,
    if_else,
    larger,
    smaller,
)
from gridproof_model.specifications.replication.state import (
    Transfer,
    backup_count,
    backups,
    is_watching,
    members,
    replica,
    replicas,
    specification,
    sync_backups,
    transfer,
    version_vectors,
    watched_term,
    writes,
)

leader = specification.variable("leader", Option(members), "History: who leads the term that is looked at.")
promotions = specification.variable("promotions", Int(0, watched_term), "History: how often somebody was promoted.")
was_written = specification.variable("was_written", Bool(), "History: whether the leader executed the watched write.")
written_at = specification.variable("written_at", version_vectors, "History: the leader's versions with that write.")
expected = specification.variable("expected", Int(0, sync_backups), "History: acknowledgements that were promised.")
received = specification.variable(
    "received", Int(0, sync_backups + 1), "History: acknowledgements that came; one too many counts for all."
)
acknowledged = specification.variable(
    "acknowledged",
    Set(members),
    "History: who acknowledged the watched write as a follower, and has followed since.",
)
took_back = specification.variable("took_back", Bool(), "History: whether an answer with less was installed.")
was_repeated = specification.variable("was_repeated", Bool(), "History: whether a message came twice.")
was_abandoned = specification.variable(
    "was_abandoned", Bool(), "History: whether a sync was given up, or overtaken by a copy or another sync."
)
was_disturbed = specification.variable(
    "was_disturbed", Bool(), "History: whether anything happened but writes, checks and what follows from them."
)


def notes(flag: BoolExpr, happened: BoolExpr = is_watching) -> Update:
    """Return the update that notes that something has happened."""
    return flag.becomes(flag | (is_watching & happened))


def some(member: IndexExpr) -> OptionExpr[IndexExpr]:
    """Return a member, where there might be none."""
    return first(members, lambda other: other == member)


def term_ends(member: IndexExpr, stands: BoolExpr | None = None) -> Update:
    """Return the update after which a member leads no more: its replica changes, and not by a write of its own."""
    is_over = leader == member if stands is None else (leader == member) & ~stands
    return leader.becomes(if_else(is_watching & is_over, None, leader))


def is_emptied(member: IndexExpr) -> list[Update]:
    """Return the updates of who forgets what it held: it leads no more, and its acknowledgement is void.

    Who held nothing goes on following.
    """
    held_nothing = is_watching & (replica[member] == replicas(follows=True))
    return [
        replica[member].becomes(replicas(follows=held_nothing)),
        term_ends(member),
        acknowledged[member].becomes(acknowledged[member] & ~is_watching),
    ]


def fits(member: IndexExpr, slot: IntExpr) -> BoolExpr:
    """Return whether what a member holds is known of a slot: its entry is that of the coldest backup."""
    versions = replica[member].versions
    own = element_at(backups, larger(slot - 1, 0))
    return versions[own] == versions[element_at(backups, backup_count - 1)]


def with_update(held: IntExpr, number: IntExpr) -> IntExpr:
    """Return what the entry looked at holds after an update; 0 is an update of another entry."""
    applied = if_else(transfer == Transfer.STATE, number, smaller(held + 1, writes * 2))
    return if_else(is_watching & (number > 0), applied, held)
