"""How bad it is when a property is broken."""

import pytest

from gridproof_properties.catalogue import CATALOGUE, get_property
from gridproof_properties.judging.judge import Severity


def test_every_severity_is_that_of_some_property() -> None:
    assert {prop.severity for prop in CATALOGUE} == set(Severity)


@pytest.mark.parametrize(
    ("name", "severity"),
    [
        ("acknowledged-write-kept", Severity.DATA_LOSS),
        ("writes-accepted-at-rest", Severity.AVAILABILITY),
        ("balance-of-primaries", Severity.BALANCE),
    ],
)
def test_what_a_broken_property_costs(name: str, severity: Severity) -> None:
    assert get_property(name).severity is severity


def test_the_worst_comes_first() -> None:
    assert [one for one in Severity if one.is_at_least(Severity.AVAILABILITY)] == [
        Severity.DATA_LOSS,
        Severity.WRONG_ANSWER,
        Severity.AVAILABILITY,
    ]
