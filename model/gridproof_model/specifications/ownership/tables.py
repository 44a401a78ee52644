"""The first arrangement, and how tables reach the members."""

from gridproof_model.language import (
    BoolExpr,
    IndexExpr,
    IntExpr,
    Option,
    OptionExpr,
    Step,
    array_of,
    count,
    exists,
    for_all,
    if_else,
    smaller,
)
from gridproof_model.language.expressions import coerced
from gridproof_model.specifications.ownership.state import (
    MIGRATION,
    TABLE,
    Life,
    Outcome,
    Stage,
    active,
    arranged,
    backups,
    fetching,
    follows,
    holds,
    late,
    letters,
    life,
    listed,
    master,
    members,
    migrations,
    outcomes,
    plan,
    row,
    slots,
    specification,
    stage,
    version,
)
from gridproof_model.specifications.ownership.updates import finishes, is_diverged, takes_table
from gridproof_model.specifications.ownership.words import (
    committed_version,
    failed_version,
    group_of,
    is_in,
    is_running,
    master_works,
    may_own,
    migrated,
    takes_orders,
)


def _knows(member: IndexExpr, migration: IndexExpr) -> BoolExpr:
    succeeded = outcomes[master][migration] == Outcome.SUCCESS
    needed = if_else(succeeded, committed_version(migration), failed_version(migration))
    return (version[member] >= needed) & (active[member] != migration)


def _has_ended_one(member: IndexExpr) -> BoolExpr:
    return exists(
        migrations,
        lambda migration: (active[member] == migration) & (outcomes[master][migration] != Outcome.UNKNOWN),
    )


def _some(member: IndexExpr) -> OptionExpr[IndexExpr]:
    return coerced(member, Option(members))


def _slots_wanted() -> IntExpr:
    distinct = count(
        members,
        lambda member: (
            may_own(member)
            & for_all(
                members, lambda older: ~((older < member) & may_own(older) & (group_of(older) == group_of(member)))
            )
        ),
    )
    return smaller(distinct, backups + 1)


@specification.action(members, members, members, source="table.10, placement.11", fair=True)
def master_arranges(primary: IndexExpr, backup: IndexExpr, second_backup: IndexExpr) -> Step:
    """The master fills as many slots as there are groups: with members of different groups, else with any.

    Which member gets which slot is the placement's business. A slot that is not filled repeats the primary as its
    choice; slots after the third stay empty, and are filled by copies.
    """
    chosen = array_of(
        slots,
        lambda slot: if_else(
            slot.ordinal == 0,
            _some(primary),
            if_else(
                (slot.ordinal == 1) & (backup != primary),
                _some(backup),
                if_else((slot.ordinal == 2) & (second_backup != primary), _some(second_backup), None),
            ),
        ),
    )
    return Step(
        when=[
            master_works(),
            ~arranged,
            may_own(primary) & may_own(backup) & may_own(second_backup),
            (backup == primary) == (_slots_wanted() < 2),
            (second_backup == primary) == (_slots_wanted() < 3),
            (backup == primary) | (group_of(backup) != group_of(primary)),
            (second_backup == primary)
            | ((group_of(second_backup) != group_of(primary)) & (group_of(second_backup) != group_of(backup))),
        ],
        then=[
            row[master].becomes(chosen),
            version[master].becomes(smaller(_slots_wanted(), 3)),
            arranged.becomes(True),
            holds.becomes(array_of(members, lambda member: is_running(member) & is_in(chosen, member))),
        ],
    )


@specification.action(members, source="table.12, table.14; seed: Partition Table", fair=True)
def member_receives_table(member: IndexExpr) -> Step:
    """The newest table reaches a member.

    The master sends it after the first arrangement, a fetch, each promotion and each plan, and every send interval.
    """
    return Step(
        when=[
            master_works(),
            arranged,
            takes_orders(member),
            member != master,
            ~is_diverged(member, row[master], version[master]),
            (version[member] != version[master]) | (outcomes[member] != outcomes[master]) | _has_ended_one(member),
        ],
        then=takes_table(member, row[master], version[master], outcomes[master]),
    )


@specification.action(letters, members, members, source="table.12; defect HZ-13")
def table_is_sent_late(letter: IndexExpr, sender: IndexExpr, receiver: IndexExpr) -> Step:
    """A member that takes itself for the master sends its table, and the message stays under way."""
    return Step(
        when=[
            late[letter].sender.is_none,
            life[sender].is_in(Life.RUNNING, Life.LEAVING, Life.CUT_OFF),
            follows[sender] == sender,
            (sender != master) | (arranged & ~fetching),
            version[sender] > 0,
            is_running(receiver),
            receiver != sender,
        ],
        then=[
            late[letter].becomes(
                TABLE(
                    sender=sender,
                    receiver=receiver,
                    row=row[sender],
                    version=version[sender],
                    outcomes=outcomes[sender],
                )
            )
        ],
    )


@specification.action(letters, members, source="table.14", fair=True)
def late_table_arrives(letter: IndexExpr, member: IndexExpr) -> Step:
    """A table that was under way reaches a member that still takes its sender for the master."""
    table = late[letter]
    return Step(
        when=[
            table.receiver == member,
            is_running(member),
            table.sender == follows[member],
            ~is_diverged(member, table.row, table.version),
        ],
        then=[*takes_table(member, table.row, table.version, table.outcomes), late[letter].becomes(TABLE())],
    )


@specification.action(letters, source="table.9; invariant T1", fair=True)
def late_table_is_refused(letter: IndexExpr) -> Step:
    """A table is thrown away: its sender is not the receiver's master, it is diverged, or nobody is there."""
    table = late[letter]
    receiver = table.receiver.value
    return Step(
        when=[
            table.sender.is_some,
            ~is_running(receiver)
            | (table.sender != follows[receiver])
            | is_diverged(receiver, table.row, table.version),
        ],
        then=[late[letter].becomes(TABLE())],
    )


@specification.action(members, migrations, source="table.18; defect HZ-15", fair=True)
def member_hears_of_completed_migration(member: IndexExpr, migration: IndexExpr) -> Step:
    """A member that has the row from which a completed migration started makes the same change.

    One with another version answers false, and is sent the whole table.
    """
    succeeded = outcomes[master][migration] == Outcome.SUCCESS
    new_row = if_else(succeeded, migrated(row[member], migration), row[member])
    return Step(
        when=[
            master_works(),
            takes_orders(member),
            member != master,
            stage[migration] == Stage.ENDED,
            version[member] > 0,
            version[member] == plan[migration].initial,
        ],
        then=[
            row[member].becomes(new_row),
            version[member].becomes(if_else(succeeded, committed_version(migration), failed_version(migration))),
            *finishes(member, migration, new_row, outcomes[master][migration]),
        ],
    )


@specification.action(migrations, source="migration.12, table.19", fair=True)
def master_forgets_migration(migration: IndexExpr) -> Step:
    """Once every other listed member has acknowledged a completed migration, the master forgets it.

    The others drop it with the next message, which restricts what they remember to what it names; here at once.
    """
    return Step(
        when=[
            master_works(),
            stage[migration] == Stage.ENDED,
            for_all(members, lambda member: listed[member].implies(is_running(member) & _knows(member, migration))),
        ],
        then=[
            outcomes.becomes(array_of(members, lambda member: outcomes[member].store(migration, Outcome.UNKNOWN))),
            plan[migration].becomes(MIGRATION()),
            stage[migration].becomes(Stage.UNUSED),
            late.becomes(
                array_of(
                    letters,
                    lambda letter: late[letter].replace(
                        outcomes=late[letter].outcomes.store(migration, Outcome.UNKNOWN)
                    ),
                )
            ),
        ],
    )
