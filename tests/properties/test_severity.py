"""How bad it is when a property is broken."""

from collections import Counter

import pytest

from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judging.severity import SEVERITIES, Severity, severity_of


def test_every_property_has_one_severity() -> None:
    decided = Counter(name for names in SEVERITIES.values() for name in names)

    assert decided == Counter(prop.name for prop in CATALOGUE)


@pytest.mark.parametrize(
    ("name", "severity"),
    [
        ("acknowledged-write-kept", Severity.DATA_LOSS),
        ("writes-accepted-at-rest", Severity.AVAILABILITY),
        ("balance-of-primaries", Severity.BALANCE),
    ],
)
def test_what_a_broken_property_costs(name: str, severity: Severity) -> None:
    assert severity_of(name) is severity


def test_the_worst_comes_first() -> None:
    assert [one for one in Severity if one.is_at_least(Severity.AVAILABILITY)] == [
        Severity.DATA_LOSS,
        Severity.WRONG_ANSWER,
        Severity.AVAILABILITY,
    ]
