"""What a user imports from gridproof itself."""

import pytest

import gridproof
from gridproof import Extent, Options, Result, check_conformance
from gridproof_properties.audits.grid import GridPlan
from tests.properties.honest_grid import adapter_of
from tests.properties.lies_about_tables import NamesOneMemberTwice


def test_one_call_judges_whatever_adapter_is_brought() -> None:
    extent = Extent(grid=GridPlan(key_count=20, settle_deadline_ms=1_000))
    options = Options(seed=7, member_count=2, partition_count=13)

    verdicts = check_conformance(adapter_of(NamesOneMemberTwice), options, extent=extent)

    assert "one-replica-per-member" in {verdict.property for verdict in verdicts if verdict.result is Result.BROKEN}


@pytest.mark.parametrize("name", gridproof.__all__)
def test_every_public_name_can_be_had(name: str) -> None:
    assert getattr(gridproof, name) is not None
    assert name in dir(gridproof)


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'check_everything'"):
        gridproof.check_everything  # type: ignore[attr-defined]  # noqa: B018
