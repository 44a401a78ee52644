"""The commands, each one file: `name`, `summary`, arguments, run."""

from gridproof.command import Command
from gridproof.commands import audit, check, report, systems

COMMANDS: tuple[Command, ...] = (check.COMMAND, systems.COMMAND, audit.COMMAND, report.COMMAND)
