"""What a command imports before it does anything.

Modules are counted, not seconds: most of a start is imports, and their number does not depend on the machine.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from gridproof.commands import COMMANDS
from gridproof_implementation.adapter import Options
from gridproof_implementation.adapters import get_adapter
from gridproof_implementation.trace import write_trace
from gridproof_properties.audits.conformance import check_conformance
from tests.front_door.command_line import CommandLine
from tests.front_door.few_keys import few_keys

SHOW_IMPORTS = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=open("modules.txt", "w")))
from gridproof.cli import main
sys.exit(main(sys.argv[1:]))
"""
IMPORTED_BY_EACH = """
import sys
from contextlib import suppress
from gridproof.cli import main
for name in sys.argv[1:]:
    with suppress(SystemExit):
        main([name, "--help"])
    commands = {each for each in sys.modules if each.startswith("gridproof.commands.")}
    print(name, *commands, file=sys.stderr)
    for each in commands:
        del sys.modules[each]
"""
PAGES = {"matplotlib", "jinja2"}
NUMBERS = {"numpy", "mmh3", "pyarrow"}
"""Who judges runs needs the first: tables are judged as columns."""
READERS = {"yaml", "defusedxml"}
NEVER = {"hypothesis", "networkx", "pandas", "pyspark", "scipy", "z3"}
ACCUSED = {"gridproof_implementation.protocol", "gridproof_implementation.simulator"}
"""Who is judged: no judge needs them."""
SPECIFIED = {"gridproof_model.specifications", "gridproof_model.language"}
"""What only a run with steps of members is judged by."""
EVERYTHING = PAGES | NUMBERS | READERS | NEVER


def imported_by(words: str, folder: Path) -> set[str]:
    """Run `gridproof` with these words in a folder and return the modules that were imported."""
    line = [sys.executable, "-c", SHOW_IMPORTS, *words.split()]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set((folder / "modules.txt").read_text().split())


def libraries(modules: set[str]) -> set[str]:
    """Return the top-level names of modules, and the packages in them."""
    return {".".join(name.split(".")[:depth]) for name in modules for depth in (1, 2)}


@pytest.mark.parametrize("words", ["--version", "--help"])
def test_the_parser_alone_needs_no_part_of_gridproof(words: str, tmp_path: Path) -> None:
    modules = imported_by(words, tmp_path)

    ours = {name for name in modules if name.startswith("gridproof_") and "." in name}
    assert ours == {
        "gridproof_model.user_error",
        "gridproof_model.whole_file",
        "gridproof_properties.child",
        "gridproof_properties.exit_status",
    }
    assert len(modules) <= 200


@pytest.mark.parametrize("order", [1, pytest.param(-1, marks=pytest.mark.nightly)])
def test_a_command_imports_no_other_command(order: int, tmp_path: Path) -> None:
    # One process for all: what a command imports of another shows when either comes first, and both orders are tried.
    names = [str(command.name) for command in COMMANDS][::order]

    done = subprocess.run(
        [sys.executable, "-c", IMPORTED_BY_EACH, *names], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    assert dict(line.split(" ", 1) for line in done.stderr.splitlines()) == {
        name: f"gridproof.commands.{name}" for name in names
    }


@pytest.mark.parametrize(
    ("words", "spared", "modules_max"),
    [
        ("specs", EVERYTHING | {"gridproof_implementation", "gridproof_reports"}, 310),
        pytest.param(
            "show ownership",
            EVERYTHING | {"gridproof_implementation", "gridproof_reports", "rich"},
            250,
            marks=pytest.mark.nightly,
        ),
        ("systems", EVERYTHING | {"gridproof_reports"}, 311),
        pytest.param("story --json", EVERYTHING | {"gridproof_reports"}, 400, marks=pytest.mark.nightly),
        ("papers", EVERYTHING - NUMBERS | {"gridproof_reports"}, 450),
        ("properties full-rows", EVERYTHING - NUMBERS | {"gridproof_reports"}, 900),
        ("simulate --seed 8 --at-least 0", EVERYTHING - {"numpy"} | {"gridproof_reports"}, 850),
        pytest.param("replay 1 --at-least 0", EVERYTHING - {"numpy"}, 850, marks=pytest.mark.nightly),
        ("explore two_phase_commit --no-eventually", EVERYTHING - NUMBERS | {"gridproof_implementation"}, 500),
        (
            "check --system tests.front_door.bad_grids:FEW_PROMISES",
            NEVER | READERS | ACCUSED | SPECIFIED | {"pyarrow"},
            850,
        ),
        ("audit trace.jsonl", NEVER | READERS | ACCUSED | SPECIFIED | {"pyarrow"}, 1_000),
    ],
)
def test_a_command_pays_for_what_it_uses(words: str, spared: set[str], modules_max: int, tmp_path: Path) -> None:
    if words.startswith("audit"):
        with write_trace(tmp_path / "trace.jsonl") as writer:
            check_conformance(get_adapter("reference"), Options(), writer.write, extent=few_keys()())

    modules = imported_by(words, tmp_path)

    assert libraries(modules) & spared == set()
    assert len(modules) <= modules_max


@pytest.mark.parametrize(
    ("module", "spared"),
    [
        ("gridproof.pytest_plugin", EVERYTHING | {"gridproof_implementation", "gridproof_properties"}),
        ("gridproof_properties.campaign.seeds", EVERYTHING - {"numpy"} | {"rich", "gridproof_reports"}),
        ("gridproof.checks.check_apart", EVERYTHING - {"numpy"} | {"rich"}),
        ("suite.reach.loading", EVERYTHING | {"rich", "gridproof_implementation"}),
    ],
)
def test_what_pytest_and_workers_load_is_light(module: str, spared: set[str]) -> None:
    code = f"import sys, {module}; print(*sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert libraries(set(done.stdout.split())) & spared == set()


def test_without_a_command_the_help_is_printed_and_nothing_counts_as_checked(gridproof: CommandLine) -> None:
    alone = gridproof()

    assert alone.status == 2
    assert alone.out == ""
    assert all(command.summary in alone.err for command in COMMANDS)


def test_an_unknown_command_is_one_line(gridproof: CommandLine) -> None:
    wrong = gridproof("chekc")

    assert wrong.status == 2
    assert wrong.err.count("\n") == 1
