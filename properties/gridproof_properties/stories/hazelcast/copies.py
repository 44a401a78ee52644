"""What the copies of a partition contain, and what reads of them return.

After a promotion two copies have equal versions and different content, and no check finds this. Four stories show
copies with equal versions and different content: a write that is lost on its way to the first backup, played with four
members and with three; writes whose backup messages are lost for longer than their callers wait for them; and a crash
during a load, in which no message is held.

- An increment is applied twice at a backup, because a sync overtakes the increment's backup message.
- The answer to a sync is handled late, and takes a backup back to its state before a write that it had acknowledged.
- A member that reads from backups reads a newer value, and after it an older one.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import partial

from gridproof_implementation.adapter import WriteAnswer
from gridproof_model.trace import Outcome
from gridproof_properties.stories.setting import QUICK_CHECKS, QUICK_GIVE_UP, STRICT, NotPlayedError, Setting
from gridproof_properties.stories.situations import pair, partitions_of, put_and_lose_its_backup
from gridproof_properties.stories.stage import SYNC_REQUEST, Row, Stage, ended_ok
from gridproof_properties.stories.story import PlayedOnce, Story, happened_if, refuted, story

CHECKS_S = 5.0
USUAL_CHECKS_S = 35.0
"""A time in which at least one check of versions comes: there is one every 30 s."""
LOST_S = 6.0
"""How long backup messages are lost: a caller waits for them for 5 s, and then the call succeeds without them."""
WRITES = 40
"""The number of writes in each partition, each to a different key, all made at the same time."""
PART_DONE = 0.3
"""The share of writes that are done when the member is killed."""
_Found = Sequence[tuple[int, Row]]


def play_lost_once(stage: Stage) -> PlayedOnce:
    """Lose a write on its way to the first backup, end the primary, and make another write."""
    found, firsts = _puts_without_backup(stage, count=1)
    stage.await_that(lambda: all(_holds(stage, row, partition) for partition, row in found), "the second backups")
    stage.note(f"the first write is with the second backup of {len(found)} partitions, and lost to the first backup")
    stage.crash(stage.members[-1])
    for call in firsts:
        call.result()
    return _write_and_compare(stage, found, 1, CHECKS_S)


def play_lost_for_long(stage: Stage) -> PlayedOnce:
    """Lose the messages to the first backup until each write is acknowledged, end the primary, and write again."""
    found, firsts = _puts_without_backup(stage)
    stage.wait(LOST_S)
    done = sum(call.result().outcome is Outcome.OK for call in firsts)
    stage.note(f"{done} of {len(firsts)} writes are acknowledged, and none is with the first backup")
    if not done:
        raise NotPlayedError("no write was acknowledged before its backup had it; play the story again")
    stage.crash(stage.members[-1])
    return _write_and_compare(stage, found, 1, USUAL_CHECKS_S)


def play_under_load(stage: Stage) -> PlayedOnce:
    """Kill a member while its own clients write, write once more, and compare the copies at rest."""
    primary = stage.members[-1]
    found = partitions_of(stage, primary)
    keys = [stage.key(partition, 1 + number) for number in range(WRITES) for partition, _ in found]
    calls = [stage.begin_put(key, "first", primary) for key in keys]
    stage.await_that(lambda: sum(call.done() for call in calls) >= PART_DONE * len(calls), "the first writes")
    stage.crash(primary)
    done = sum(call.result().outcome is Outcome.OK for call in calls)
    stage.note(f"{done} of {len(calls)} writes were acknowledged")
    uneven = [(partition, row) for partition, row in found if _is_uneven(stage, row, partition)]
    if not uneven:
        raise NotPlayedError(f"in all {len(found)} partitions both backups are equal; play the story again")
    return _write_and_compare(stage, uneven, WRITES, CHECKS_S)


def _puts_without_backup(stage: Stage, count: int | None = None) -> tuple[_Found, list[Future[WriteAnswer]]]:
    """Start a put in each partition of the youngest member; lose `count` messages to each first backup, or all."""
    primary = stage.members[-1]
    found = partitions_of(stage, primary)
    for partition, row in found:
        assert row[1] is not None
        stage.drop("Backup", at=row[1], sender=primary, partition=partition, count=count)
    return found, [stage.begin_put(stage.key(partition, 0), "first", primary) for partition, _ in found]


def _write_and_compare(stage: Stage, found: _Found, writes: int, checks_s: float) -> PlayedOnce:
    """Write to other keys of these partitions, let checks come, and find the partitions in which a backup has the
    primary's versions but different content."""
    stage.await_rest()
    for partition, _ in found:
        for number in range(writes):
            stage.put(stage.key(partition, 1 + writes + number), "second", stage.members[0])
    stage.wait(checks_s)
    stage.await_rest()
    kept = [one for partition, row in found if (one := _differs(stage, row, partition)) is not None]
    if not kept:
        raise NotPlayedError("in no partition did the second backup stay a backup to the end; play the story again")
    partitions = f"{sum(kept)} of {len(kept)} partitions"
    return happened_if(any(kept), f"in {partitions} a backup had, at rest, its primary's versions but other content")


def _holds(stage: Stage, row: Row, partition: int) -> bool:
    return row[2] is not None and stage.key(partition, 0) in stage.copy(row[2], partition).entries


def _is_uneven(stage: Stage, row: Row, partition: int) -> bool:
    """Whether the two backups hold different entries, now that no member sends them any updates."""
    first, second = ({} if one is None else stage.copy(one, partition).entries for one in row[1:3])
    return first != second


def _differs(stage: Stage, before: Row, partition: int) -> bool | None:
    """Whether the former second backup has its primary's version but other content; None if it is no backup now."""
    row = stage.rows(stage.members[0])[partition]
    second = before[2]
    if second is None or row[0] is None or second not in row[1:]:
        return None
    index = row.index(second) - 1
    primary, backup = stage.copy(row[0], partition), stage.copy(second, partition)
    return primary.versions[index] == backup.versions[index] and primary.entries != backup.entries


_FINDING = "Replication: after a promotion, equal versions can hide a difference for ever"
_CLAIM = "a copy that is not dirty and has its primary's versions has its primary's content"
_SEEN = (
    "a write is lost on its way to the first backup, the primary crashes, and the first backup is promoted and"
    " executes another write; then it and the second backup have equal versions, but different contents"
)
_HELD = "one backup message of each partition is lost with its sender, as in a crash"


def _setting(members: int, properties: Mapping[str, str] = QUICK_CHECKS) -> Setting:
    return Setting(members=members, backups=2, async_backups=1, properties=properties)


_equal = partial(Story, finding=_FINDING, claim=_CLAIM)
HIDE = _equal("equal-versions-hide", seen=_SEEN, held=_HELD, setting=_setting(4), play=play_lost_once)
OF_THREE = _equal(
    "equal-versions-of-three", seen=f"with three members, {_SEEN}", held=_HELD, setting=_setting(3), play=play_lost_once
)
LOST_FOR_LONG = _equal(
    "equal-versions-lost-for-long",
    seen="a primary's messages to its first backup are lost for longer than the caller of a write waits, so the write"
    " is acknowledged; the primary crashes, and the first backup is promoted and executes another write; then it and"
    " the second backup have equal versions, but different contents",
    held=f"the backup messages of each primary to its first backup are lost for {LOST_S:.0f} s, as by a cut link",
    setting=_setting(4, {}),
    play=play_lost_for_long,
)
UNDER_LOAD = _equal(
    "equal-versions-under-load",
    seen="a member is killed while its own clients write: in some partition, a backup keeps its primary's versions but"
    " other content",
    setting=_setting(4),
    play=play_under_load,
    by_chance=True,
)


@story(
    finding="Replication: an increment counts twice when a sync overtakes its backup message",
    claim="anti-entropy repairs updates that backups missed",
    seen=(
        "one message is lost, and a sync is answered while the next increment's backup message is under way: the"
        " backup counts one increment too many, for good"
    ),
    held="one backup message is lost; the next one waits until an urgent message has overtaken it, as the lanes allow",
    setting=Setting(members=2, callers=1, properties={**QUICK_CHECKS, **QUICK_GIVE_UP}),
)
def increment_counts_twice(stage: Stage) -> PlayedOnce:
    """Lose the backup message of a first increment, hold that of a second, and let a sync bring both increments."""
    partition, primary, backup = pair(stage)
    key = stage.key(partition)
    stage.drop("Backup", at=backup, sender=primary, partition=partition, count=1)
    requests = stage.hold(SYNC_REQUEST, at=primary, sender=backup)
    first = stage.begin_increment(key, stage.caller)
    requests.await_met()
    first.result()
    held = stage.hold("Backup", at=backup, sender=primary, partition=partition)
    second = stage.begin_increment(key, stage.caller)
    held.await_met()
    stage.note("the first increment's backup is lost, the second's is under way, and a sync is asked for")
    requests.release()
    stage.await_that(lambda: stage.copy(backup, partition).entries.get(key) == "2", "the sync")
    held.release()
    second.result()
    stage.wait(CHECKS_S)
    stage.await_rest()
    here, there = (stage.copy(one, partition) for one in (primary, backup))
    stage.note(f"at rest the versions are {here.versions[0]} and {there.versions[0]}")
    is_so = here.versions[0] == there.versions[0] and here.entries[key] != there.entries[key]
    return happened_if(
        is_so, f"after two increments the primary had {here.entries[key]}, and its backup had {there.entries[key]}"
    )


@story(
    finding="Replication: an acknowledged write depends on draining the urgent lane first",
    claim="a write that all backups acknowledged survives as many crashes as there are backups",
    seen=(
        "an older sync answer is accepted after a newer backup message: the acknowledged write is gone from the backup,"
        " and after the next crash also from the grid"
    ),
    held=(
        "one backup message is lost; the answer of the sync waits until a later normal message has overtaken it, which"
        " happens only in a member that takes a normal message before an urgent one"
    ),
    setting=Setting(members=2, callers=1, properties=STRICT),
    out_of_order=True,
)
def answer_takes_back(stage: Stage) -> PlayedOnce:
    """Lose a backup message, hold the answer of the sync, have a strict put acknowledged, and deliver the answer."""
    partition, primary, backup = chosen = pair(stage)
    first = put_and_lose_its_backup(stage, chosen)
    answer = stage.hold("PartitionReplicaSyncResponse", at=backup, sender=primary, partition=partition)
    stage.put(stage.key(partition, 1), "new", stage.caller)
    answer.await_met()
    key = stage.key(partition, 2)
    if not ended_ok(stage.begin_put(key, "new", stage.caller)):
        return refuted("the put behind the sync was not acknowledged")
    had = key in stage.copy(backup, partition).entries
    answer.release()
    stage.wait(0.5)
    has = key in stage.copy(backup, partition).entries
    stage.note(
        f"the backup {'had' if had else 'had not'} the acknowledged write, and {'has' if has else 'has not'} now"
    )
    stage.crash(primary)
    first.result()
    stage.await_rest()
    after = stage.get(key, stage.caller)
    return happened_if(
        had and after.value is None, f"after one crash, a read of the acknowledged strict put returned {after.value!r}"
    )


@story(
    finding="A read from a backup goes back",
    claim="reads from backups are monotonic",
    seen="a backup without an entry asks the primary, and then gets an older write, so that the next read is older",
    held="one backup message is late, and the next one is lost",
    setting=Setting(members=2, async_backups=1, reads_backups=True),
)
def backup_read_goes_back(stage: Stage) -> PlayedOnce:
    """Delay the backup message of one put, lose that of the next, and read at the backup before and after."""
    partition, primary, backup = pair(stage)
    key = stage.key(partition)
    late = stage.hold("Backup", at=backup, sender=primary, partition=partition, count=1)
    stage.put(key, "older", primary)
    late.await_met()
    lost = stage.drop("Backup", at=backup, sender=primary, partition=partition, count=1)
    stage.put(key, "newer", primary)
    lost.await_met()
    first = stage.get(key, backup).value
    late.release()
    stage.await_that(lambda: key in stage.copy(backup, partition).entries, "the first backup")
    second = stage.get(key, backup).value
    return happened_if((first, second) == ("newer", "older"), f"the reader got {first!r} first, and then {second!r}")
