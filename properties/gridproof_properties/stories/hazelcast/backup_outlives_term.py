"""A backup message arrives after its sender lost the slot and got it back, without the write."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future

from gridproof_implementation.adapter import WriteAnswer
from gridproof_model.identity import Member
from gridproof_properties.stories.setting import STRICT, NotPlayedError, Setting
from gridproof_properties.stories.stage import Stage, ended_ok
from gridproof_properties.stories.story import PlayedOnce, Story, happened_if, refuted

WAITS_S = 120
"""How long a strict call waits for its backup: the whole story; 5 s are the default."""
LATE = {"operation.backup.timeout.millis": str(WAITS_S * 1000)}
MOVED_S = 40.0
"""How long the migrations after a join or a crash may last."""
STILL_S = 2.0
"""Rows that stay the same for so long are taken for arranged; members that ask each other would repair a copy."""


def play(stage: Stage) -> PlayedOnce:
    """Hold the backup messages of many puts, let newcomers take slots and crash, and hand the messages on."""
    # Newcomers take the lowest partitions of each primary: those of the first row go out twice.
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
        raise NotPlayedError(f"no slot went from {names[0]} to a newcomer, to {names[1]}, to a newcomer, and back")
    held.release()
    return _answered(stage, owner, {number: calls[number] for number in back})


def _lend(stage: Stage, partitions: Sequence[int], heir: Member) -> Sequence[int]:
    """Let a newcomer take slot 0 of some partitions and crash, so that the heir is promoted; return which."""
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
    """Say how the calls ended, and who has what they wrote."""
    ended = {number for number, call in calls.items() if ended_ok(call)}
    if not ended:
        return refuted(f"all {len(calls)} calls failed: {next(iter(calls.values())).result().detail}")
    held = [stage.holders(number, stage.key(number), "new") for number in sorted(ended)]
    where = ", ".join(f"{held.count(names)} at {names}" for names in sorted(set(held)))
    reads = [stage.get(stage.key(number), stage.caller).value for number in ended]
    found = f"{len(ended)} of {len(calls)} strict calls succeeded; their values are {where}"
    stage.note(f"{found}; {reads.count(None)} keys read as nothing")
    is_so = any(stage.name_of(owner) not in names for names in held)
    return happened_if(is_so, found)


def _await_rows(stage: Stage, observer: Member, are_there: Callable[[], bool]) -> None:
    """Wait until the rows are as they should be, and stay the same for a while."""
    stage.await_that(are_there, "the first migrations", MOVED_S)
    looks = [stage.rows(observer)]

    def are_still() -> bool:
        stage.wait(STILL_S)
        looks.append(stage.rows(observer))
        return looks[-1] == looks[-2]

    stage.await_that(are_still, "migrations to end", MOVED_S)


STORY = Story(
    name="backup-outlives-term",
    finding="Indeterminate mode: a backup message that outlives its owner's term",
    claim="a strict call that succeeds is on the primary and on the specified number of backups",
    seen=(
        "the slot goes to a newcomer, which crashes, and comes back without the write; then the first backup message"
        " arrives, and the call succeeds with its value at the backup alone"
    ),
    held="the backup messages of the puts, at their backup: a slow network does that",
    setting=Setting(members=2, callers=1, partitions=271, properties={**STRICT, **LATE}, calls_end_within_s=WAITS_S),
    play=play,
)
