"""Why the record names what is whole, and nobody clears it."""

from gridproof_model.language import BoolExpr, IndexExpr, IntExpr, all_of, for_all
from gridproof_model.specifications.streams.state import (
    Phase,
    confirmed,
    ended,
    exposed,
    is_strict,
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
    underway,
)
from gridproof_properties.proofs.arguments.streams.words import argument

TAKING = (Phase.SAVING, Phase.VALIDATED, Phase.COMMITTING, Phase.IN_DOUBT, Phase.RECORDED)
NAMING = (Phase.COMMITTING, Phase.IN_DOUBT, Phase.RECORDED)


@argument.lemma
def who_coordinates_knows_the_record() -> BoolExpr:
    """Only who has read the record coordinates, each an execution of its own."""

    def holds_for(member: IndexExpr) -> BoolExpr:
        record, blank = memory[member], memory[member].recorded.is_none & (memory[member].ongoing == 0)
        return all_of(
            knows_record[member] | (blank & runs[member].is_none & (phase[member] == Phase.NONE)),
            runs[member].is_none | (run_by(member).coordinator == member),
            phase[member].is_in(Phase.NONE, Phase.CORRUPTED) | (runs[member].is_some & run_by(member).is_started),
            (phase[member] == Phase.CORRUPTED).implies(runs[member].is_none),
            ended[member].implies(
                memory[member].recorded.is_none & runs[member].is_none & (phase[member] == Phase.NONE)
            ),
            record.recorded.is_none | (saved[record.recorded.value].id <= record.ongoing),
            present[member].is_none | underway[present[member].value].coordinator.is_some,
        )

    return for_all(members, holds_for)


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


@argument.lemma
def a_coordinator_takes_what_its_phase_says() -> BoolExpr:
    """From phase 1 on an execution takes a snapshot; the record names it once the commit is sent, and not before."""

    def holds_for(member: IndexExpr) -> BoolExpr:
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
            .implies(
                (record.ongoing > 0) & (record.recorded.is_none | (saved[record.recorded.value].id < record.ongoing))
            ),
            (phase[member] == Phase.VALIDATED).implies(target.is_validated),
        )

    return for_all(members, holds_for)


@argument.lemma
def one_coordinator_is_left() -> BoolExpr:
    """Later versions, nothing without a second copy: who is removed has ended; so has every coordinator but one."""
    return (is_strict & ~exposed).implies(
        for_all(
            members,
            lambda one: for_all(
                members,
                lambda other: (
                    (removed[one][other].implies(ended[other]))
                    & ((one == other) | ~knows_record[one] | ~knows_record[other] | ended[one] | ended[other])
                ),
            ),
        )
    )


def is_readable(place: IntExpr) -> BoolExpr:
    """Return whether a record may be read that is not lost."""
    return (place < records.length) & (place + 1 >= confirmed)


@argument.lemma
def what_may_be_read_is_what_the_coordinator_knows() -> BoolExpr:
    """Later versions, nothing without a second copy: but for a commit under way all records name what memory names."""

    def holds_for(member: IndexExpr) -> BoolExpr:
        record = memory[member]
        return all_of(
            records.length > 0,
            records.at(records.length - 1).recorded == record.recorded,
            phase[member].is_in(Phase.COMMITTING, Phase.IN_DOUBT)
            | for_all(places, lambda place: is_readable(place).implies(records.at(place).recorded == record.recorded)),
        )

    return (is_strict & ~exposed).implies(
        for_all(members, lambda member: ended[member] | runs[member].is_none | holds_for(member))
    )


@argument.lemma
def nobody_clears_what_is_being_taken() -> BoolExpr:
    """Later versions, nothing without a second copy: what is saved, and not recorded yet, is not cleared."""
    return (is_strict & ~exposed).implies(
        for_all(
            members,
            lambda member: (
                ended[member]
                | ~phase[member].is_in(Phase.SAVING, *TAKING)
                | ~saved[run_by(member).taking.value].is_cleared
            ),
        )
    )
