"""A version given away twice when the master dies.

Found by `TableMachine`. The master is the destination of a migration: it commits, gives the row its next version, and
dies before it publishes. The member that took over planned from the old row and gave the same version to another row
(mutant M36); now it lifts the version above the migration it knows of (table.21, steps 6 and 7).
"""

from gridproof_model.trace import Record
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Result
from tests.tables_only.driven_grid import BY_ZONE, DrivenGrid


def test_a_new_master_does_not_reuse_a_version_of_the_old_one() -> None:
    records: list[Record] = []
    driven = DrivenGrid(records.append, partition_count=2)
    oldest = driven.join("a", lite=True)
    driven.regroup(BY_ZONE)
    driven.join("a")
    driven.settle()
    driven.promote(oldest)
    driven.join("a")
    driven.grid.wait(2)
    driven.look()
    driven.crash(driven.members[0])
    driven.settle()

    verdict = judge_run(records, [get_property("equal-version-equal-row")], {})[0]

    assert verdict.result is Result.HOLDS, verdict.witness
