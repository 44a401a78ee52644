"""Zen 4 is distinguished from other processors, and NumPy is asked to leave some alone."""

from pathlib import Path

import pytest

from gridproof.slow_sorts import FEATURES, VARIABLE, spare_slow_sorts

ZEN_4 = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nflags\t: avx2 avx512f\n\nprocessor\t: 1\n"


@pytest.fixture
def cpu_info(tmp_path: Path) -> Path:
    """What Linux says of a Zen 4."""
    (tmp_path / "cpuinfo").write_text(ZEN_4)
    return tmp_path / "cpuinfo"


def test_on_zen_4_numpy_is_asked_to_leave_avx_512_alone(cpu_info: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridproof.slow_sorts._numpy_version", lambda: (2, 4))
    environment: dict[str, str] = {}

    assert spare_slow_sorts(environment, cpu_info)
    assert environment == {VARIABLE: FEATURES}


def test_who_has_said_something_is_heeded(cpu_info: Path) -> None:
    environment = {VARIABLE: ""}

    assert not spare_slow_sorts(environment, cpu_info)
    assert environment == {VARIABLE: ""}


@pytest.mark.parametrize(
    ("word", "other"), [("AuthenticAMD", "GenuineIntel"), (": 25", ": 26"), (" avx512f", ""), (ZEN_4, "nothing")]
)
def test_other_processors_are_left_as_they_are(cpu_info: Path, word: str, other: str) -> None:
    cpu_info.write_text(ZEN_4.replace(word, other))

    assert not spare_slow_sorts({}, cpu_info)


def test_where_nothing_is_reported_nothing_is_done(tmp_path: Path) -> None:
    assert not spare_slow_sorts({}, tmp_path / "nothing")


def test_an_older_numpy_is_left_as_it_is(cpu_info: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridproof.slow_sorts._numpy_version", lambda: (2, 3))

    assert not spare_slow_sorts({}, cpu_info)
