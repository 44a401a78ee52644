"""The command line: a single parser, with one file for each command.

The exit status of every command: 0 if all promised properties hold, 1 if one is broken, 2 after wrong use, 3 if one is
unknown. Wrong use is reported in one line on standard error; if no command is given, the help is printed there. With
`--json`, one object is printed on standard output, and nothing else. Only the module of the command that was typed is
imported.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from gridproof.arguments.values import path_of, whole_of
from gridproof.command import WITHOUT_DOCSTRINGS, Program
from gridproof.commands import GRIDPROOF
from gridproof.slow_sorts import spare_slow_sorts
from gridproof_model.user_error import NO_ROOM, UserError, described, printable
from gridproof_properties.child import run_in_child
from gridproof_properties.exit_status import ExitStatus

SORTING = frozenset({"explore", "measure"})
"""Commands that spend most of their time on sorting states."""


def main(arguments: Sequence[str] | None = None, program: Program = GRIDPROOF) -> int:
    """Run one command and return its exit status; by default it is this process's own, run in a child process."""
    return run_in_child(lambda: _run(program, sys.argv[1:])) if arguments is None else _run(program, arguments)


def _run(program: Program, words: Sequence[str]) -> int:
    if not words:
        # Choice: without a command, print the help and report wrong use; status 0 would say that all promises hold.
        build_parser(words, program).print_help(sys.stderr)
        return ExitStatus.WRONG_USE
    is_parsed = False
    try:
        if sys.flags.optimize > 1:
            raise UserError(WITHOUT_DOCSTRINGS)
        if moved := program.where_it_went(words):
            raise UserError(moved)
        chosen = build_parser(words, program).parse_args(words)
        is_parsed = True
        workers: int | None = getattr(chosen, "workers", None)
        if workers is not None and not 1 <= workers <= WORKERS_MAX:
            raise UserError(f"--workers {workers}: write a number of processes from 1 to {WORKERS_MAX}")
        status = int(chosen.run(chosen))
        _flush()
        return status
    except UserError as error:
        _say(str(error))
        return ExitStatus.WRONG_USE
    except KeyboardInterrupt:
        print("gridproof: interrupted", file=sys.stderr)
        return ExitStatus.INTERRUPTED
    except OSError as error:
        if error.filename is None and error.errno not in NO_ROOM:
            raise
        # Commands check their input before they work; file errors that no command foresees are reported here.
        # Examples of file errors that no command foresees: an invalid file name, an unreadable folder and a full disk.
        if error.filename:
            _say(f"{error.filename}: {error.strerror}; name another")
        else:
            _say(f"standard output, or a file that was being written: {error.strerror}; make room, or write elsewhere")
        return ExitStatus.WRONG_USE
    except BaseException as error:
        if isinstance(error, Exception) or not is_parsed:
            raise
        # Only a user's own code ends a command by an error that is no Exception, as sys.exit() does.
        _say(f"{described(error)}; it ended the command before a verdict")
        return ExitStatus.UNKNOWN


LINE_MAX, END_MAX = 2_000, 400
"""The most characters of an error line, and how many characters of a longer line are kept at its end; the rest is its
beginning."""


def _say(line: str) -> None:
    """Print an error as one line; if a text from outside makes the line too long, its middle is left out."""
    shown = line if len(line) <= LINE_MAX else f"{line[: LINE_MAX - END_MAX]} … {line[-END_MAX:]}"
    print(printable(f"gridproof: {shown}"), file=sys.stderr)


def build_parser(words: Sequence[str] | None, program: Program = GRIDPROOF) -> argparse.ArgumentParser:
    """Return the parser for these words: it has the arguments of the command that was typed.

    The parser has only that command if the words begin with it, and otherwise all commands. If `words` is None, it has
    the arguments of all commands.
    """
    parser = OneLineParser(prog=program.name, description=program.summary)
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="show program's version number and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    asked = next((word for word in words or () if not word.startswith("-")), None)
    typed_first = [command for command in program.commands if words and command.name == words[0]]
    for command in typed_first or program.commands:
        sub = commands.add_parser(command.name, help=command.summary, description=command.summary)
        if words is None or command.name == asked:
            if command.name in SORTING:
                spare_slow_sorts()
            module = command.load()
            module.add_arguments(sub)
            if command.has_json:
                sub.add_argument("--json", action="store_true", help="print one JSON object on standard output")
            sub.set_defaults(run=module.run)
    return parser


WORKERS_MAX = 256


class OneLineParser(argparse.ArgumentParser):
    """An argument parser that reports an error in one line, and notes which options were typed."""

    def __init__(self, *positional: Any, **named: Any) -> None:
        super().__init__(*positional, **named)
        self.register("type", int, whole_of)
        self.register("type", Path, path_of)

    def parse_known_args(  # type: ignore[override] # it is only called with a list of words
        self, args: Sequence[str] | None = None, namespace: None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse words; `typed` of the result has the names of the options that were typed, without defaults.

        An option with one value that is given twice is refused, as one of the two values would be ignored; so is a
        value that is given twice.
        """
        options = [action for action in self._actions if action.option_strings and action.dest != "help"]
        defaults = {action.dest: action.default for action in options}
        for action in options:
            action.default = argparse.SUPPRESS
        counted = _Counted()
        _, rest = super().parse_known_args(args, counted)
        if rest and self._subparsers is None:  # the program's own parser would not name the command
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        chosen = vars(counted)
        times = chosen.pop(_TIMES)
        typed = [action for action in options if action.dest in chosen]
        for action in typed:
            option, values = action.option_strings[-1], chosen[action.dest]
            if isinstance(action, argparse._AppendAction):
                twice = next((f"{option} {value}" for value in values if values.count(value) > 1), "")
            else:
                twice = option if action.nargs != 0 and times[action.dest] > 1 else ""
            if twice:
                self.error(f"{twice} is given twice; give it once")
        names = (*chosen.pop("typed", ()), *(action.option_strings[-1] for action in typed))
        return argparse.Namespace(**{**defaults, **chosen, "typed": names}), rest

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Leave as argparse does, after what was printed, such as the help, has found room."""
        _flush()
        super().exit(status, message)

    def _print_message(self, message: str, file: Any = None) -> None:  # argparse passes over a full disk
        print(message, end="", file=file or sys.stderr)

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and where help can be found, then exit with status 2."""
        self.exit(ExitStatus.WRONG_USE, printable(f"{self.prog}: {message}; see {self.prog} --help") + "\n")


def _flush() -> None:
    """Write what was printed; raise OSError if there is no room for it."""
    with suppress(ValueError, AttributeError):  # the output may be closed
        sys.stdout.flush()


_TIMES = "--times--"
"""The attribute that counts how often each option was typed; no option has this name."""


class _Counted(argparse.Namespace):
    """A namespace that counts how often each of its attributes is set."""

    def __init__(self) -> None:
        super().__init__()
        self.__dict__[_TIMES] = Counter[str]()

    def __setattr__(self, name: str, value: object) -> None:
        self.__dict__[_TIMES][name] += 1
        super().__setattr__(name, value)


class _ShowVersion(argparse.Action):
    """Prints the version, which is looked up only when asked for: this takes longer than the rest of the start."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from gridproof import __version__

        print(f"gridproof {__version__}")
        parser.exit()
