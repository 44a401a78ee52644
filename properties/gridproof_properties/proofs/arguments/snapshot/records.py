"""Why the record names what is whole, and nobody clears it."""

from gridproof_model.language import BoolExpr, IndexExpr, IntExpr, all_of, exists, for_all
from gridproof_model.specifications.snapshot.safety import knows_of, names_nothing_after
from gridproof_model.specifications.snapshot.state import (
    Phase,
    confirmed,
    ended,
    is_kept,
    is_strict,
    is_writing,
    knows_record,
    map_to_write,
    members,
    memory,
    phase,
    places,
    present,
    records,
    removed,
    run_by,
    runs,
    saved,
    snapshots,
    underway,
)
from gridproof_properties.proofs.arguments.snapshot.words import argument

TAKING = (Phase.SAVING, Phase.VALIDATED, Phase.COMMITTING, Phase.IN_DOUBT, Phase.RECORDED)
NAMING = (Phase.COMMITTING, Phase.IN_DOUBT, Phase.RECORDED)


@argument.lemma(members)
def who_coordinates_knows_the_record(member: IndexExpr) -> BoolExpr:
    """Only who has read the record coordinates, each an execution of its own."""
    record, blank = memory[member], memory[member].recorded.is_none & (memory[member].ongoing == 0)
    return all_of(
        knows_record[member] | (blank & runs[member].is_none & (phase[member] == Phase.NONE)),
        runs[member].is_none | (run_by(member).coordinator == member),
        phase[member].is_in(Phase.NONE, Phase.CORRUPTED) | (runs[member].is_some & run_by(member).is_started),
        (phase[member] == Phase.CORRUPTED).implies(runs[member].is_none),
        ended[member].implies(memory[member].recorded.is_none & runs[member].is_none & (phase[member] == Phase.NONE)),
        record.recorded.is_none | (saved[record.recorded.value].id <= record.ongoing),
        present[member].is_none | underway[present[member].value].coordinator.is_some,
    )


@argument.lemma
def written_records_are_ordered() -> BoolExpr:
    """No record names a snapshot with a higher id than the last one begun; what is confirmed was written."""
    return (confirmed <= records.length) & for_all(
        places,
        lambda place: (place < records.length).implies(
            records.at(place).recorded.is_none
            | (saved[records.at(place).recorded.value].id <= records.at(place).ongoing)
        ),
    )


@argument.lemma(members)
def a_coordinator_takes_what_its_phase_says(member: IndexExpr) -> BoolExpr:
    """From phase 1 on an execution takes a snapshot; the record names it once the commit is sent, and not before."""
    run, record = run_by(member), memory[member]
    target = saved[run.taking.value]
    return all_of(
        phase[member].is_in(*TAKING).implies(run.taking.is_some),
        phase[member].is_in(*NAMING).implies(run.taking.is_some & (record.recorded == run.taking)),
        phase[member]
        .is_in(Phase.SAVING, Phase.VALIDATED)
        .implies(
            all_of(
                target.map == map_to_write(member),
                target.id == record.ongoing,
                record.recorded.is_none | (saved[record.recorded.value].id < target.id),
            )
        ),
        phase[member]
        .is_in(Phase.TAKEN, Phase.CLEARED)
        .implies((record.ongoing > 0) & (record.recorded.is_none | (saved[record.recorded.value].id < record.ongoing))),
        (phase[member] == Phase.VALIDATED).implies(target.is_validated),
    )


@argument.lemma(members, members, when=is_kept())
def one_coordinator_is_left(one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """No write late, nothing exposed: who is removed has ended; so has every coordinator but one."""
    return (removed[one][other].implies(ended[other])) & (
        (one == other) | ~knows_record[one] | ~knows_record[other] | ended[one] | ended[other]
    )


def is_readable(place: IntExpr) -> BoolExpr:
    """Return whether a record may be read that is not lost."""
    return (place < records.length) & (place + 1 >= confirmed)


def is_idle(member: IndexExpr) -> BoolExpr:
    """Return whether a member coordinates nothing; as delivered it has not read the record either."""
    return runs[member].is_none & (is_strict | ~knows_record[member])


@argument.lemma
def what_was_written_was_confirmed() -> BoolExpr:
    """As delivered, nothing missed or late: whoever waits for no write knows that all records were written."""
    return (is_kept() & ~is_strict).implies(
        exists(members, lambda member: ~ended[member] & is_writing(member)) | (confirmed == records.length)
    )


@argument.lemma(members, when=is_kept())
def what_may_be_read_is_what_the_coordinator_knows(member: IndexExpr) -> BoolExpr:
    """No write late, nothing exposed: but for a commit under way all records name what memory names."""

    def holds_for(member: IndexExpr) -> BoolExpr:
        record = memory[member]
        return all_of(
            ((records.length == 0) & record.recorded.is_none)
            | ((records.length > 0) & (records.at(records.length - 1).recorded == record.recorded)),
            phase[member].is_in(Phase.COMMITTING, Phase.IN_DOUBT)
            | for_all(places, lambda place: is_readable(place).implies(records.at(place).recorded == record.recorded)),
        )

    return ended[member] | is_idle(member) | holds_for(member)


@argument.lemma(members, when=is_kept())
def nobody_clears_what_is_being_taken(member: IndexExpr) -> BoolExpr:
    """No write late, nothing exposed: what is saved, and not recorded yet, is not cleared."""
    return ended[member] | ~phase[member].is_in(Phase.SAVING, *TAKING) | ~saved[run_by(member).taking.value].is_cleared


@argument.lemma(snapshots, when=is_kept())
def what_may_be_read_knows_of_what_was_begun(one: IndexExpr) -> BoolExpr:
    """No write late, nothing exposed: who reads a record knows of every id begun and every snapshot recorded."""
    return all_of(
        (confirmed == 0).implies((saved[one].id == 0) & ~saved[one].is_recorded),
        saved[one].is_recorded.implies(saved[one].id > 0),
        for_all(places, lambda place: is_readable(place).implies(knows_of(records.at(place), one))),
        for_all(
            members,
            lambda member: (~ended[member] & knows_record[member]).implies(knows_of(memory[member], one)),
        ),
    )


@argument.lemma(members, when=is_kept())
def what_is_written_is_what_the_coordinator_knows(member: IndexExpr) -> BoolExpr:
    """No write late, nothing exposed: the last record is what its coordinator knows."""

    def holds_for(member: IndexExpr) -> BoolExpr:
        known = memory[member]
        return all_of(
            ((records.length == 0) & (known.ongoing == 0))
            | ((records.length > 0) & (records.at(records.length - 1).ongoing == known.ongoing)),
            phase[member].is_in(Phase.CLEARED, Phase.RECORDED).implies(confirmed == records.length),
            for_all(places, lambda place: is_readable(place).implies(names_nothing_after(records.at(place), known))),
        )

    return ended[member] | is_idle(member) | holds_for(member)


@argument.lemma(places, places, when=is_kept())
def records_only_grow(one: IntExpr, other: IntExpr) -> BoolExpr:
    """No write late, nothing exposed: no record is older than the one that was confirmed last."""

    def in_order(one: IntExpr, other: IntExpr) -> BoolExpr:
        is_later = all_of(is_readable(one), one < other, other < records.length)
        return is_later.implies(names_nothing_after(records.at(one), records.at(other)))

    return in_order(one, other)
