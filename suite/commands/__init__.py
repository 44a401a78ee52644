"""All commands of the suite, in the order of the help."""

from gridproof.command import Command, Program

HERE = "suite.commands"
COMMANDS: tuple[Command, ...] = (
    Command("zoo", "plant bugs in the reference and find them", HERE),
    Command("explain", "find from which moment a run of a planted bug is likely to fail", HERE),
    Command("killed", "write which planted bugs each property has killed", HERE, has_json=False),
    Command("blind", "change the members' code anywhere, and see whether judged runs notice", HERE),
    Command("unseen", "search runs for mutants that are explained as not noticed", HERE, has_json=False),
    Command("tests", "change the implementation's code anywhere, and see whether tests notice", HERE, has_json=False),
    Command("slips", "make slips in specifications, and see whether anything notices", HERE, has_json=False),
    Command("reach", "say which rules of the members simulated runs execute", HERE),
    Command("coverage", "say what share of a small world simulated runs have met", HERE),
)
SUITE = Program("python -m suite", "Find out whether the judges notice what is wrong.", COMMANDS)
