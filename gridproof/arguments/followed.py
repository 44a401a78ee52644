"""Which options each kind of subject uses.

These lists are in no other file: from them, commands know which options to refuse, `docs/options.md` is printed, and a
test goes through every parser, so that an option without a row is noticed. An option that a kind of subject does not
use is refused here, in one line; the parser refuses unknown options, and the reader of a value refuses wrong values.
"""

from collections.abc import Sequence
from enum import Enum

from gridproof.command import UsageError

_GATE = "--only --fail-on"
_CI = f"{_GATE} --baseline --write-baseline --junit --sarif"
_OUT = "--out --json"
DRAWN = "--members --backups --faults --workload --minutes --vary --rate --config --map --set"
EXPLAINED = f"--of --prefixes --continuations --workers {_OUT}"
_WORLD = "--members --backups --writes --size --set"
_AUDIT = f"--system --seed --promises {_CI} --time-limit {_OUT}"
_CONFIG = "--config --map --set --hosts --zones --racks --nodes"
_LIVE = f"--system --system-version --times --at-least --promises {_CI} --time-limit {_OUT}"
_SIMULATED = f"--seed --runs {DRAWN} --at-least --steps {_GATE} --json"
_EXPLORED = f"{_WORLD} --memory --first --depth --states --time-limit {_OUT}"
_MEASURED = f"{_WORLD} --rate --of --time --json"
_CHAIN = f"{_MEASURED} --like --cell --quantity --sensitivity --events --sweep --memory --out"


VARIED_BY_SEED = frozenset(DRAWN.split()) - {"--vary"}
"""The options whose values are decided by the seeds of varied runs."""


class SubjectOfCommand(Enum):
    """A kind of subject that a command has, or a mode of the command.

    A member of the class has the command, the words for the subject in a sentence, the options that it uses, and the
    option that selects it.
    """

    def __init__(self, command: str, words: str, options: str, chosen_by: str = "") -> None:
        self.command, self.words, self.chosen_by = command, words, chosen_by
        self.follows = frozenset(options.split())


class Subject(SubjectOfCommand):
    """The kinds of things that the installed commands work on, each with its command and the options that apply."""

    CONFIGURED_GRID = "check", "the reference", f"{_AUDIT} --members --backups --async-backups {_CONFIG}"
    CONFIGURED_MEMBERS = (
        "check", "a live grid with a configuration",
        f"{_AUDIT} --system-version --members --backups --async-backups {_CONFIG}",
    )  # fmt: skip
    OTHER_GRID = "check", "a grid in this process", f"{_AUDIT} --members --backups --async-backups"
    LIVE_GRID = "check", "a live grid", f"{_AUDIT} --system-version --members --backups --async-backups"
    PLACER = "check", "a placement library", f"{_AUDIT} --members --backups --zones"
    ROUTER = "check", "a key router", _AUDIT
    LIVE_RUNS = (
        "check",
        "runs under faults",
        f"{_LIVE} --runs --seed --members --backups --async-backups --faults --workload --clients --rate --duration "
        "--keys --popularity --cycle --shrink --config --map --set",
        "--runs",
    )
    LIVE_SCENARIO = "check", "a scenario that is played again", f"{_LIVE} --scenario", "--scenario"
    COMPARED = (
        "compare", "two systems that are audited",
        f"--versions --members --backups --async-backups --seed {_CI} --time-limit {_OUT}",
    )  # fmt: skip
    SCENARIO_COMPARED = (
        "compare", "a scenario that is played on two systems",
        f"--versions --scenario --times --at-least {_CI} --time-limit {_OUT}", "--scenario",
    )  # fmt: skip
    STORIES_LISTED = "story", "a list of stories", "--json"
    STORIES_PLAYED = "story", "stories that are played", "--all --versions --times --steps --page --json", "--all"
    SYSTEMS = "systems", "the list of systems", "--json"
    AGENT_WRITTEN = "adapter new", "an agent that is written", "--language --kind"
    AGENT_TESTED = "adapter test", "an agent that is tested", "--json"
    PROPERTIES = "properties", "a property", "--json"
    TRACES_HERE = "audit", "traces judged in this process", f"--engine --promises --time-limit {_CI} {_OUT}"
    TRACES_ON_SPARK = "audit", "traces judged on Spark", f"--engine --master --time-limit {_CI} {_OUT}"
    TRACE_VALIDATED = "validate", "a trace", f"--specification {_OUT}"
    LOG_VALIDATED = "validate", "a log", f"--table {_OUT}"
    RECORDED_RUN = "report", "a recorded run", _GATE
    SPECIFICATIONS = "specs", "the list of specifications", "--json"
    SHOWN = "show", "a specification", ""
    EXPORTED_TO_TLA = "export", "a module for TLC", f"{_WORLD} --language --out"
    EXPORTED_TO_PRISM = "export", "a model for PRISM", f"{_WORLD} --language --rate --of --out"
    EXPLORED = "explore", "a world", f"{_EXPLORED} --symmetry --no-eventually"
    EXPLORED_SAFETY = "explore", "a world without progress claims", f"{_EXPLORED} --symmetry"
    EXPLORED_WHOLE = "explore", "a world without symmetry", f"{_EXPLORED} --no-eventually"
    MEASURED = "measure", "a world", f"{_CHAIN} --symmetry"
    MEASURED_WHOLE = "measure", "a world without symmetry", _CHAIN
    MEASURED_BY_SPLITTING = "measure", "simulation with --split", f"{_MEASURED} --split --trials --seed", "--split"
    PROVED = "prove", "a proof, whose argument names its worlds,", f"--graph {_OUT}"
    LEMMAS_FOUND = (
        "prove", "a search for lemmas", f"{_WORLD} --find --claim --with --seed --memory --time-limit {_OUT}", "--find"
    )  # fmt: skip
    REFINED = "prove", "a refinement", f"{_WORLD} --refines --by --json", "--refines"
    ONE_RUN = "simulate", "a single run", f"{_SIMULATED} --out"
    RUNS = "simulate", "several runs", f"{_SIMULATED} --workers --time-limit"
    SEED_REPLAYED = "replay", "a seed", f"{DRAWN} --at-least --steps --whole --out --json"
    SCENARIO_REPLAYED = "replay", "a scenario, which holds its whole run,", "--at-least --whole --out --json"
    BEHAVIOUR_REPLAYED = "replay", "a behaviour", "--out --svg --json"
    SEED_EXPLAINED = "explain", "a seed", f"{EXPLAINED} {DRAWN} --steps"
    SCENARIO_EXPLAINED = "explain", "a scenario, which holds its whole run,", EXPLAINED
    CAMPAIGN = "campaign", "a campaign", f"--master --runs --until --config --map --set {_OUT}"
    STUDY = "study", "the runs of a campaign", f"--only {_OUT}"
    STUDY_BY_SPLITTING = (
        "study", "simulation with --split", f"--only --split --trials --batches --seed --workers {_OUT}", "--split"
    )  # fmt: skip
    PAPERS_LISTED = "papers", "a list of papers", "--json"
    PAPER = "papers", "one paper", "--seed --quick --page --json"
    PAPERS = "papers", "several papers", "--all --seed --quick --workers --page --json", "--all"
    COMPLETION = "completion", "a shell", ""


def refuse_ignored(typed: Sequence[str], *subjects: SubjectOfCommand, called: str = "") -> None:
    """Raise UsageError for the first option that was typed and that none of these subjects uses."""
    for subject in subjects:
        ignored = next((option for option in typed if option not in subject.follows), None)
        if ignored is not None:
            who = f"{subject.words} ({called})" if called else subject.words
            but = _but(ignored, subject)
            raise UsageError(f"{ignored} does not apply to {who.rstrip(',') if but else who}{but}; leave it out")


def _but(option: str, subject: SubjectOfCommand) -> str:
    kinds = type(subject)
    others = [one.words.rstrip(",") for one in kinds if one.command == subject.command and option in one.follows]
    is_lacking = any(subject.words.startswith(words) for words in others)  # as "a world without symmetry"
    return "" if is_lacking else f", only to {' or '.join(others)}"
