"""Words that a shell completes."""

import shutil
import subprocess
from pathlib import Path

import pytest

from gridproof.cli import build_parser
from gridproof.commands import COMMANDS
from gridproof.commands.completion import parsers_of
from tests.front_door.command_line import CommandLine

BASH = shutil.which("bash")
SHELLS = ("bash", "zsh", "fish")


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script for bash, in a file."""
    from gridproof.commands.completion import script_for

    file = tmp_path_factory.mktemp("completion") / "gridproof.bash"
    file.write_text(script_for("bash"))
    return file


def completed(script: Path, folder: Path, *words: str) -> list[str]:
    """Return what bash offers for the last of these words."""
    line = " ".join(f"'{word}'" for word in words)
    code = f"source {script}; COMP_WORDS=(gridproof {line}); COMP_CWORD={len(words)}; _shtab_gridproof; printf '%s\\n' "
    done = subprocess.run(
        [BASH or "bash", "--norc", "-c", code + '"${COMPREPLY[@]}"'],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.split("\n")[:-1]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_names_every_command_and_option(gridproof: CommandLine, shell: str) -> None:
    printed = gridproof("completion", shell)

    dashes = 2 if shell == "fish" else 0
    assert printed.status == 0
    assert [command.name for command in COMMANDS if command.name not in printed.out] == []
    named = [name for one in parsers_of(build_parser(None)).values() for name in one._option_string_actions]
    long = {name for name in named if name.startswith("--")}
    assert [name for name in long if name[dashes:] not in printed.out] == []


@pytest.mark.skipif(BASH is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("ch",), ["check"]),
        (("check", "--sys"), ["--system", "--system-version"]),
        (("check", "--system", "vec"), ["vecgrid"]),
        (("check", "--only", "full"), ["full-rows"]),
        (("check", "--faults", "cr"), ["crash"]),
        (("check", "--faults", "cut"), ["cut-and-crash", "cut"]),
        (("simulate", "--faults", "cr"), ["crash", "crash-at-step"]),
        (("check", "--workload", "s"), [""]),
        (("compare", "vec"), ["vecgrid"]),
        (("audit", "--fail-on", "data"), ["data-loss"]),
        (("properties", "full"), ["full-rows"]),
        (("explain", "6", "--of", "full"), ["full-rows"]),
        (("study", "x", "--only", "full"), [""]),
        (("study", "x", "--only", "write_us_p9"), ["write_us_p99"]),
        (("show", "own"), ["ownership"]),
        (("validate", "x.jsonl", "--specification", "rep"), ["replication"]),
        (("prove", "x.py", "--refines", "own"), ["ownership"]),
        (("adapter", "test", "fol"), ["folder"]),
        (("papers", "pbs"), ["pbs-2012"]),
        (("audit", "a tr"), ["a trace.jsonl"]),
        (("check", "--out", "fol"), ["folder"]),
        (("check", "--members", ""), [""]),
    ],
)
def test_what_bash_offers(script: Path, tmp_path: Path, words: tuple[str, ...], offered: list[str]) -> None:
    (tmp_path / "a trace.jsonl").touch()
    (tmp_path / "folder").mkdir()

    assert completed(script, tmp_path, *words) == offered


def test_a_shell_nobody_knows_is_one_line(gridproof: CommandLine) -> None:
    wrong = gridproof("completion", "csh")

    assert wrong.status == 2
    assert wrong.err.count("\n") == 1
