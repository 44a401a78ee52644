"""An entry of the other half that a merge operation did not bring.

Found in seed 20001910 of runs with a job, by the judge of what merges bring along. The clock of the member that owns a
partition jumps 31 s forwards while another half merges: merge operations sent to it time out, are tried again, and are
given up. Entries are replayed as operations (splits.11), which may fail; a run now records which were.
"""

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_model.events.conditions import EntriesNotMerged
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.campaign.scenarios import judge_scenario
from gridproof_properties.judging.verdict import Result


def test_a_merge_that_is_given_up_is_recorded_and_owes_no_entry() -> None:
    records: list[Record] = []

    judged = judge_scenario(draw_scenario(20001910, DrawOptions(workload="jobs")), records.append)

    given_up = [
        one.event for one in records if isinstance(one, EventRecord) and isinstance(one.event, EntriesNotMerged)
    ]
    assert (5, 3, "map:register") in {(one.member, one.partition, one.structure) for one in given_up}
    (brought,) = (verdict for verdict in judged.verdicts if verdict.property == "merge-brings-entries")
    assert brought.result is Result.HOLDS
    assert any(scope.cause == "a merge operation failed" and scope.failed for scope in brought.out_of_scope)
