"""Systems that are fetched by release, as typed."""

from pathlib import Path

import pytest

from gridproof.commands.check import EVERY_SYSTEM, systems_named
from gridproof_implementation.adapters import ADAPTERS
from gridproof_implementation.adapters.hazelcast import VERSIONS
from tests.front_door.command_line import CommandLine


def test_a_release_that_is_not_known_is_answered_with_those_that_are(gridproof: CommandLine) -> None:
    done = gridproof("check", "--system", "hazelcast", "--system-version", "9.9")

    shown = f"gridproof: --system-version 9.9: not of hazelcast: it has {', '.join(VERSIONS)}\n"
    assert (done.status, done.err) == (2, shown)


def test_a_system_without_releases_says_so(gridproof: CommandLine) -> None:
    done = gridproof("check", "--system", "vecgrid", "--system-version", "1")

    shown = "not of vecgrid: it is audited in the release that is installed; leave it out\n"
    assert (done.status, done.err) == (2, f"gridproof: --system-version 1: {shown}")


def test_what_would_have_to_be_fetched_is_left_out_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    found = systems_named([EVERY_SYSTEM])

    assert "hazelcast" not in found
    assert "vecgrid" in found
    left_out = (
        "gridproof: hazelcast is left out: com.hazelcast:hazelcast:5.7.0 was not fetched yet; `make live` sees to it"
    )
    assert left_out in capsys.readouterr().err.splitlines()


def test_what_is_not_quick_is_audited_where_it_is_named_only(capsys: pytest.CaptureFixture[str]) -> None:
    slow = {adapter.name for adapter in ADAPTERS if adapter.named_only}

    assert "ignite" in slow
    assert slow.isdisjoint(systems_named([EVERY_SYSTEM]))
    assert "ignite is left out: it is audited where it is named; `make live` sees to it" in capsys.readouterr().err
    assert set(systems_named(sorted(slow))) == slow
