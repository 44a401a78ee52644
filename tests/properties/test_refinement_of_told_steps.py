"""Short stories of replication, told event by event."""

from gridproof_model.events.anti_entropy import SummaryCompared, SyncRequested
from gridproof_model.events.membership import MemberRemoved
from gridproof_model.events.operation import Executed
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.events.replication import BackupApplied, BackupRefused, FragmentInstalled, ReplicaKept
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record
from gridproof_properties.judging.judge import Finding
from gridproof_properties.judging.verdict import Result
from gridproof_properties.refinement.replication.differences import (
    FORGOTTEN,
    LAST_WORDS,
    NEW_INCARNATION,
    TWO_CLUSTERS,
    UNHEARD,
)
from gridproof_properties.refinement.replication.judge import PROPERTY
from tests.properties.followed_runs import judged, listed, told

MEMBERS = (0, 1, 2)
CAME: list[Record] = [
    *(MemberRecord("run", 0, n, MemberChange.JOINED, str(n), str(n)) for n in MEMBERS),
    *(told(n, listed(0, 1, 2), 0) for n in MEMBERS),
]


def row(member: int, slots: str, version: int, why: str = "received") -> EventRecord:
    holders = tuple(None if slot == "-" else int(slot) for slot in slots.split(","))
    return told(member, RowInstalled(0, version, holders, why))


def executed(member: int, versions: tuple[int, ...], *to: int) -> EventRecord:
    return told(member, Executed(0, "map:m", "Put", 1, 1, versions, True, to, 0))


def applied(member: int, version: int, verdict: str = "next") -> EventRecord:
    return told(member, BackupApplied(0, "map:m", 1, version, verdict, verdict == "gapped", 1, 1))


def removed(member: int, gone: int) -> EventRecord:
    return told(member, MemberRemoved(gone, False))


def brought(member: int, *versions: int) -> EventRecord:
    return told(member, FragmentInstalled(0, "map:m", 1, versions))


def crashed(member: int) -> MemberRecord:
    return MemberRecord("run", 1, member, MemberChange.CRASHED, str(member), str(member))


def comes_back(member: int, instead_of: int, slots: str) -> list[Record]:
    """Return how a frozen cluster gives a slot back to a member that starts anew."""
    others = [n for n in MEMBERS if n != instead_of]
    return [
        crashed(instead_of),
        *(removed(n, instead_of) for n in others),
        MemberRecord("run", 1, member, MemberChange.JOINED, str(member), str(instead_of)),
        *(told(n, listed(*others, member, version=5)) for n in (*others, member)),
        row(0, slots, 4, "returned"),
        *(row(n, slots, 4) for n in (*others, member)),
    ]


def finding(*story: Record) -> Finding:
    return judged(PROPERTY, [*CAME, *story])


def test_whom_the_primary_has_struck_off_its_list_it_passes_over_from_its_first_write_on() -> None:
    gone: list[Record] = [row(1, "1,0,2", 2), crashed(0), removed(1, 0)]

    assert finding(*gone, executed(1, (1, 1))).result is Result.HOLDS
    assert "told [2], and the specification says []" in finding(*gone, executed(1, (1, 1), 2)).sentence


WRITTEN: list[Record] = [row(1, "1,2,-", 2), row(2, "1,2,-", 2), executed(1, (1, 0), 1), applied(2, 1)]


def test_a_backup_drops_what_a_primary_that_came_back_empty_does_not_name() -> None:
    back = [*WRITTEN, *comes_back(3, instead_of=1, slots="3,2,-")]
    summary = told(2, SummaryCompared(0, 1, (), ()))
    anew = [executed(3, (1, 0), 1), applied(2, 1)]

    followed = finding(*back, summary, *anew)

    assert followed.result is Result.HOLDS, followed
    assert f"{FORGOTTEN.name} (1)" in followed.sentence
    assert finding(*back, *anew).result is Result.BROKEN


def test_a_primary_may_die_while_it_sends_an_update() -> None:
    followed = finding(*WRITTEN, crashed(1), applied(2, 2))

    assert followed.result is Result.HOLDS, followed
    assert f"{LAST_WORDS.name} (1)" in followed.sentence
    assert finding(*WRITTEN, applied(2, 2)).result is Result.BROKEN


def test_a_backup_that_came_back_and_was_filled_is_promoted_with_what_it_has() -> None:
    filled: list[Record] = [
        *WRITTEN,
        *comes_back(3, instead_of=2, slots="1,3,-"),
        executed(1, (2, 0), 1),
        applied(3, 2, "gapped"),
    ]
    promoted: list[Record] = [crashed(1), removed(3, 1), row(3, "3,-,-", 6)]

    assert finding(*filled, *promoted, executed(3, (3, 0))).result is Result.HOLDS
    assert finding(*filled, *promoted, executed(3, (1, 0))).result is Result.BROKEN


def test_what_a_failed_migration_brought_is_dropped_by_who_holds_a_slot_without_a_copy() -> None:
    given, kept = brought(0, 1, 0), told(0, ReplicaKept(0, 5))
    lost: list[Record] = [
        MemberRecord("run", 1, 3, MemberChange.JOINED, "3", "3"),
        *(told(n, listed(0, 1, 2, 3)) for n in (*MEMBERS, 3)),
        crashed(1),
        crashed(2),
        *(removed(n, gone) for n in (0, 3) for gone in (1, 2)),
        row(3, "3,-,-", 5),
        row(3, "3,0,-", 6),
    ]

    assert finding(*WRITTEN, given, kept, *lost).result is Result.HOLDS
    assert finding(*WRITTEN, given, *lost).result is Result.BROKEN


def test_following_ends_where_a_new_master_never_heard_of_the_backup_that_lives() -> None:
    def succeeded(*members: int) -> list[Record]:
        list_installed = told(0, listed(*members, version=4))
        return [*WRITTEN, crashed(1), list_installed, row(0, "0,-,-", 5)]

    parted = finding(*succeeded(0))

    assert parted.result is Result.HOLDS, parted
    assert f"{TWO_CLUSTERS.name} (1)" in parted.sentence
    assert finding(*succeeded(0, 2)).result is Result.BROKEN


def test_following_ends_where_another_cluster_makes_a_first_arrangement_of_its_own() -> None:
    """Seed 30003112 (`--faults crash,split`): two founders that do not hear of each other."""
    founder = MemberRecord("run", 1, 3, MemberChange.JOINED, "3", "3")
    arranged: list[Record] = [founder, told(3, listed(3)), row(3, "3,-,-", 5, "arranged")]

    parted = finding(*WRITTEN, *arranged)

    assert parted.result is Result.HOLDS, parted
    assert f"{TWO_CLUSTERS.name} (1)" in parted.sentence
    assert finding(*WRITTEN, *arranged[:2], row(3, "3,-,-", 5)).result is Result.BROKEN


def test_following_ends_where_who_was_dismissed_and_never_heard_of_it_is_promoted() -> None:
    dismissed: list[Record] = [brought(0, 1, 0), row(1, "1,0,-", 4), crashed(1), crashed(0)]
    struck_off = [removed(2, gone) for gone in (0, 1)]

    promoted = finding(*WRITTEN, *dismissed, *struck_off, row(2, "2,-,-", 5))
    heard = finding(*WRITTEN, *dismissed[:2], row(2, "1,0,-", 4), *dismissed[2:], *struck_off, row(2, "2,-,-", 5))

    assert f"{UNHEARD.name} (1)" in promoted.sentence, promoted
    assert UNHEARD.name not in heard.sentence


def test_a_destination_may_come_from_a_colder_slot_while_the_source_steps_down() -> None:
    joined = MemberRecord("run", 1, 3, MemberChange.JOINED, "3", "3")
    newer = told(0, listed(0, 1, 2, 3))
    rows = [row(n, "0,1,-,2", 4) for n in MEMBERS]
    held: list[Record] = [joined, newer, *rows, executed(0, (1, 1, 1), 1, 3), applied(1, 1)]
    given = brought(2, 1, 1, 1)
    changed = [row(2, "0,2,1,-", 7, "committed"), *(row(n, "0,2,1,-", 7) for n in (0, 1))]
    written = [executed(0, (2, 2, 2), 1, 2), applied(2, 2)]

    followed = finding(*held, given, *changed, *written)

    assert followed.result is Result.HOLDS, followed
    assert "replica 1 was given versions (0, 0, 0)" in finding(*held, *changed, *written).sentence


def test_a_backup_that_is_looked_at_again_while_it_is_dirty_may_ask() -> None:
    older_table = told(2, BackupRefused(0, "map:m", 2, 1, "stale", 0, False, True, 1, 1))
    written = [row(1, "1,2,-", 2), row(2, "1,2,-", 2), executed(1, (1, 0), 1), executed(1, (2, 0), 1)]
    asks = told(2, SyncRequested(0, 1, ("map:m",), 1))

    followed = finding(*written, older_table, applied(2, 2, "gapped"), asks)

    assert followed.result is Result.HOLDS, followed
    assert "asks for a sync without a reason" in finding(*written, older_table, applied(2, 2), asks).sentence


def test_what_was_sent_to_the_dead_may_reach_who_started_anew_there() -> None:
    def story(address: str) -> list[Record]:
        return [
            *(*WRITTEN, crashed(2), executed(1, (2, 0), 1)),
            MemberRecord("run", 1, 3, MemberChange.JOINED, f"{address}/anew", address),
            removed(1, 2),
            told(1, listed(0, 1, 3, version=5)),
            row(1, "1,-,-", 3),
            brought(3, 2, 0),
            *(row(3, "1,3,-", 4, "committed"), row(1, "1,3,-", 4, "committed")),
            applied(3, 2, "equal"),
        ]

    followed = finding(*story("2"))

    assert followed.result is Result.HOLDS, followed
    assert f"{NEW_INCARNATION.name} (1)" in followed.sentence
    assert "no update of version 2 is under way" in finding(*story("7")).sentence
