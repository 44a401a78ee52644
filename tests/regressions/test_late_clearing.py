"""A clearing that came late and emptied a good snapshot.

Found by the state machine of snapshots, nightly. A member dies while its share of a snapshot map is to be cleared for
snapshot 3. The job stops, the clearing goes on being tried; the job restarts, snapshot 4 is written into the same map
and recorded, and then the clearing reaches the partition's new primary. From then on the job could not be restored.
Now a snapshot waits until everything that an older one asked of the maps is answered.
"""

from dataclasses import replace

from gridproof_model.events.jobs import SnapshotBegun
from tests.implementation.protocol.grids import make_grid
from tests.implementation.protocol.jobs import SUMS, part_of, submit


def test_no_snapshot_begins_while_a_change_of_an_older_one_is_not_answered() -> None:
    grid = make_grid(3)
    submit(grid, grid.running[0], replace(SUMS, items_per_shard=3000))
    grid.run_for(2)
    maps = part_of(grid.running[0]).coordinator.masters["sums"].maps
    maps.unanswered += 1
    grid.run_for(2)
    begun = len(grid.events_of(SnapshotBegun))

    grid.run_for(5)
    waited = len(grid.events_of(SnapshotBegun)) - begun
    maps.unanswered -= 1
    grid.run_for(5)

    assert begun > 0
    assert waited == 0
    assert len(grid.events_of(SnapshotBegun)) > begun
