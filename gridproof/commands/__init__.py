"""All commands, in the order of the help."""

from gridproof.command import Command, Program

COMMANDS: tuple[Command, ...] = (
    Command("check", "attack a system, judge what it did, write a report"),
    Command("compare", "ask two systems the same and compare what they do"),
    Command("story", "play the documents' findings on running members"),
    Command("systems", "list the systems that can be checked"),
    Command("adapter", "write an agent for a system of your own, or test one", has_json=False),
    Command("properties", "list what is judged, and which mutants it killed"),
    Command("audit", "judge recorded traces again, no system present"),
    Command("validate", "hold a trace, or any program's log, against a specification"),
    Command("report", "write the report of a recorded run again", has_json=False),
    Command("specs", "list the specifications"),
    Command("show", "print a specification as a page of text", has_json=False),
    Command("export", "write a specification as a TLA+ module for TLC", has_json=False),
    Command("explore", "visit every state of a small world and judge every claim"),
    Command("measure", "measure a world with rates: how likely, how soon, how often"),
    Command("prove", "prove a specification's claims; print the ledger"),
    Command("simulate", "simulate grids under faults and judge them"),
    Command("replay", "replay a behaviour or a simulated run step by step and draw it"),
    Command("explain", "find from which moment of a failing run its failure is likely"),
    Command("campaign", "simulate a grid of parameters times seeds on Spark"),
    Command("study", "estimate, compare and draw what a campaign says"),
    Command("papers", "recompute published tables and compare"),
    Command("completion", "print a script that completes words in bash, zsh or fish", has_json=False),
)
GRIDPROOF = Program(
    "gridproof",
    "Say what a data grid must do, and find out whether one does.",
    COMMANDS,
    {
        "zoo --blind": "python -m suite blind",
        "zoo": "python -m suite zoo",
        "reach": "python -m suite reach",
        "explain --mutant": "python -m suite explain SEED --mutant NAME",
        "simulate --coverage": "python -m suite coverage",
    },
)
