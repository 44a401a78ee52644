"""What the success or failure of a call guarantees: how many copies have its write.

- A member without a slot departs, and this counts as the acknowledgement of the backup that a strict call waits for.
- A strict call succeeds with only one copy, because the row of its partition has a hole.
- A write is sent to no backup, though a living backup has a slot after a hole in the row.
- A backup message arrives after its sender has lost slot 0 and got it back with a copy that lacks the write.
- Strict calls fail as indeterminate, although every copy has what they wrote.
- A call succeeds with the response of an attempt that it had given up, although no member has the call's effect.
- Acknowledgements for a former caller at an address confirm calls of the caller that is at the address now.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait

from gridproof_implementation.adapter import WriteAnswer
from gridproof_model.membership import Member
from gridproof_model.trace import Outcome
from gridproof_properties.stories.setting import STRICT, NotPlayedError, Setting
from gridproof_properties.stories.situations import crash_and_leave_a_hole, pair, put_and_lose_its_backup
from gridproof_properties.stories.stage import SYNC_REQUEST, Stage, ended_ok
from gridproof_properties.stories.story import PlayedOnce, happened_if, refuted, story

STAYING = 3
"""The number of members that are not ended: the primary, the backup and the caller."""
OFF_S = 4.0
"""The time within which the uninvolved member is ended, before the caller stops waiting for the backup."""


@story(
    finding="Indeterminate mode: a stranger's departure counts as a backup",
    claim="a strict call that succeeds was executed on the primary and on the specified number of backups",
    seen=(
        "a strict put succeeds when a member without a slot crashes; the put's backup does not have the value, and"
        " one more crash loses it"
    ),
    held="the backup message of the put is held at its backup, as on a slow network",
    setting=Setting(members=3, callers=1, properties=STRICT),
)
def stranger_counts(stage: Stage) -> PlayedOnce:
    """Hold the backup message of a strict put, and end a member that has nothing to do with the put."""
    partition, primary, backup = pair(stage, with_master=True)
    stranger = next(one for one in stage.members if one not in (primary, backup))
    key, names = stage.key(partition), (stage.name_of(primary), stage.name_of(backup))
    held = stage.hold("Backup", at=backup, sender=primary, partition=partition)
    call = stage.begin_put(key, "new", stage.caller)
    held.await_met()
    stage.note(f"{names[0]} has executed the put, its message to {names[1]} is under way")
    stage.crash(stranger)
    stage.await_that(lambda: stage.listed(stage.caller) == STAYING, "the stranger to be off the caller's list", OFF_S)
    stage.note(f"{stage.name_of(stage.caller)} has it off its list")
    if not ended_ok(call):
        return refuted(f"the call failed: {call.result().detail}")
    holders = stage.holders(partition, key, "new")
    stage.note(f"the call succeeds; the value is with {holders}")
    stage.crash(primary)
    stage.await_rest()
    after = stage.get(key, stage.caller)
    stage.note(f"at rest the value reads {after.value!r}")
    is_so = holders == names[0] and after.value is None
    read = f"after one crash, a read returned {after.value!r}"
    return happened_if(is_so, f"the strict call succeeded; holders of its value: {holders}; {read}")


@story(
    finding="Indeterminate mode: a stranger's departure counts as a backup",
    claim="a strict call that succeeds was executed on the primary and on the specified number of backups",
    seen="a strict put succeeds with one copy, because its backup was removed and is not yet replaced",
    held="the requests to migrate are held at the primary, as on a slow network",
    setting=Setting(members=3, callers=1, properties=STRICT),
)
def hole_in_row(stage: Stage) -> PlayedOnce:
    """End a backup, hold the migrations that would replace it, and make a put."""
    hole = crash_and_leave_a_hole(stage, slot=1)
    key = stage.key(hole.partition)
    answer = stage.put(key, "new", stage.caller)
    if answer.outcome is not Outcome.OK:
        return refuted(f"the call failed: {answer.detail}")
    holders = stage.holders(hole.partition, key, "new")
    return happened_if(
        holders == stage.name_of(hole.primary), f"the strict call succeeded, and member {holders} alone had its value"
    )


@story(
    finding="Replication: a call may succeed on no backup while a live one stands by",
    claim="a successful call was executed on the primary and on the specified number of backups",
    seen=(
        "there are one sync and one async backup, and the sync backup is dead: a put is sent to no backup and succeeds;"
        " the primary crashes, and the put is lost"
    ),
    held="the requests to migrate are held at the primary, as on a slow network",
    setting=Setting(members=3, callers=1, backups=2, async_backups=1),
)
def no_backup_while_one_lives(stage: Stage) -> PlayedOnce:
    """End the first backup, hold the migrations that would replace it, make a put, and end the primary."""
    hole = crash_and_leave_a_hole(stage, slot=1)
    second = hole.row[2]
    assert second is not None
    key = stage.key(hole.partition)
    answer = stage.put(key, "new", stage.caller)
    if answer.outcome is not Outcome.OK:
        return refuted(f"the call failed: {answer.detail}")
    holders = stage.holders(hole.partition, key, "new")
    stage.note(f"the put succeeds; the value is with {holders}, and {stage.name_of(second)} lives")
    stage.crash(hole.primary)
    stage.await_rest()
    after = stage.get(key, stage.caller)
    is_so = holders == stage.name_of(hole.primary) and after.value is None
    read = f"after the next crash, a read returned {after.value!r}"
    return happened_if(is_so, f"the put succeeded, and member {holders} alone had its value; {read}")


@story(
    finding="Replication: where members are fewer than copies, one async backup can leave a write without any backup",
    claim="a successful call was executed on the primary, and on each sync backup for which there is a member",
    seen=(
        "two members hold a map of two sync backups and one async backup: a put is sent to no backup, although the row"
        " names one, and succeeds; the primary crashes, and the put is lost"
    ),
    setting=Setting(members=2, callers=1, backups=3, async_backups=1),
)
def no_backup_of_few_members(stage: Stage) -> PlayedOnce:
    """Make a put while the row names one backup of three, and end the primary."""
    primary = stage.members[1]
    partition, row = stage.partition(lambda row: row[0] == primary and row[1] is not None)
    key = stage.key(partition)
    answer = stage.put(key, "new", stage.caller)
    if answer.outcome is not Outcome.OK:
        return refuted(f"the call failed: {answer.detail}")
    holders = stage.holders(partition, key, "new")
    stage.note(f"the put succeeds; the value is with {holders}, and the row's backup is {stage.name_of(row[1])}")
    stage.crash(primary)
    stage.await_rest()
    after = stage.get(key, stage.caller)
    is_so = holders == stage.name_of(primary) and after.value is None
    read = f"after the next crash, a read returned {after.value!r}"
    return happened_if(is_so, f"the put succeeded, and member {holders} alone had its value; {read}")


WAITS_S = 120
"""How long a strict call waits for its backup: longer than the story takes; the default of Hazelcast is 5 s."""
LATE = {"operation.backup.timeout.millis": str(WAITS_S * 1000)}
MOVED_S = 40.0
"""How long the migrations after a join or a crash may last."""
STILL_S = 2.0
"""If rows stay the same for this long, they count as arranged; in a longer wait, anti-entropy would repair a copy."""


@story(
    finding="Indeterminate mode: a backup message that outlives its owner's term",
    claim="a strict call that succeeds was executed on the primary and on the specified number of backups",
    seen=(
        "slot 0 goes to a newcomer, which crashes, and then back to the first owner without the write; then the first"
        " backup message arrives, and the call succeeds although only the backup has its value"
    ),
    held="the backup messages of the puts are held at their backup, as on a slow network",
    setting=Setting(members=2, callers=1, partitions=271, properties={**STRICT, **LATE}, calls_end_within_s=WAITS_S),
)
def backup_outlives_term(stage: Stage) -> PlayedOnce:
    """Hold the backup messages of many puts, let new members take slots and crash, and deliver the messages."""
    # Newcomers take each primary's lowest partitions, so the partitions with partition 0's row leave their owner twice.
    pair = stage.rows(stage.members[0])[0]
    owner, backup = (one for one in pair if one is not None)
    names = stage.name_of(owner), stage.name_of(backup)
    own = [number for number, _ in stage.partitions(lambda row: row == pair)]
    held = stage.hold("Backup", at=backup, sender=owner)
    calls = {number: stage.begin_put(stage.key(number), "new", stage.caller) for number in own}
    held.await_met(len(own))
    stage.note(f"{names[0]} has executed {len(own)} puts, its messages to {names[1]} are under way")
    promoted = _lend(stage, own, heir=backup)
    lost = [number for number in promoted if stage.holders(number, stage.key(number), "new") == "nobody"]
    stage.note(f"nobody has the write of {len(lost)} of them")
    back = _lend(stage, lost, heir=owner)
    if not back:
        there_and_back = f"from {names[0]} to a newcomer, from there to {names[1]}, and by another newcomer back"
        raise NotPlayedError(f"slot 0 of no partition moved {there_and_back}; play the story again")
    held.release()
    return _answered(stage, owner, {number: calls[number] for number in back})


def _lend(stage: Stage, partitions: Sequence[int], heir: Member) -> Sequence[int]:
    """Let a new member take slot 0 of some partitions and crash, so that the heir is promoted; return these
    partitions."""
    first = stage.members[0]
    newcomer = stage.join()
    name = stage.name_of(newcomer)
    _await_rows(stage, first, lambda: newcomer in {row[0] for row in stage.rows(first)})
    rows = stage.rows(first)
    lent = [number for number in partitions if tuple(rows[number]) == (newcomer, heir)]
    stage.note(f"{name} has slot 0 of {len(lent)} of them, and {stage.name_of(heir)} slot 1")
    stage.crash(newcomer)
    _await_rows(stage, first, lambda: all({None, newcomer}.isdisjoint(row) for row in stage.rows(first)))
    rows = stage.rows(first)
    found = [number for number in lent if rows[number][0] == heir]
    stage.note(f"{stage.name_of(heir)} has slot 0 of {len(found)} of them")
    return found


def _answered(stage: Stage, owner: Member, calls: Mapping[int, Future[WriteAnswer]]) -> PlayedOnce:
    """Return how the calls ended, and which members have what the calls wrote."""
    ended = {number for number, call in calls.items() if ended_ok(call)}
    if not ended:
        return refuted(f"all {len(calls)} calls failed: {next(iter(calls.values())).result().detail}")
    held = [stage.holders(number, stage.key(number), "new") for number in sorted(ended)]
    where = ", ".join(f"{held.count(names)} of their values were on {names}" for names in sorted(set(held)))
    reads = [stage.get(stage.key(number), stage.caller).value for number in ended]
    found = f"{len(ended)} of {len(calls)} strict calls succeeded; {where}"
    stage.note(f"{found}; {reads.count(None)} keys read as nothing")
    is_so = any(stage.name_of(owner) not in names for names in held)
    return happened_if(is_so, found)


def _await_rows(stage: Stage, observer: Member, are_there: Callable[[], bool]) -> None:
    """Wait until the rows are as they should be and then stay the same for a while."""
    stage.await_that(are_there, "the first migrations", MOVED_S)
    looks = [stage.rows(observer)]

    def are_still() -> bool:
        stage.wait(STILL_S)
        looks.append(stage.rows(observer))
        return looks[-1] == looks[-2]

    stage.await_that(are_still, "migrations to end", MOVED_S)


OVERTAKEN = 3


@story(
    finding="Indeterminate mode: reported as indeterminate, and on every copy",
    claim="IndeterminateOperationStateException means that a backup may lack the write",
    seen=(
        "a sync overtakes backup messages, which are then stale and not acknowledged: calls fail although"
        " every copy has their writes"
    ),
    held="one backup message is lost; others wait until an urgent message has overtaken them, as the lanes allow",
    setting=Setting(members=2, callers=1, properties=STRICT),
)
def answered_indeterminate(stage: Stage) -> PlayedOnce:
    """Lose a backup message, let a sync be requested, and let the sync's answer overtake three more messages."""
    partition, primary, backup = chosen = pair(stage)
    first = put_and_lose_its_backup(stage, chosen)
    requests = stage.hold(SYNC_REQUEST, at=primary, sender=backup)
    stage.put(stage.key(partition, 1), "new", stage.caller)
    requests.await_met()
    held = stage.hold("Backup", at=backup, sender=primary, partition=partition)
    keys = [stage.key(partition, 2 + number) for number in range(OVERTAKEN)]
    calls = [stage.begin_put(key, "new", stage.caller) for key in keys]
    held.await_met(OVERTAKEN)
    stage.note(f"{OVERTAKEN} backups are under way, and a sync is asked for")
    requests.release()
    stage.await_that(lambda: all(key in stage.copy(backup, partition).entries for key in keys), "the sync")
    held.release()
    stage.note("the sync brought all; then the backups arrive")
    failed = [call.result() for call in calls if call.result().outcome is not Outcome.OK]
    first.result()
    copies = [stage.copy(one, partition).entries for one in (primary, backup)]
    everywhere = all(key in copy for key in keys for copy in copies)
    sentence = f"{len(failed)} of {OVERTAKEN} strict puts failed ({failed[0].detail if failed else 'none'})"
    return happened_if(bool(failed) and everywhere, f"{sentence}; both copies have the values of all {OVERTAKEN}")


@story(
    finding="A finished call can be finished by an attempt it had given up",
    claim="only the reply to its last attempt ends a call",
    seen="the primary answers and crashes, the retried request is lost, and the call succeeds with the first answer",
    held="one backup message and one request are lost, each as by a broken connection",
    setting=Setting(members=3, callers=1),
)
def earlier_attempt_answers(stage: Stage) -> PlayedOnce:
    """Drop the backup message, end the primary after it has answered, and drop the request of the next attempt."""
    partition, primary, backup = pair(stage, primary_is_not=stage.members[0])
    key = stage.key(partition)
    lost = stage.drop("Backup", at=backup, sender=primary, partition=partition, count=1)
    call = stage.begin_put(key, "new", stage.caller)
    lost.await_met()
    stage.wait(0.3)
    stage.note(f"{stage.name_of(primary)} has executed and answered; the backup message is lost")
    again = stage.drop("SetOperation", at=backup, sender=stage.caller, partition=partition)
    stage.crash(primary)
    again.await_met()
    stage.note(f"the request is retried at {stage.name_of(backup)}, and lost")
    if not ended_ok(call):
        return refuted(f"the call failed: {call.result().detail}")
    holders = stage.holders(partition, key, "new")
    stage.note(f"the call succeeds; the value is with {holders}")
    again.release()
    stage.await_rest()
    after = stage.get(key, stage.caller)
    is_so = holders == "nobody" and after.value is None
    read = f"at rest, a read returns {after.value!r}"
    return happened_if(is_so, f"the put succeeded, and {holders} had its value; {read}")


CALLS = 300


@story(
    finding="A strict call is confirmed for the caller that was there before",
    claim="a strict call that succeeds is on the primary and on the specified number of backups",
    seen="a caller restarts at its address, and late acknowledgements for its earlier incarnation confirm its new puts",
    held="backup messages of the caller's puts are held, as at a slow backup; after its restart, they are lost",
    setting=Setting(members=3, callers=1, properties=STRICT),
)
def caller_before(stage: Stage) -> PlayedOnce:
    """Hold the backup messages of a caller's puts, restart the caller, lose the messages of its next puts, and deliver
    the held messages."""
    partition, primary, backup = pair(stage, with_master=True)
    held = stage.hold("Backup", at=backup, sender=primary, partition=partition, count=CALLS)
    for number in range(CALLS):
        stage.begin_put(stage.key(partition, number), "first", stage.caller)
    held.await_met(CALLS)
    stage.note(f"the backups of {CALLS} puts are under way to {stage.name_of(backup)}")
    old = stage.caller
    stage.crash(old)
    stage.await_that(lambda: stage.listed(stage.members[0]) == len(stage.members), "the caller to be off the list")
    new = stage.grid.start_again(old)
    stage.await_rest()
    stage.note("the caller has started anew at its address")
    lost = stage.drop("Backup", at=backup, sender=primary, partition=partition)
    keys = [stage.key(partition, CALLS + number) for number in range(CALLS)]
    calls = {key: stage.begin_put(key, "second", new) for key in keys}
    lost.await_met(CALLS)
    held.release()
    stage.note(f"{CALLS} strict puts of the new caller wait, their backups are lost; the old backups arrive")
    wait(calls.values())
    ended = {key: call.result() for key, call in calls.items()}
    copy = stage.copy(backup, partition).entries
    confirmed = [key for key, answer in ended.items() if answer.outcome is Outcome.OK]
    empty = [key for key in confirmed if copy.get(key) != "second"]
    puts = f"{len(empty)} of {CALLS} strict puts"
    return happened_if(bool(empty), f"{puts} succeeded without ever having reached the only backup")
