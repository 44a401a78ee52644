"""The catalogue of systems."""

import pytest

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.adapters import ADAPTERS, get_adapter
from gridproof_implementation.installed import installed_version


def test_a_system_is_found_by_its_name() -> None:
    assert [get_adapter(adapter.name) for adapter in ADAPTERS] == list(ADAPTERS)


def test_names_are_unique() -> None:
    assert len({adapter.name for adapter in ADAPTERS}) == len(ADAPTERS)


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(AdapterError, match=r"no system is called 'vecgird': did you mean vecgrid\?"):
        get_adapter("vecgird")


def test_an_unlike_name_is_answered_with_all_names() -> None:
    with pytest.raises(AdapterError, match=r"there are .*clandestined") as raised:
        get_adapter("zzz")
    assert "\n" not in str(raised.value)


def test_a_missing_package_is_answered_with_the_line_to_type() -> None:
    with pytest.raises(AdapterError, match=r"^no-such-thing is not installed; type: pip install 'gridproof\[sys"):
        installed_version("no-such-thing")
