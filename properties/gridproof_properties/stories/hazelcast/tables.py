"""What members forget of the partition table, or wrongly take for failed.

- A batch sent before the master knew of a commit makes the destination forget the commit: two rows have one version.
- In the same way, the destination forgets a commit of slot 0: then two rows with one version name two primaries.
- Because of an earlier failed migration, a new master refuses the row that was committed since, and repairs nothing.
"""

from gridproof_model.membership import Member
from gridproof_properties.stories.setting import NotPlayedError, Setting
from gridproof_properties.stories.situations import (
    FORGETS_A_COMMIT,
    HELD_TO_FORGET_A_COMMIT,
    Forgotten,
    forget_a_commit,
)
from gridproof_properties.stories.stage import Stage
from gridproof_properties.stories.story import PlayedOnce, happened, happened_if, refuted, story


@story(
    finding="A table sent before a commit was known makes its destination forget the commit",
    claim="equal row versions mean equal rows, and a migration is committed or rolled back by all members",
    seen=(
        "the member that will be the next master commits a migration and forgets the commit; as master it counts the"
        " migration as failed, so that master and primary have different backups in rows of one version, and one crash"
        " loses an acknowledged put"
    ),
    held=HELD_TO_FORGET_A_COMMIT,
    setting=FORGETS_A_COMMIT,
)
def table_forgets_a_commit(stage: Stage) -> PlayedOnce:
    """Move a backup to the next master, make it forget that, and see whether the primary's next put survives."""
    for number in range(stage.setting.partitions):
        stage.put(stage.key(number), "old", stage.members[0])
    at = forget_a_commit(stage, slot=1)
    return happened(f"{at.seen}; {_put_and_crash(stage, at)}") if at.differs else refuted(at.seen)


def _put_and_crash(stage: Stage, at: Forgotten) -> str:
    """Make a put, end the primary, and return in words whether the put survived."""
    key = stage.key(at.partition)
    answer = stage.put(key, "new", at.primary)
    held = stage.holders(at.partition, key, "new")
    stage.crash(at.primary)
    stage.await_rest()
    read = stage.get(key, stage.elders[1]).value
    ends = f"a put ended with {answer.outcome.value}; holders of its value: {held}"
    return f"{ends}; after the primary's crash, a read returned {read!r}"


@story(
    finding="A table sent before a commit was known makes its destination forget the commit",
    claim="a write is accepted by at most one primary",
    seen="the member that will be the next master takes slot 0 over and forgets this; as master it counts the migration"
    " as failed, so that two members execute writes",
    held=HELD_TO_FORGET_A_COMMIT,
    setting=FORGETS_A_COMMIT,
)
def table_makes_two_primaries(stage: Stage) -> PlayedOnce:
    """Move a primary to the next master, make it forget that, and put through both members that act as primary."""
    at = forget_a_commit(stage, slot=0)
    return _put_through_both(stage, at) if at.differs else refuted(at.seen)


def _put_through_both(stage: Stage, at: Forgotten) -> PlayedOnce:
    key, heir = stage.key(at.partition), stage.elders[1]
    ended = [stage.put(key, stage.name_of(through), through).outcome.value for through in (at.primary, heir)]
    reads = [stage.get(key, through).value for through in (at.primary, heir)]
    puts = f"puts through both primaries ended with {' and '.join(ended)}; reads returned {reads[0]!r} and {reads[1]!r}"
    return happened_if(reads[0] != reads[1], f"{at.seen}; {puts}")


FAILURE_S = 40.0
KNOWN_S = 15.0
REPAIR_S = 15.0
TAKEOVER_S = 3.0
"""Enough time for a new master to fetch and repair the tables; if it cannot do so, it logs some 15 MB a second."""
TIMEOUTS = {"partition.migration.timeout": "2", "operation.call.timeout.millis": "4000"}
"""With these timeouts a migration that is not answered fails after six seconds; by default, after six minutes."""


@story(
    finding="An old failed migration lets a new master overlook a committed row",
    claim="a new master goes on from the highest version of each row that a reachable member has",
    seen=(
        "a migration fails, and is committed later; the next master knows only of the failure, keeps the old row, and"
        " no longer repairs the table"
    ),
    held=(
        "data on its way to the new data member is lost once, so that its migrations fail; their commits wait until the"
        " next master knows of the failure; from then on the next master gets no messages from the master, and a"
        " member without data gets none at all, as on slow links"
    ),
    setting=Setting(members=2, elders=2, callers=2, properties=TIMEOUTS),
)
def old_failure_overlooks(stage: Stage) -> PlayedOnce:
    """Make the migrations to a new data member fail once, commit them without the next master's knowledge, and end the
    master."""
    master, heir = stage.elders
    newcomer, slow = stage.callers
    stage.hold(None, at=slow, sender=master)
    partition = _commit_behind_a_failure(stage, newcomer)
    committed = stage.view(newcomer)[partition].slots
    if stage.view(heir)[partition].slots == committed:
        learned = f"{stage.name_of(heir)} learned of the commit, which it must not do in this story"
        raise NotPlayedError(f"{learned}; play the story again")
    if (partition, "FAILED") not in stage.completed(heir):
        forgot = f"{stage.name_of(heir)} forgot the failed migration, which it must not do in this story"
        raise NotPlayedError(f"{forgot}; play the story again")
    _crash(stage, master, observer=heir)
    seen = stage.shown(partition)
    stage.note(seen)
    if stage.view(heir)[partition].slots == committed:
        return refuted(f"the new master has the committed row: {seen}")
    return happened(f"{seen}; {_crash_another(stage, heir)}")


def _commit_behind_a_failure(stage: Stage, newcomer: Member) -> int:
    """Return a partition that the new member took over, though the next master knows only an earlier failure of it."""
    master, heir = stage.elders
    lost = [stage.drop("MigrationOperation", at=newcomer, sender=sender) for sender in stage.members]
    commits = stage.hold("MigrationCommitOperation", at=newcomer)
    before = stage.view(heir)
    stage.promote(newcomer)
    stage.await_that(lambda: stage.view(master) != before, "a migration to fail", FAILURE_S)
    for one in lost:
        one.release()
    stage.await_that(lambda: stage.view(heir) != before, "the next master to know of a failure", KNOWN_S)
    failed = [number for number, row in enumerate(stage.view(heir)) if row != before[number]]
    stage.note(f"{stage.name_of(heir)} knows that migrations of partitions {failed} failed")
    stage.hold(None, at=heir, sender=master)
    commits.release()

    def committed() -> list[int]:
        return [number for number in failed if stage.view(newcomer)[number].slots[0] == newcomer.id]

    stage.await_that(lambda: bool(committed()), "a commit")
    stage.note(f"{stage.name_of(newcomer)} is the primary of {committed()}, and {stage.name_of(heir)} hears nothing")
    return committed()[0]


def _crash_another(stage: Stage, heir: Member) -> str:
    """End a data member, then the new master, and return which member then repairs the rows."""
    staying, gone = stage.members

    def unowned() -> int:
        return sum(row[0] in (gone, None) for row in stage.rows(staying))

    _crash(stage, gone, observer=staying)
    dead = unowned()
    stage.crash(heir)
    all_have_one = stage.comes_about(lambda: unowned() == 0, REPAIR_S)
    after = f"after the new master has ended, {'all partitions have one' if all_have_one else 'this is unchanged'}"
    return f"{TAKEOVER_S:.0f} s after the next crash {dead} partitions have no living primary; {after}"


def _crash(stage: Stage, gone: Member, observer: Member) -> None:
    """End a member, and give the master the time that it needs for repairs."""
    before = stage.listed(observer)
    stage.crash(gone)
    stage.await_that(lambda: stage.listed(observer) < before, f"{stage.name_of(gone)} to be off the list")
    stage.wait(TAKEOVER_S)
