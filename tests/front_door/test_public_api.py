"""What a user imports from gridproof itself."""

from gridproof import Extent, Options, Result, check_conformance
from gridproof_properties.audits.grid import GridPlan
from tests.properties.memory_grid import Fault, memory_adapter


def test_one_call_judges_whatever_adapter_is_brought() -> None:
    extent = Extent(grid=GridPlan(key_count=20, settle_deadline_ms=1_000))
    options = Options(seed=7, member_count=2, partition_count=13)

    verdicts = check_conformance(memory_adapter(Fault.ONE_MEMBER_TWICE), options, extent=extent)

    assert "one-replica-per-member" in {verdict.property for verdict in verdicts if verdict.result is Result.BROKEN}
