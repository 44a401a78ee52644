"""A participant that answered for a snapshot before it had written all its state.

Found by `refines-snapshot` in a drawn run (seed 30090237). The limit of calls was met, so the first chunk's write
failed at once; nothing else was under way just then, and the participant answered amid its own writing. The coordinator
cleared the map, and the other chunks were written into it afterwards. All writes are waited for (jobs.7).
"""

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_model.events.jobs import ChunkWritten, SnapshotFailed
from gridproof_model.trace import EventRecord
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.verdict import Result
from tests.properties.validated_runs import judged, simulated

PROPERTY = get_property("refines-snapshot")


def test_a_participant_answers_when_every_write_has_ended() -> None:
    faults = ("join", "leave", "promote-lite", "cluster-state")
    records = simulated(draw_scenario(30090237, DrawOptions(workload="jobs", faults=faults)))
    events = [record.event for record in records if isinstance(record, EventRecord)]

    assert any(isinstance(event, ChunkWritten) and event.failure == "not sent" for event in events)
    assert any(isinstance(event, SnapshotFailed) for event in events)
    assert judged(PROPERTY, records).result is Result.HOLDS
