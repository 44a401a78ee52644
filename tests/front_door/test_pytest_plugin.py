"""A grid tested from somebody else's pytest."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from gridproof_properties.catalogue import CATALOGUE

OWN_ADAPTER = """
from dataclasses import replace

from gridproof_implementation.adapter import Promise, PromiseWord
from tests.properties.honest_grid import adapter_of
from tests.properties.lies_about_tables import NamesOneMemberTwice

from tests.properties.bad_adapters import opened

from tests.properties.honest_grid import HonestGrid

TABLES = adapter_of(HonestGrid, ["full-rows", "views-agree"])
TWICE = adapter_of(NamesOneMemberTwice, ["one-replica-per-member"])
ADMITS = replace(TWICE, promises={"one-replica-per-member": Promise(PromiseWord.WEAKNESS, "manual")})


def refuse(options):
    with open("opened.txt", "a") as file:
        file.write("once\\n")
    raise SystemExit(3)


NEVER = opened(refuse)
NOTHING = "not an adapter"
"""


PLUGINS = ["-p", "gridproof.pytest_plugin", "-p", "no:cacheprovider", "-p", "tests.front_door.few_keys"]
Ended = subprocess.CompletedProcess[str]
Run = Callable[..., Ended]
"""Runs pytest with the plugin and some words in an empty folder of a user."""
READY = """
import gc, json, os, sys
import pytest, gridproof.pytest_plugin, gridproof.arguments.configuration, gridproof_properties.audits.conformance
gc.freeze()
for line in sys.stdin:
    folder, words = json.loads(line)
    if (process := os.fork()) == 0:
        os.chdir(folder)
        sys.path.insert(0, folder)
        for name in ("stdin", "stdout", "stderr"):
            file = os.open(os.devnull if name == "stdin" else name, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
            os.dup2(file, getattr(sys, name).fileno())
        sys.exit(pytest.main(words))
    print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
"""
"""Loads once what runs need, and makes a process of its own for each."""


def surroundings(*folders: Path) -> dict[str, str]:
    path = os.pathsep.join([*map(str, folders), *filter(None, sys.path)])
    return os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": path}


def type_pytest(folder: Path, *words: str) -> Ended:
    """Run it as typed: in a Python that has loaded nothing."""
    (folder / "own_grid.py").write_text(OWN_ADAPTER)
    line = [sys.executable, "-m", "pytest", *PLUGINS, "-rA", *words]
    return subprocess.run(line, cwd=folder, env=surroundings(folder), capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def run_pytest() -> Iterator[Run]:
    """Runs it in a process that begins with all loaded."""

    def run(folder: Path, *words: str) -> Ended:
        (folder / "own_grid.py").write_text(OWN_ADAPTER)
        assert ready.stdin is not None
        assert ready.stdout is not None
        print(json.dumps((str(folder), [*PLUGINS, "-rA", *words])), file=ready.stdin, flush=True)
        status = int(ready.stdout.readline())
        return Ended(words, status, *((folder / name).read_text("utf-8") for name in ("stdout", "stderr")))

    line = [sys.executable, "-c", READY]
    with subprocess.Popen(line, env=surroundings(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as ready:
        yield run


is_ready = pytest.mark.xdist_group("pytest is ready")
"""One worker loads it."""


def test_without_a_system_nothing_is_added(tmp_path: Path) -> None:
    assert "no tests ran" in type_pytest(tmp_path).stdout


def test_a_property_is_a_test_that_k_finds(tmp_path: Path) -> None:
    ended = type_pytest(tmp_path, "--gridproof-system=own_grid:TABLES", "-k", "full-rows")

    assert ended.returncode == 0
    assert "PASSED gridproof::own_grid:TABLES::full-rows" in ended.stdout
    assert "2 passed" in ended.stdout  # and that something was compared
    asked = f"collected {len(CATALOGUE) + 1} items / {len(CATALOGUE) - 1} deselected / 2 selected"
    assert asked in ended.stdout


@is_ready
def test_a_broken_property_says_its_witness_and_the_line_that_repeats_it(run_pytest: Run, tmp_path: Path) -> None:
    ended = run_pytest(tmp_path, "--gridproof-system=own_grid:TWICE", "-k", "one-replica-per-member")

    assert ended.returncode == 1
    assert "one-replica-per-member is broken: " in ended.stdout
    assert "  1. " in ended.stdout
    assert "repeat with: gridproof check --system own_grid:TWICE --members 3 --backups 1 --seed 0" in ended.stdout
    assert "Traceback" not in ended.stdout


@dataclass(frozen=True, slots=True)
class NeverOpened:
    """What became of a system that never opens."""

    ended: subprocess.CompletedProcess[str]
    opened: str
    """A line each time that it was to be opened."""
    names: list[tuple[str, str]]
    """Of all tests."""


def run_never(folder: Path, *words: str) -> NeverOpened:
    """Run every test of a system that never opens."""
    ended = type_pytest(folder, *words, "--gridproof-system=own_grid:NEVER", "-m", "gridproof", "--junitxml=junit.xml")
    cases = ElementTree.parse(folder / "junit.xml").iter("testcase")
    names = sorted((str(case.get("classname")), str(case.get("name"))) for case in cases)
    return NeverOpened(ended, (folder / "opened.txt").read_text(), names)


@pytest.fixture(scope="module")
def by_one(tmp_path_factory: pytest.TempPathFactory) -> NeverOpened:
    """All that becomes of it in one process."""
    return run_never(tmp_path_factory.mktemp("one"))


@pytest.fixture(scope="module")
def by_two(tmp_path_factory: pytest.TempPathFactory) -> NeverOpened:
    """All that becomes of it with two workers of xdist."""
    return run_never(tmp_path_factory.mktemp("two"), "-p", "xdist", "-n2")


shares_runs = pytest.mark.xdist_group("never opened")
"""One worker runs each once."""


@shares_runs
def test_a_system_that_never_opens_is_tried_once(by_one: NeverOpened) -> None:
    assert by_one.opened == "once\n"
    assert "could not be audited: bad: open() raised SystemExit: 3" in by_one.ended.stdout
    assert "Traceback" not in by_one.ended.stdout


@is_ready
def test_junit_knows_every_property(run_pytest: Run, tmp_path: Path) -> None:
    run_pytest(tmp_path, "--gridproof-system=reference", "-m", "gridproof", "--junitxml=junit.xml")

    cases = list(ElementTree.parse(tmp_path / "junit.xml").iter("testcase"))
    assert {case.get("classname") for case in cases} == {"gridproof.reference"}
    assert "balance-of-primaries" in {case.get("name") for case in cases}


@is_ready
def test_what_was_never_promised_is_skipped_not_passed(run_pytest: Run, tmp_path: Path) -> None:
    ended = run_pytest(tmp_path, "--gridproof-system=reference", "-k", "no-member-fails")

    assert "1 skipped" in ended.stdout
    assert "not promised" in ended.stdout
    assert ended.returncode == 1
    assert "FAILED gridproof::reference::promises" in ended.stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--gridproof-system=refrence"], "did you mean reference or reference-optimal?"),
        (["--gridproof-system=no--such"], "no system is called 'no--such'"),
        (["--gridproof-system=no_such_module:X"], "no_such_module:X names no adapter"),
        (["--gridproof-system=own_grid:NOTHING"], "own_grid:NOTHING is a str, not an Adapter"),
        (["--gridproof-system=reference", "--gridproof-members=0"], "--gridproof-members 0: a grid has at least one"),
        (["--gridproof-system=reference", "-p", "xdist", "-n2", "--dist=each", "--gridproof-out=out"], "one audit"),
        (["--gridproof-system=reference", "--gridproof-out="], "--gridproof-out: the path is empty"),
        (["--gridproof-system=reference", "--gridproof-out=a\nb"], "the path 'a\\nb' has a line end or control"),
        (["--gridproof-system=reference", f"--gridproof-seed={2**63}"], "--gridproof-seed: write a whole number of"),
    ],
)
@is_ready
def test_a_wrong_option_is_one_line(run_pytest: Run, tmp_path: Path, words: list[str], expected: str) -> None:
    ended = run_pytest(tmp_path, *words)

    assert ended.returncode == 4
    assert expected in ended.stderr
    assert "Traceback" not in ended.stderr


def test_python_that_leaves_out_docstrings_is_refused_in_one_line(tmp_path: Path) -> None:
    line = [sys.executable, "-OO", "-m", "pytest", *PLUGINS[:4], "--gridproof-system=reference"]
    ended = subprocess.run(line, cwd=tmp_path, env=surroundings(), capture_output=True, text=True, check=False)

    assert (ended.returncode, "ERROR: Python leaves out the docstrings" in ended.stderr) == (4, True)


def test_a_wrong_option_is_one_line_under_xdist(tmp_path: Path) -> None:
    ended = type_pytest(tmp_path, "-p", "xdist", "-n", "2", "--gridproof-system=refrence")

    assert ended.returncode == 4
    assert "did you mean reference or reference-optimal?" in ended.stderr


@is_ready
def test_members_are_put_into_zones_as_by_check(run_pytest: Run, tmp_path: Path) -> None:
    config = (
        "partition-group:\n  enabled: true\n  group-type: ZONE_AWARE\nproperties:\n  hazelcast.partition.count: 7\n"
    )
    (tmp_path / "a.yaml").write_text(config)
    words = ("--gridproof-system=reference", "--gridproof-config=a.yaml", "-k", "group-separation")

    assert "give --gridproof-zones a,b,c" in run_pytest(tmp_path, *words).stderr
    assert run_pytest(tmp_path, *words, "--gridproof-zones=x,y,z").returncode == 0


@is_ready
def test_trace_and_report_are_kept_where_ci_can_collect_them(run_pytest: Run, tmp_path: Path) -> None:
    words = ("--gridproof-system=own_grid:TWICE", "--gridproof-out=kept", "-k", "replica-per or no-lite")

    ended = run_pytest(tmp_path, *words, "--junitxml=junit.xml")

    expected = properties_in(tmp_path / "junit.xml")
    assert {(tmp_path / path).name for name, path in expected if name != "gridproof_audit_seconds"} == {
        "trace.jsonl",
        "report.html",
    }
    assert all((tmp_path / path).exists() for name, path in expected if name != "gridproof_audit_seconds")
    assert "trace: kept/own_grid-TWICE/trace.jsonl" in ended.stdout


@is_ready
def test_a_test_that_leaves_another_folder_moves_no_results(run_pytest: Run, tmp_path: Path) -> None:
    (tmp_path / "test_first.py").write_text("import os\ndef test_rows(tmp_path): os.chdir(tmp_path)\n")

    ended = run_pytest(tmp_path, "--gridproof-system=own_grid:TABLES", "--gridproof-out=kept", "-k", "rows or agree")

    assert (ended.returncode, (tmp_path / "kept/own_grid-TABLES/trace.jsonl").exists()) == (0, True)


@is_ready
def test_a_folder_with_something_in_it_is_refused(run_pytest: Run, tmp_path: Path) -> None:
    ended = run_pytest(tmp_path, "--gridproof-system=own_grid:NEVER", f"--gridproof-out={tmp_path}")

    assert ended.returncode == 4
    assert "is not empty; name another folder with --gridproof-out" in ended.stderr
    assert not (tmp_path / "opened.txt").exists()


@is_ready
def test_the_time_of_the_audit_stands_with_the_one_test_that_ran_it(run_pytest: Run, tmp_path: Path) -> None:
    run_pytest(tmp_path, "--gridproof-system=own_grid:TABLES", "-k", "rows or agree", "--junitxml=junit.xml")

    assert [name for name, _ in properties_in(tmp_path / "junit.xml")] == ["gridproof_audit_seconds"]


@shares_runs
def test_with_xdist_a_system_is_audited_once(by_two: NeverOpened) -> None:
    assert by_two.opened == "once\n"
    assert by_two.ended.returncode == 1


@pytest.mark.nightly
@pytest.mark.parametrize("how", ["loadgroup", "loadscope", "worksteal"])
def test_however_xdist_deals_tests_out_a_system_is_audited_once(tmp_path: Path, how: str) -> None:
    never = run_never(tmp_path, "-p", "xdist", "-n2", "--dist", how)

    assert never.opened == "once\n"
    assert never.ended.returncode == 1


@pytest.mark.nightly
def test_where_each_worker_runs_every_test_each_judges(tmp_path: Path) -> None:
    words = ("-k", "full-rows", "-p", "xdist", "-n2", "--dist=each")

    ended = type_pytest(tmp_path, "--gridproof-system=own_grid:TABLES", *words)

    assert ended.stdout.count("PASSED gridproof::own_grid:TABLES::full-rows") == 2
    assert ended.returncode == 0


@pytest.mark.nightly
def test_with_xdist_trace_and_report_are_kept_too(tmp_path: Path) -> None:
    words = ("-p", "xdist", "-n2", "--gridproof-out=kept", "-k", "full-rows or views-agree")

    ended = type_pytest(tmp_path, *words, "--gridproof-system=own_grid:TABLES", "--gridproof-system=own_grid:TWICE")

    assert ended.returncode == 1  # the second one promises neither, so that none of its tests looks at anything
    assert "1 failed" in ended.stdout
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == ["own_grid-TABLES", "own_grid-TWICE"]


def properties_in(file: Path) -> list[tuple[str, str]]:
    """Return the properties of all test cases of a JUnit file, but for how much each compared."""
    every = ElementTree.parse(file).iter("property")
    found = [(one.get("name", ""), one.get("value", "")) for one in every]
    return [one for one in found if one[0] != "gridproof_compared"]


@is_ready
def test_a_failure_that_the_baseline_knows_fails_nothing(run_pytest: Run, tmp_path: Path) -> None:
    (tmp_path / "known.txt").write_text("one-replica-per-member broken own_grid:TWICE\n")
    words = ("--gridproof-system=own_grid:TWICE", "--gridproof-baseline=known.txt", "-k", "one-replica-per-member")

    ended = run_pytest(tmp_path, *words)

    assert ended.returncode == 0
    assert "known, as known.txt says: " in ended.stdout


@is_ready
def test_a_line_of_the_baseline_that_nothing_needs_is_reported(run_pytest: Run, tmp_path: Path) -> None:
    (tmp_path / "known.txt").write_text("# of ours\nfull-rows broken own_grid:TABLES\n")
    words = ("--gridproof-system=own_grid:TABLES", "--gridproof-baseline=known.txt", "-k", "full-rows or views-agree")

    ended = run_pytest(tmp_path, *words)

    assert ended.returncode == 0
    assert ended.stdout.count("MendedWarning: mended, take line 2 out of known.txt: full-rows broken own_grid") == 1


@pytest.mark.parametrize(("word", "end"), [("--strict-config", "XFAIL"), ("--runxfail", "FAILED")])
@is_ready
def test_a_weakness_that_shows_passes_in_no_way(run_pytest: Run, tmp_path: Path, word: str, end: str) -> None:
    ended = run_pytest(tmp_path, "--gridproof-system=own_grid:ADMITS", "-k", "one-replica-per-member", word)

    assert f"{end} gridproof::own_grid:ADMITS::one-replica-per-member" in ended.stdout


@pytest.mark.parametrize("option", ["baseline=nothing.txt", "time-limit=-1"])
@is_ready
def test_a_wrong_option_is_reported_by_its_name(run_pytest: Run, tmp_path: Path, option: str) -> None:
    wrong = run_pytest(tmp_path, "--gridproof-system=reference", f"--gridproof-{option}")

    assert wrong.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"--gridproof-{option.replace('=', ' ')}: " in wrong.stderr


@is_ready
def test_what_a_time_limit_leaves_out_is_unknown(run_pytest: Run, tmp_path: Path) -> None:
    ended = run_pytest(tmp_path, "--gridproof-system=reference", "--gridproof-time-limit=0.2", "-k", "full-rows")

    assert ended.returncode == 1
    assert "reference: the time limit is reached" in ended.stdout


@shares_runs
def test_tests_have_the_same_names_with_xdist_and_without(by_one: NeverOpened, by_two: NeverOpened) -> None:
    assert by_one.names == by_two.names
    assert {"full-rows", "no-lite-owner", "promises"} <= {name for _, name in by_one.names}


def test_where_pytest_keeps_an_id_apart_the_group_that_xdist_appends_is_kept() -> None:
    """As pytest 9.2 does, of which xdist 3.8 sets `_nodeid` in vain."""
    from gridproof.pytest_plugin import PropertyTest

    test: Any = object.__new__(PropertyTest)
    test._id = type("Id", (str,), {"parse": staticmethod(str.upper)})("gridproof::own::full-rows")
    test._nodeid = "gridproof::own::full-rows@gridproof-own"

    assert test._id == "GRIDPROOF::OWN::FULL-ROWS@GRIDPROOF-OWN"
