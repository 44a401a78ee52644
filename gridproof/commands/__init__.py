"""The commands, each with name, summary, arguments and run."""

from gridproof.command import Command
from gridproof.commands import audit, check, explore, prove, reach, replay, report, simulate, specs, systems, zoo

COMMANDS: tuple[Command, ...] = (
    check.COMMAND,
    systems.COMMAND,
    audit.COMMAND,
    report.COMMAND,
    specs.SPECS,
    specs.SHOW,
    specs.EXPORT,
    explore.COMMAND,
    prove.COMMAND,
    simulate.COMMAND,
    replay.COMMAND,
    reach.COMMAND,
    zoo.COMMAND,
)
