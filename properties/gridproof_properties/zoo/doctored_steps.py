"""Doctored steps: one changed, missing, or told twice."""

from collections.abc import Callable
from dataclasses import replace

from gridproof_model.trace import EventRecord, Record
from gridproof_properties.doctoring import Doctoring, NothingToDoctorError, Records

Doctor = Callable[[Records], Records]
RESOURCES = "resources"


def _places(records: Records, name: str) -> list[int]:
    """Return where the events of a name stand; NothingToDoctorError when there is none."""
    found = [place for place, one in enumerate(records) if isinstance(one, EventRecord) and one.name == name]
    if not found:
        raise NothingToDoctorError(f"no event {name} to doctor")
    return found


def _event(records: Records, place: int) -> EventRecord:
    found = records[place]
    assert isinstance(found, EventRecord)
    return found


def _without(name: str, place: int = -1) -> Doctor:
    """Return the change that takes an event of a name away, the last unless told otherwise."""

    def doctor(records: Records) -> Records:
        gone = _places(records, name)[place]
        return [*records[:gone], *records[gone + 1 :]]

    return doctor


def _said(name: str, change: Callable[[str], str], place: int = 0) -> Doctor:
    """Return the change of the words of an event of a name, the first unless told otherwise."""

    def doctor(records: Records) -> Records:
        meant = _places(records, name)[place]
        before = _event(records, meant)
        after = replace(before, detail=change(before.detail))
        if after == before:
            raise NothingToDoctorError(f"{name} has no such words")
        return [*records[:meant], after, *records[meant + 1 :]]

    return doctor


def _instead(name: str, before: str, after: str, place: int = 0) -> Doctor:
    """Return the change that puts other words in the place of some."""
    return _said(name, lambda told: told.replace(before, after), place)


def _left_behind(resource: str) -> Doctor:
    """Return the change that lets a member keep one of a resource at the last rest."""
    return _instead(RESOURCES, f" {resource}=0", f" {resource}=1", -1)


def _twice(name: str) -> Doctor:
    """Return the change that tells the first event of a name once more."""

    def doctor(records: Records) -> Records:
        first = _places(records, name)[0]
        return [*records[: first + 1], *records[first:]]

    return doctor


def _execute_before_the_end(records: Records) -> Records:
    """Let a participant of a migration execute a change right before the migration ends."""
    first = _places(records, "migration-finished")[0]
    change = replace(_event(records, first), name="executed", detail="partition=0 operation=Put changed=true")
    return [*records[:first], change, *records[first:]]


def _stay(records: Records) -> Records:
    """Let somebody ask to leave at the end of all, and go on."""
    member = _event(records, _places(records, "member-list-installed")[0])
    asked: Record = replace(member, at_ms=_end_ms(records), name="shutdown-requested", detail="")
    return [*records, asked]


def _end_ms(records: Records) -> int:
    return max(record.at_ms for record in records if isinstance(record, EventRecord))


def _earlier_version(told: str) -> str:
    before, version = told.rsplit("initial_version=", 1)
    return f"{before}initial_version={int(version) - 1}"


DOCTORINGS: tuple[Doctoring, ...] = (
    Doctoring(
        "call-never-ends",
        "The last end of a call is missing.",
        "bug-zoo I6",
        ("calls-end-once",),
        _without("call-ended"),
    ),
    Doctoring(
        "call-ends-twice", "The first call ends once more.", "bug-zoo I1", ("calls-end-once",), _twice("call-ended")
    ),
    Doctoring(
        "migration-never-ends",
        "The last end of a migration is missing.",
        "bug-zoo M6",
        ("migrations-end-once",),
        _without("migration-finished"),
    ),
    Doctoring(
        "migration-ends-twice",
        "The first migration ends once more.",
        "bug-zoo M26",
        ("migrations-end-once",),
        _twice("migration-finished"),
    ),
    Doctoring(
        "change-before-the-end",
        "A participant executes a change right before its migration ends.",
        "reference partitioning 4.3",
        ("nothing-changes-while-it-moves",),
        _execute_before_the_end,
    ),
    Doctoring(
        "second-survivor-promoted",
        "The first promotion begins at a higher index.",
        "reference partitioning 5.2",
        ("lowest-survivor-promoted",),
        _instead("promotion-ordered", "from_index=1", "from_index=2"),
    ),
    Doctoring(
        "stranger-promoted",
        "The first promotion is of somebody without a copy.",
        "reference partitioning 5.2",
        ("lowest-survivor-promoted",),
        _instead("promotion-ordered", "destination=", "destination=9"),
    ),
    Doctoring(
        "loss-of-a-backup-told",
        "The first loss is told with one backup lost more.",
        "reference partitioning 5.4",
        ("loss-told-exactly",),
        _instead("partition-lost", "lost_backup_count=0", "lost_backup_count=1"),
    ),
    Doctoring(
        "loss-not-told",
        "The last loss is not told.",
        "reference partitioning 5.4",
        ("loss-told-exactly",),
        _without("partition-lost"),
    ),
    Doctoring(
        "loss-without-promotion",
        "The last promotion is missing, its loss is told.",
        "reference partitioning 5.4",
        ("loss-told-exactly",),
        _without("promoted"),
    ),
    Doctoring(
        "table-from-another",
        "The first table comes from somebody who is no master.",
        "reference partitioning 2.7",
        ("tables-from-the-master",),
        _instead("table-received", "sender=", "sender=9"),
    ),
    Doctoring(
        "list-of-an-old-version",
        "The first list has the version before it.",
        "reference partitioning 2.5",
        ("member-lists-agree",),
        _instead("member-list-installed", "version=1", "version=0"),
    ),
    Doctoring(
        "list-of-others",
        "The first list names another member.",
        "reference partitioning 2.5",
        ("member-lists-agree",),
        _instead("member-list-installed", "[0]", "[1]"),
    ),
    Doctoring(
        "list-missed",
        "Who installs the last list does not.",
        "reference partitioning 2.5",
        ("member-lists-agree",),
        _without("member-list-installed"),
    ),
    Doctoring(
        "acknowledged-by-a-stranger",
        "The first acknowledgement counted is nobody's.",
        "bug-zoo R4",
        ("acknowledged-by-its-backups",),
        _instead("acknowledgement-counted", "backup=", "backup=9"),
    ),
    Doctoring(
        "acknowledgement-of-another-call",
        "The first acknowledgement counted is of another call.",
        "bug-zoo R4",
        ("acknowledged-by-its-backups",),
        _instead("acknowledgement-counted", "call_id=", "call_id=9"),
    ),
    Doctoring(
        "answer-to-another-call",
        "The first call ends with the answer to another.",
        "reference replication 1.4",
        ("answered-by-its-target",),
        _instead("call-ended", "answered_by=", "answered_by=9"),
    ),
    Doctoring(
        "executed-for-another",
        "The first execution is of a call nobody made.",
        "reference replication 1.4",
        ("answered-by-its-target",),
        _instead("executed", "caller=", "caller=9"),
    ),
    Doctoring(
        "failure-of-another-call",
        "The first attempt fails as one that was never sent.",
        "reference replication 1.4",
        ("answered-by-its-target",),
        _instead("attempt-failed", "call_id=", "call_id=9"),
    ),
    *(
        Doctoring(
            f"{resource.replace('_', '-')}-kept",
            f"A member at rest keeps one of its {resource.replace('_', ' ')}.",
            "bug-zoo R6",
            ("resources-return",),
            _left_behind(resource),
        )
        for resource in ("parked_operations", "destination_places", "sync_permits", "calls")
    ),
    Doctoring(
        "leaver-stays",
        "A member asks to leave, and the run ends with it.",
        "reference partitioning 5.5",
        ("leaves-end",),
        _stay,
    ),
    Doctoring(
        "synchronised-again",
        "The first sync is installed once more.",
        "bug-zoo R7",
        ("no-needless-sync",),
        _twice("sync-installed"),
    ),
    Doctoring(
        "copied-nothing",
        "What the first migration copies is copied by nobody.",
        "reference partitioning 4.4",
        ("refines-ownership",),
        _without("migration-copied", 0),
    ),
    Doctoring(
        "ordered-for-an-older-row",
        "The first migration is ordered for the version before its row's.",
        "reference partitioning 4.2",
        ("refines-ownership",),
        _said("migration-ordered", _earlier_version),
    ),
    Doctoring(
        "promoted-without-an-order",
        "The first promotion is ordered by nobody.",
        "reference partitioning 5.3",
        ("refines-ownership-of-rows",),
        _without("promotion-ordered", 0),
    ),
)
"""Each has something to change in a run with a crash, or with one who joins, or with one who leaves."""
