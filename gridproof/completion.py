"""Completion scripts for shells, made from the parser.

A script is static: it holds every command, its options, and the words that may stand behind one, and starts no Python
when a key is pressed. What is a file or a folder is left to the shell.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from gridproof.cli import build_parser
from gridproof.commands import COMMANDS


class Wanted(StrEnum):
    """What stands behind an option, or without one."""

    NOTHING = "nothing"
    FILE = "file"
    FOLDER = "folder"
    TEXT = "text"
    """Something that cannot be guessed."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a command; a positional argument has no names."""

    names: tuple[str, ...]
    help: str
    words: tuple[str, ...]
    """What may stand behind it; empty where that is not a choice of few."""
    wanted: Wanted


@dataclass(frozen=True, slots=True)
class CommandWords:
    """What may be typed behind a command."""

    name: str
    summary: str
    options: tuple[Option, ...]
    positional: Option | None

    @property
    def names(self) -> list[str]:
        """Every option, in its order."""
        return [name for option in self.options for name in option.names]


def every_command() -> tuple[CommandWords, ...]:
    """Return what the parser knows of every command."""
    known = _known_words()
    return tuple(_words_of(command.name, command.summary, known) for command in COMMANDS)


def script_for(shell: str) -> str:
    """Return the script for bash, zsh or fish."""
    return SHELLS[shell](every_command())


def _words_of(name: str, summary: str, known: Mapping[str, Sequence[str]]) -> CommandWords:
    parser = build_parser([name])
    subparsers = next(one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    actions = subparsers.choices[name]._actions
    options = [_option(one, known) for one in actions if one.option_strings]
    positionals = [_option(one, known, name) for one in actions if not one.option_strings]
    return CommandWords(name, summary, tuple(options), next(iter(positionals), None))


def _option(action: argparse.Action, known: Mapping[str, Sequence[str]], command: str = "") -> Option:
    key = action.option_strings[-1] if action.option_strings else f"{command} {action.dest}"
    words = tuple(str(one) for one in action.choices or known.get(key, ()))
    if action.nargs == 0:
        wanted = Wanted.NOTHING
    elif action.type is Path or "FILE" in str(action.metavar):
        wanted = Wanted.FOLDER if action.metavar == "DIR" else Wanted.FILE
    else:
        wanted = Wanted.TEXT
    text = " ".join((action.help or "").replace("%%", "%").split())
    return Option(tuple(action.option_strings), text, words, wanted)


def _known_words() -> Mapping[str, Sequence[str]]:
    """Return the words of what is looked up by name, by option or by command and argument."""
    from gridproof_implementation.adapters import ADAPTERS
    from gridproof_implementation.simulator.faults import FAULTS
    from gridproof_implementation.simulator.workloads import EVERY_WORKLOAD
    from gridproof_model.specifications import SPECIFICATIONS
    from gridproof_properties.catalogue import CATALOGUE
    from gridproof_properties.papers import PAPERS

    properties = [prop.name for prop in CATALOGUE]
    specifications = [one.name for one in SPECIFICATIONS]
    return {
        "--system": [*(adapter.name for adapter in ADAPTERS), "all"],
        "--only": properties,
        "--faults": [fault.name for fault in FAULTS],
        "--workload": [workload.name for workload in EVERY_WORKLOAD],
        "properties names": properties,
        "papers names": [paper.name for paper in PAPERS],
        **{f"{command} specification": specifications for command in ("show", "export", "explore", "measure", "prove")},
    }


def _bash(commands: Sequence[CommandWords]) -> str:
    cases = [_bash_case(command) for command in commands]
    names = " ".join(command.name for command in commands)
    return "\n".join(
        [
            "# bash completion of gridproof; made by `gridproof completion bash`",
            "_gridproof() {",
            '    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words="" files=""',
            "    COMPREPLY=()",
            "    if [[ $COMP_CWORD -eq 1 ]]; then",
            f'        COMPREPLY=($(compgen -W "{names} --help --version" -- "$word"))',
            "        return",
            "    fi",
            '    case "${COMP_WORDS[1]}" in',
            *cases,
            "    esac",
            '    [[ -n $words ]] && COMPREPLY=($(compgen -W "$words" -- "$word"))',
            "    if [[ -n $files ]]; then",
            "        local IFS=$'\\n'",
            "        compopt -o filenames 2>/dev/null",
            '        COMPREPLY+=($(compgen -"$files" -- "$word"))',
            "    fi",
            "    return 0",
            "}",
            "complete -F _gridproof gridproof",
            "",
        ]
    )


def _bash_case(command: CommandWords) -> str:
    lines = [f"        {command.name})", '            case "$before" in']
    valued = [option for option in command.options if option.wanted is not Wanted.NOTHING]
    lines += [f"                {'|'.join(option.names)}) {_bash_value(option)};;" for option in valued]
    positional = _bash_value(command.positional) if command.positional is not None else ""
    rest = f'*) if [[ $word == -* ]]; then words="{" ".join(command.names)}"; else :; {positional}; fi;;'
    return "\n".join([*lines, f"                {rest}".replace("; ; fi", "; fi"), "            esac;;"])


def _bash_value(option: Option) -> str:
    if option.words:
        return f'words="{" ".join(option.words)}"'
    return {Wanted.FILE: "files=f", Wanted.FOLDER: "files=d"}.get(option.wanted, ":")


def _zsh(commands: Sequence[CommandWords]) -> str:
    listed = [f"        {_quoted(f'{command.name}:{command.summary}')}" for command in commands]
    return "\n".join(
        [
            "#compdef gridproof",
            "# zsh completion of gridproof; made by `gridproof completion zsh`",
            "_gridproof() {",
            "    local -a commands",
            "    commands=(",
            *listed,
            "    )",
            "    if (( CURRENT == 2 )); then",
            "        _describe command commands",
            "        return",
            "    fi",
            "    local command=$words[2]",
            "    shift words",
            "    (( CURRENT -= 1 ))",
            "    case $command in",
            *(_zsh_case(command) for command in commands),
            "    esac",
            "}",
            'if [[ $funcstack[1] == _gridproof ]]; then _gridproof "$@"; else compdef _gridproof gridproof; fi',
            "",
        ]
    )


def _zsh_case(command: CommandWords) -> str:
    specs = []
    for option in command.options:
        value = "" if option.wanted is Wanted.NOTHING else f":value:{_zsh_value(option)}"
        specs += [_quoted(f"*{name}[{_zsh_help(option.help)}]{value}") for name in option.names]
    if command.positional is not None:
        specs.append(_quoted(f"*:argument:{_zsh_value(command.positional)}"))
    joined = " \\\n                ".join(specs)
    return f"        {command.name})\n            _arguments \\\n                {joined};;"


def _zsh_value(option: Option) -> str:
    if option.words:
        return f"({' '.join(option.words)})"
    return {Wanted.FILE: "_files", Wanted.FOLDER: "_files -/"}.get(option.wanted, " ")


def _zsh_help(text: str) -> str:
    return text.replace("\\", "").replace("[", "(").replace("]", ")").replace(":", "\\:")


def _fish(commands: Sequence[CommandWords]) -> str:
    lines = ["# fish completion of gridproof; made by `gridproof completion fish`", "complete -c gridproof -f"]
    lines += [
        f"complete -c gridproof -n __fish_use_subcommand -a {command.name} -d {_fish_quoted(command.summary)}"
        for command in commands
    ]
    for command in commands:
        head = f"complete -c gridproof -n '__fish_seen_subcommand_from {command.name}'"
        for option in command.options:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
            lines.append(f"{head} {names}{_fish_value(option)} -d {_fish_quoted(option.help)}")
        if command.positional is not None:
            # -x and -r say that an option takes a value: they are not for an argument.
            value = _fish_value(command.positional).removeprefix(" -x").removeprefix(" -r")
            lines += [f"{head}{value}"] if value else []
    return "\n".join([*lines, ""])


def _fish_value(option: Option) -> str:
    if option.words:
        return f" -x -a {_fish_quoted(' '.join(option.words))}"
    if option.wanted is Wanted.NOTHING:
        return ""
    if option.wanted is Wanted.FOLDER:
        return " -x -a '(__fish_complete_directories)'"
    return " -r -F" if option.wanted is Wanted.FILE else " -x"


def _quoted(text: str) -> str:
    """Return a text in single quotes, as bash and zsh read them."""
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
