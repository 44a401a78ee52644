"""Short stories of replicas, event by event."""

from gridproof_model.events.anti_entropy import SummaryCompared, SummarySent
from gridproof_model.events.membership import MemberRemoved
from gridproof_model.events.operation import Executed
from gridproof_model.events.partitioning import Promoted, RowInstalled
from gridproof_model.events.replication import BackupApplied, BackupRefused, ReplicaKept
from gridproof_model.events.words import Applied, WhyBackupRefused, WhyRowChanged
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.judge import Finding
from gridproof_properties.judging.verdict import Result
from tests.properties.validated_runs import judged, listed, recorded

PROPERTY = get_property("refines-replication")

MEMBERS = (0, 1, 2)
CAME: list[Record] = [
    *(MemberRecord("run", 0, n, MemberChange.JOINED, str(n), str(n)) for n in MEMBERS),
    *(recorded(n, listed(0, 1, 2), 0) for n in MEMBERS),
]


def row(member: int, slots: str, version: int, why: WhyRowChanged = WhyRowChanged.RECEIVED) -> EventRecord:
    holders = tuple(None if slot == "-" else int(slot) for slot in slots.split(","))
    return recorded(member, RowInstalled(0, version, holders, why))


def executed(member: int, versions: tuple[int, ...], *to: int) -> EventRecord:
    return recorded(member, Executed(0, "map:m", "Put", 1, 1, versions, True, to, 0))


def applied(member: int, version: int, verdict: Applied = Applied.NEXT) -> EventRecord:
    return recorded(member, BackupApplied(0, "map:m", 1, version, verdict, verdict is Applied.GAPPED, 1, 1))


def kept(member: int, index: int) -> EventRecord:
    return recorded(member, ReplicaKept(0, index))


def removed(member: int, gone: int) -> EventRecord:
    return recorded(member, MemberRemoved(gone, False))


def crashed(member: int) -> MemberRecord:
    return MemberRecord("run", 1, member, MemberChange.CRASHED, str(member), str(member))


def finding(*story: Record) -> Finding:
    return judged(PROPERTY, [*CAME, *story])


WRITTEN: list[Record] = [row(1, "1,2,-", 2), row(2, "1,2,-", 2), executed(1, (1, 0), 1), applied(2, 1)]


def test_whom_the_primary_has_removed_from_its_list_it_passes_over() -> None:
    gone: list[Record] = [row(1, "1,0,2", 2), crashed(0), removed(1, 0)]

    assert finding(*gone, executed(1, (1, 1), 2)).result is Result.BROKEN
    assert "addressed backups [2], where the specification says []" in finding(*gone, executed(1, (1, 1), 2)).sentence
    assert finding(*gone, executed(1, (1, 1))).result is Result.HOLDS


def test_a_backup_acts_on_the_row_that_it_has() -> None:
    late_row: list[Record] = [row(1, "1,0,-", 3), row(0, "1,0,-", 3), executed(1, (2, 0), 1)]

    assert finding(*WRITTEN, *late_row).result is Result.HOLDS
    assert finding(*WRITTEN, *late_row, applied(2, 2)).result is Result.BROKEN, "nothing was sent to it"


def test_a_backup_forgets_what_its_primary_does_not_name() -> None:
    unnamed = recorded(2, SummaryCompared(0, 1, (), ()))
    primary_lost_it: list[Record] = [crashed(1), removed(0, 1), removed(2, 1), row(0, "0,2,-", 5), row(2, "0,2,-", 5)]
    sent = recorded(0, SummarySent(0, 1, 2, ()))

    assert finding(*WRITTEN, *primary_lost_it, sent, unnamed).result is Result.HOLDS
    assert "no such check waits for it" in finding(*WRITTEN, *primary_lost_it, unnamed).sentence


def test_a_primary_that_has_a_structure_names_it() -> None:
    sent = recorded(1, SummarySent(0, 1, 2, ()))

    assert "the specification refuses the action primary_names_nothing" in finding(*WRITTEN, sent).sentence


def test_a_primary_may_die_while_it_sends_an_update_that_nobody_recorded() -> None:
    assert finding(*WRITTEN, crashed(1), applied(2, 2)).result is Result.HOLDS
    assert finding(*WRITTEN, applied(2, 2)).result is Result.BROKEN
    assert finding(*WRITTEN, crashed(1), applied(2, 2), applied(2, 3)).result is Result.BROKEN, "it had one last step"


def test_two_clusters_are_one_behaviour_each_member_by_its_own_table() -> None:
    alone: list[Record] = [
        *(removed(2, gone) for gone in (0, 1)),
        row(2, "2,-,-", 5),
        kept(2, 0),
        row(1, "1,0,-", 5),
        row(0, "1,0,-", 5),
        kept(0, 1),
    ]
    written = [executed(2, (2, 0)), executed(1, (2, 0), 1), applied(0, 2, Applied.GAPPED)]

    found = finding(*WRITTEN, *alone, *written)

    assert found.result is Result.HOLDS, found


def test_an_update_for_a_former_slot_is_dropped_without_a_word() -> None:
    dropped = recorded(2, BackupRefused(0, "map:m", 1, 2, WhyBackupRefused.ANOTHER_SLOT, 1, False, True, 1, 1))

    assert finding(*WRITTEN, executed(1, (2, 0), 1), row(2, "1,0,2", 3), dropped).result is Result.HOLDS
    assert "no update of version 2 waits for it" in finding(*WRITTEN, dropped).sentence


def test_what_was_sent_to_the_dead_may_reach_who_started_anew_there() -> None:
    def story(address: str) -> list[Record]:
        return [
            *(*WRITTEN, crashed(2), executed(1, (2, 0), 1)),
            MemberRecord("run", 1, 3, MemberChange.JOINED, f"{address}/anew", address),
            removed(1, 2),
            recorded(1, listed(0, 1, 3, version=5)),
            recorded(3, listed(0, 1, 3, version=5)),
            *(row(3, "1,3,-", 4), kept(3, 1), row(1, "1,3,-", 4)),
            applied(3, 2, Applied.GAPPED),
        ]

    assert finding(*story("2")).result is Result.HOLDS
    assert "no update of version 2 waits for it" in finding(*story("7")).sentence


def test_more_members_than_there_is_room_for_are_unknown() -> None:
    came: list[Record] = [MemberRecord("run", 1, n, MemberChange.JOINED, str(n), str(n)) for n in range(3, 80)]

    many = finding(*WRITTEN, *came)

    assert many.result is Result.UNKNOWN
    assert "at most 72 are validated" in many.sentence


def test_a_behaviour_given_up_before_any_other_began_is_counted_as_given_up() -> None:
    found = judged(get_property("refines-ownership"), [*CAME, recorded(1, Promoted(1, 1)), row(1, "1,2,-", 2)])

    assert "a step of partition 1 is recorded before the step that begins it" in found.sentence
    assert found.by_proof is not None
    assert (found.by_proof.behaviours, found.by_proof.given_up) == (1, 1)
