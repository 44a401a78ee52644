"""`gridproof adapter`: writes an agent, and tests an agent."""

import argparse
import json
import shlex
import shutil
from importlib.resources import as_file, files
from pathlib import Path

from gridproof.command import UsageError, reason_of
from gridproof.output.console import open_console
from gridproof.time_limit import limited
from gridproof_implementation.adapter import AdapterError, Kind
from gridproof_implementation.live.folders import MANIFEST, manifest_at, read_manifest
from gridproof_implementation.live.java import BASE
from gridproof_implementation.trace.schema import RUN_NAME, is_run_name
from gridproof_model.whole_file import written_whole
from gridproof_properties.audits.agent_check import Examined
from gridproof_properties.audits.library_check import try_any_agent
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.words import count

LANGUAGES = ("python", "java", "go", "node")
KINDS = {Kind.GRID: "", Kind.ROUTER: "-router", Kind.PLACER: "-placer"}
"""The kinds of subjects that an agent can be written for, each with the ending of the name of its skeleton's folder."""
OF_LIBRARIES = ("python", "go", "node")
"""The languages of agents for libraries, which are not members of a grid."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `adapter`."""
    commands = parser.add_subparsers(dest="what", required=True, metavar="new|test")
    new = commands.add_parser("new", help="write an agent that runs at once, with a toy behind it")
    new.add_argument("name", metavar="NAME", help="a folder to make; its last part is the system's name")
    new.add_argument("--language", choices=LANGUAGES, default="python", help="what it is written in (default python)")
    new.add_argument(
        "--kind", choices=[kind.value for kind in KINDS], default=Kind.GRID.value,
        help="what it is: a member of a grid (grid, default), a client that sends keys to partitions (router), or a "
        "library that puts keys on nodes (placer)",
    )  # fmt: skip
    test = commands.add_parser("test", help="test an agent before it accuses a system")
    test.add_argument("folder", metavar="FOLDER", help=f"a folder with {MANIFEST}")
    test.add_argument("--json", action="store_true", help="print one JSON object on standard output")


def run(arguments: argparse.Namespace) -> int:
    """Write an agent, or test an agent, and return the exit status."""
    if arguments.what == "new":
        return _write(Path(arguments.name), arguments.language, Kind(arguments.kind))
    return _test(arguments.folder, as_json=arguments.json)


def _write(folder: Path, language: str, kind: Kind) -> int:
    if kind is not Kind.GRID and language not in OF_LIBRARIES:
        choices = f"write one of these languages: {', '.join(OF_LIBRARIES)}"
        raise UsageError(f"--kind {kind} --language {language}: no skeleton of a {kind} is in {language}; {choices}")
    if folder.exists():
        raise UsageError(f"{folder} exists already; give the name of a new folder")
    if not is_run_name(folder.name):
        raise UsageError(f"the name of the system must be {RUN_NAME}, not {folder.name!r}; name another folder")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _fill(folder, language, KINDS[kind])
    except OSError as error:
        raise UsageError(f"cannot write the folder {folder}: {reason_of(error)}; name another folder") from None
    console = open_console()
    asks = "a toy that it asks" if kind is Kind.GRID else "a rule of its own"
    console.print(f"{folder} holds an agent in {language} and {asks}. Now:")
    named = _as_a_word(str(folder))
    console.print(f"  gridproof adapter test {named}    # does the agent keep the protocol?", soft_wrap=True)
    console.print(f"  gridproof check --system {named}  # does the system keep its promises?", soft_wrap=True)
    return ExitStatus.HOLDS


def _as_a_word(folder: str) -> str:
    """Return a folder as a word of a command line; `--system valkey` would mean the shipped system, not the folder."""
    from gridproof_implementation.adapters import find_adapter  # imported here: the start needs no adapter

    is_another = find_adapter(folder) is not None or folder == "all"
    return shlex.quote(f"./{folder}" if is_another or folder.startswith("-") else folder)


def _fill(folder: Path, language: str, ending: str) -> None:
    with as_file(files("gridproof_implementation.live")) as live, written_whole(folder) as beside:
        shutil.copytree(
            live / "skeletons" / f"{language}{ending}", beside, ignore=shutil.ignore_patterns("__pycache__")
        )
        toy = {} if ending else {"skeletons/python/toy.py": "toy.py"}
        for source, target in {**_BASES[language], **toy}.items():
            shutil.copy(live / source, beside / target)
        manifest = json.loads((beside / MANIFEST).read_text(encoding="utf-8"))
        text = json.dumps({**manifest, "name": folder.name}, indent=2) + "\n"
        (beside / MANIFEST).write_text(text, encoding="utf-8")


_SIDES = {
    "go": {f"skeletons/go/{name}": name for name in ("gridproof_agent.go", "go.mod")},
    "node": {"skeletons/node/gridproof_agent.mjs": "gridproof_agent.mjs"},
}
_BASES = {"python": {"agent.py": "gridproof_agent.py"}, "java": {f"java/{name}": name for name in BASE}, **_SIDES}
"""Files copied besides the skeleton: the base of all agents in that language, which speaks the agent protocol."""


def _test(folder: str, *, as_json: bool) -> int:
    path = manifest_at(folder)
    if path is None:
        raise AdapterError(f"{folder}: no such folder; `gridproof adapter new NAME` writes one")
    manifest = read_manifest(path)
    examined: list[Examined] = []
    console = open_console()
    with limited() as limit:
        for part in try_any_agent(manifest.launch()):
            examined.append(part)
            if not as_json:
                _print(part)
    limit.say("these are the parts that were tried")
    complaints = sum(len(part.complaints) for part in examined)
    if as_json:
        parts = [{"part": p.part, "reached": p.was_reached, "complaints": list(p.complaints)} for p in examined]
        print(json.dumps({"agent": manifest.name, "parts": parts}))
    elif limit.why is not None:
        pass
    elif complaints:
        console.print(f"{manifest.name}: {count(complaints, 'complaint')}; mend the agent, or the system")
    else:
        now = f"gridproof check --system {_as_a_word(folder)}"
        console.print(f"{manifest.name}: no complaints; now {now}", soft_wrap=True)
    return ExitStatus.BROKEN if complaints else ExitStatus.HOLDS if limit.why is None else ExitStatus.UNKNOWN


def _print(part: Examined) -> None:
    console = open_console()
    word = "not reached" if not part.was_reached else "wrong" if part.complaints else "good"
    console.print(f"{word:<12} {part.part}")
    for complaint in part.complaints:
        console.print(f"             - {complaint}")
