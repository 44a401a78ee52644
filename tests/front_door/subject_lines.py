"""A command line of every kind of subject, as short as it can be.

A test of options takes them as they are: each kind that is declared has a line here, or the tests say so.
"""

from collections.abc import Mapping
from pathlib import Path

from gridproof.arguments.followed import Subject, SubjectOfCommand
from suite.followed import SuiteSubject

CONSENSUS = Path(__file__).parents[2] / "docs" / "examples" / "consensus.py"
"""A specification without progress claims."""
OWN_GRID = "pocket_adapter.py:ADAPTER"
LINES: Mapping[SubjectOfCommand, str] = {
    Subject.CONFIGURED_GRID: "check",
    Subject.CONFIGURED_MEMBERS: "check --system hazelcast",
    Subject.OTHER_GRID: f"check --system {OWN_GRID}",
    Subject.LIVE_GRID: "check --system vecgrid",
    Subject.PLACER: "check --system clandestined",
    Subject.ROUTER: "check --system hazelcast-client",
    Subject.LIVE_RUNS: "check --system vecgrid --runs 1",
    Subject.LIVE_SCENARIO: "check --system vecgrid --scenario scenario.json",
    Subject.COMPARED: "compare jump-consistent-hash uhashring",
    Subject.SCENARIO_COMPARED: "compare vecgrid valkey --scenario scenario.json",
    Subject.STORIES_LISTED: "story",
    Subject.STORIES_PLAYED: "story answer-takes-back",
    Subject.SYSTEMS: "systems",
    Subject.AGENT_WRITTEN: "adapter new mine",
    Subject.AGENT_TESTED: "adapter test mine",
    Subject.PROPERTIES: "properties full-rows",
    Subject.TRACES_HERE: "audit trace.jsonl --engine local",
    Subject.TRACES_ON_SPARK: "audit trace.jsonl --engine spark",
    Subject.TRACE_VALIDATED: "validate trace.jsonl --specification ownership",
    Subject.LOG_VALIDATED: "validate ring.jsonl --table ring_log.py:RING",
    Subject.RECORDED_RUN: "report run",
    Subject.SPECIFICATIONS: "specs",
    Subject.SHOWN: "show two_phase_commit",
    Subject.EXPORTED_TO_TLA: "export two_phase_commit --out tla",
    Subject.EXPORTED_TO_PRISM: "export durability --language prism --rate *=1/s --out prism",
    Subject.EXPLORED: "explore two_phase_commit --size 2",
    Subject.EXPLORED_SAFETY: f"explore {CONSENSUS}",
    Subject.EXPLORED_WHOLE: "explore durability",
    Subject.MEASURED: "measure two_phase_commit --size 2 --rate *=1/s",
    Subject.MEASURED_WHOLE: "measure durability --rate *=1/s",
    Subject.MEASURED_BY_SPLITTING: "measure durability --rate *=1/s --time 1min --split live_copies",
    Subject.PROVED: "prove two_phase_commit",
    Subject.REFINED: "prove two_phase_commit --refines two_phase_commit",
    Subject.LEMMAS_FOUND: "prove two_phase_commit --find",
    Subject.ONE_RUN: "simulate --members 2",
    Subject.RUNS: "simulate --runs 2 --members 2",
    Subject.SEED_REPLAYED: "replay 3",
    Subject.SCENARIO_REPLAYED: "replay scenario.json",
    Subject.BEHAVIOUR_REPLAYED: "replay behaviour.json",
    Subject.SEED_EXPLAINED: "explain 3 --prefixes 3 --continuations 1",
    Subject.SCENARIO_EXPLAINED: "explain scenario.json --prefixes 3 --continuations 1",
    SuiteSubject.MUTANT_EXPLAINED: "suite explain 3 --mutant M01 --prefixes 3 --continuations 1",
    Subject.CAMPAIGN: "campaign small.toml",
    Subject.STUDY: "study campaign",
    Subject.STUDY_BY_SPLITTING: "study campaign --split all",
    SuiteSubject.REACH_MEASURED: "suite reach --runs 1",
    SuiteSubject.REACH_CHECKED: "suite reach --check reach.md",
    SuiteSubject.REACH_REASONS: "suite reach --reasons reach.md",
    SuiteSubject.MUTANTS: "suite zoo M01 --budget 0.1",
    SuiteSubject.KILLED: "suite killed",
    SuiteSubject.UNSEEN: "suite unseen B0000000",
    SuiteSubject.TESTS: "suite tests nothing",
    SuiteSubject.SLIPS: "suite slips nothing",
    SuiteSubject.COVERED: "suite coverage --members 2",
    SuiteSubject.BLIND_MUTANTS: "suite blind --draw 1 --budget 0.1",
    Subject.PAPERS_LISTED: "papers",
    Subject.PAPER: "papers data-loss-1988",
    Subject.PAPERS: "papers data-loss-1988 balls-1994",
    Subject.COMPLETION: "completion bash",
}


def words_of(subject: SubjectOfCommand) -> list[str]:
    """Return what is typed for a kind of subject."""
    return LINES[subject].split()
