"""Which words show that each kind of subject follows each of its options.

What `USUAL` has of an option is typed where the subject has nothing of its own: an option that is new, and has neither,
fails.
"""

from collections.abc import Mapping

from gridproof.arguments.followed import Subject, SubjectOfCommand
from suite.followed import SuiteSubject
from tests.front_door.evidence import Cell
from tests.front_door.evidence_of_runs import LOAD_CELLS, PLAYED, PLAYED_CELLS, RESTARTS

LAMPS = "little_worlds.py"
RATES = "--rate *=1/s"
FAILING = "check --system stand_ins.py:FORGETFUL"
COMPARED = "compare stand_ins.py:TOY stand_ins.py:FORGETFUL"
CONFIRMED = '"confirmed_copies":(\\d)'
CONFIGURED = "check --system stand_ins.py:CONFIGURED --runs 1 --faults none"
STRUCK = r"^seed \d+: (at .*)"
"""Which faults a scenario has, as the table says."""
EXPLAINED = "explain 43 --workload appends --members 2 --prefixes 3 --continuations 1 --workers 1"
SPLIT = f"measure {LAMPS}:whole {RATES} --time 1s --split left --trials 10"
_CELL = "measure durability --of an_acknowledged_write_is_lost --quantity within"
OF_A_CELL = {
    "--like": Cell("--like cells.toml", instead="--like other_cells.toml", beside="--cell 0", line=_CELL),
    "--cell": Cell("--cell 0", instead="--cell 1", beside="--like cells.toml", line=_CELL),
}
LINES: Mapping[SubjectOfCommand, str] = {
    Subject.CONFIGURED_GRID: "check --config small.yaml",
    Subject.CONFIGURED_MEMBERS: "check --system stand_ins.py:MEMBERS --config small.yaml",
    Subject.OTHER_GRID: "check --system pocket_adapter.py:ADAPTER",
    Subject.LIVE_GRID: "check --system stand_ins.py:LIVE",
    Subject.PLACER: "check --system jump-consistent-hash",
    Subject.ROUTER: "check --system hazelcast-client",
    Subject.LIVE_RUNS: f"{PLAYED} --runs 1 --faults none",
    Subject.LIVE_SCENARIO: f"{PLAYED} --scenario live.json --times 1",
    Subject.COMPARED: "compare jump-consistent-hash uhashring",
    Subject.SCENARIO_COMPARED: f"{COMPARED} --scenario live.json --times 1",
    Subject.STORIES_LISTED: "story",
    Subject.STORIES_PLAYED: "story answer-takes-back",
    Subject.SYSTEMS: "systems",
    Subject.AGENT_WRITTEN: "adapter new mine",
    Subject.AGENT_TESTED: "adapter test agent",
    Subject.PROPERTIES: "properties full-rows",
    Subject.TRACES_HERE: "audit trace.jsonl",
    Subject.TRACES_ON_SPARK: "audit trace.jsonl --engine spark",
    Subject.TRACE_VALIDATED: "validate trace.jsonl --specification ownership",
    Subject.LOG_VALIDATED: "validate ring.jsonl --table table.py:TABLE",
    Subject.RECORDED_RUN: "report run",
    Subject.SPECIFICATIONS: "specs",
    Subject.EXPORTED_TO_TLA: f"export {LAMPS}:symmetric --out exported",
    Subject.EXPORTED_TO_PRISM: f"export {LAMPS}:symmetric --language prism {RATES} --out exported",
    Subject.EXPLORED: f"explore {LAMPS}:symmetric",
    Subject.EXPLORED_SAFETY: f"explore {LAMPS}:safe",
    Subject.EXPLORED_WHOLE: f"explore {LAMPS}:whole",
    Subject.MEASURED: f"measure {LAMPS}:symmetric {RATES}",
    Subject.MEASURED_WHOLE: f"measure {LAMPS}:whole {RATES}",
    Subject.MEASURED_BY_SPLITTING: SPLIT,
    Subject.PROVED: f"prove {LAMPS}:safe",
    Subject.LEMMAS_FOUND: f"prove {LAMPS}:safe --find",
    Subject.REFINED: f"prove {LAMPS}:safe --refines {LAMPS}:safe --by {LAMPS}:SAME",
    Subject.ONE_RUN: "simulate --seed 3 --set operations=8",
    Subject.RUNS: "simulate --seed 3 --runs 2 --set operations=8 --workers 1",
    Subject.SEED_REPLAYED: "replay 3 --set operations=8 --out replayed",
    Subject.SCENARIO_REPLAYED: "replay scenario.json",
    Subject.BEHAVIOUR_REPLAYED: "replay behaviour.json",
    Subject.SEED_EXPLAINED: EXPLAINED,
    Subject.SCENARIO_EXPLAINED: "explain broken.json --prefixes 3 --continuations 1 --workers 1",
    SuiteSubject.MUTANT_EXPLAINED: "suite explain 43 --mutant X10 --prefixes 3 --continuations 1 --workers 1",
    Subject.CAMPAIGN: "campaign small.toml",
    Subject.STUDY: "study campaign",
    Subject.STUDY_BY_SPLITTING: "study campaign --split all --trials 4 --batches 3 --workers 1",
    SuiteSubject.REACH_MEASURED: "suite reach --runs 1 --workers 1",
    SuiteSubject.REACH_CHECKED: "suite reach --check reach.md",
    SuiteSubject.REACH_REASONS: "suite reach --reasons reach.md",
    SuiteSubject.MUTANTS: "suite zoo M01 --budget 0.1",
    SuiteSubject.TESTS: "suite tests placement",
    SuiteSubject.SLIPS: "suite slips two_phase_commit --sample 1",
    SuiteSubject.COVERED: "suite coverage --seed 3 --set operations=4",
    SuiteSubject.BLIND_MUTANTS: "suite blind --draw 1 --budget 0.1 --runs 2",
    Subject.PAPERS_LISTED: "papers",
    Subject.PAPER: "papers data-loss-1988",
    Subject.PAPERS: "papers data-loss-1988 balls-1994 --workers 1",
}


USUAL: Mapping[str, Cell] = {
    "--async-backups": Cell("--async-backups 1"),
    "--at-least": Cell("--at-least 0"),
    "--backups": Cell("--backups 2"),
    "--baseline": Cell("--baseline stale.txt"),
    "--continuations": Cell("--continuations 2", instead="--continuations 1"),
    "--depth": Cell("--depth 1"),
    "--states": Cell("--states 2"),
    "--fail-on": Cell("--fail-on data-loss"),
    "--json": Cell("--json"),
    "--junit": Cell("--junit made.xml"),
    "--master": Cell("--master nowhere", ends_with_2=True, is_long=True),
    "--memory": Cell("--memory 1"),
    "--members": Cell("--members 6"),
    "--of": Cell("--of all_are_counted"),
    "--only": Cell("--only full-rows"),
    "--out": Cell("--out made"),
    "--page": Cell("--page made.md"),
    "--promises": Cell("--promises promises.json"),
    "--rate": Cell("--rate *=1/s", instead="--rate *=2/s"),
    "--sarif": Cell("--sarif made.sarif"),
    "--seed": Cell("--seed 5"),
    "--set": Cell("--set size=3"),
    "--size": Cell("--size 3"),
    "--steps": Cell("--steps"),
    "--time": Cell("--time 1s"),
    "--time-limit": Cell("--time-limit 0.001"),
    "--workers": Cell("--workers 2", instead="--workers 1", is_long=True),
    "--write-baseline": Cell("--write-baseline made.txt"),
    "--writes": Cell("--writes 3"),
}
DRAWN: Mapping[str, Cell] = {
    "--faults": Cell("--faults crash"),
    "--workload": Cell("--workload queue"),
    "--minutes": Cell("--minutes 1"),
    "--vary": Cell("--vary"),
    "--rate": Cell("--rate crash=1/30s"),
    "--config": Cell("--config small.yaml"),
    "--map": Cell("--map hot", beside="--config small.yaml"),
    "--set": Cell("--set partitions=7"),
}
OTHER_PROPERTY = Cell("--of acknowledged-write-kept")
STATED = Cell("--promises promises.json", fact="the auditor's promises.json")
EVIDENCE: Mapping[SubjectOfCommand, Mapping[str, Cell]] = {
    Subject.CONFIGURED_GRID: {
        "--system": Cell("--system reference-optimal"),
        "--config": Cell("--config zoned.yaml --zones a,b,c", instead="--config small.yaml", line="check"),
        "--map": Cell("--map hot"),
        "--set": Cell("--set count=7", instead="--set count=5", line="check --config variable.yaml"),
        "--hosts": Cell("--hosts a,b,c", instead="--hosts a,a,b", line="check --config hosted.yaml"),
        "--zones": Cell("--zones a,b,c", instead="--zones a,a,b", line="check --config zoned.yaml"),
        "--racks": Cell("--racks a,b,c", instead="--racks a,a,b", line="check --config zoned.yaml"),
        "--nodes": Cell("--nodes a,b,c", instead="--nodes a,a,b", line="check --config noded.yaml"),
        "--async-backups": Cell("--async-backups 1", beside="--backups 2"),
    },
    Subject.CONFIGURED_MEMBERS: {
        "--system": Cell("--system stand_ins.py:MEMBERS", instead="--system stand_ins.py:OTHERS", line="check"),
        "--system-version": Cell("--system-version 1"),
        "--config": Cell(
            "--config zoned.yaml --zones a,b,c",
            instead="--config small.yaml",
            line="check --system stand_ins.py:MEMBERS",
        ),
        "--map": Cell("--map hot"),
        **{
            option: Cell(
                f"{option} {value}",
                instead=f"{option} {other}",
                line=f"check --system stand_ins.py:MEMBERS --config {file}.yaml",
            )
            for option, value, other, file in (
                ("--set", "count=7", "count=5", "variable"),
                ("--hosts", "a,b,c", "a,a,b", "hosted"),
                ("--zones", "a,b,c", "a,a,b", "zoned"),
                ("--racks", "a,b,c", "a,a,b", "zoned"),
                ("--nodes", "a,b,c", "a,a,b", "noded"),
            )
        },
        "--async-backups": Cell("--async-backups 1", beside="--backups 2"),
    },
    Subject.LIVE_GRID: {
        "--system": Cell("--system stand_ins.py:LIVE", instead="--system pocket_adapter.py:ADAPTER", line="check"),
        "--system-version": Cell("--system-version 1"),
        "--async-backups": Cell("--async-backups 1", beside="--backups 2"),
    },
    Subject.ROUTER: {
        "--system": Cell("--system hazelcast-client", instead="--system stand_ins.py:ROUTER", line="check"),
        "--only": Cell("--only key-to-partition"),
    },
    Subject.LIVE_RUNS: {
        **{option: Cell(cell.words, fact=cell.fact) for option, cell in PLAYED_CELLS.items()},
        "--system": Cell(
            "--system stand_ins.py:TOY",
            instead="--system stand_ins.py:FORGETFUL",
            line=f"check {RESTARTS} --times 1",
            fact="nothing was compared|kept 1 of 1",
        ),
        "--promises": STATED,
        "--times": Cell(
            "--times 2", instead="--times 1", line=f"{FAILING} {RESTARTS}", fact="acknowledged-key-present \\d of (\\d)"
        ),
        "--time-limit": Cell("--time-limit 0.001", "", "--at-least 0", f"{PLAYED} --runs 2", fact="these are 1"),
        "--runs": Cell("--runs 2", instead="--runs 1", line=f"{PLAYED} --faults none", fact="^│ +1 │"),
        "--seed": Cell("--seed 5", line=f"{PLAYED} --runs 1 --faults restart,pause", fact=STRUCK),
        "--members": Cell("--members 4", fact='"member":(\\d+),"change":"joined"'),
        "--backups": Cell("--backups 2", fact=CONFIRMED),
        "--async-backups": Cell("--async-backups 1", beside="--backups 2", fact=CONFIRMED),
        "--faults": Cell("--faults restart", instead="--faults none", line=f"{PLAYED} --runs 1", fact="^│ restart"),
        "--workload": Cell("--workload counter", fact=r'"kind":"(\w+)".*"stage":"busy"'),
        **LOAD_CELLS,
        "--shrink": Cell("--shrink 8", line=f"{FAILING} {RESTARTS} --times 1", fact="^made small: .*?;"),
        "--config": Cell("--config two.yaml", "--config small.yaml", line=CONFIGURED, fact=CONFIRMED),
        "--map": Cell("--map hot", "", "--config two.yaml", CONFIGURED, fact=CONFIRMED),
        "--set": Cell("--set count=7", "--set count=5", "--config variable.yaml", CONFIGURED, fact='count":(\\d+)'),
    },
    Subject.COMPARED: {
        "--versions": Cell("--versions 1,2", line="compare stand_ins.py:LIVE stand_ins.py:LIVE"),
        "--async-backups": Cell("--async-backups 1", beside="--backups 2", line="compare reference reference"),
        "--members": Cell("--members 4"),
        "--backups": Cell("--backups 0", instead="--backups 1", line="compare clandestined clandestined"),
        "--only": Cell("--only movement-of-copies"),
    },
    Subject.SCENARIO_COMPARED: {
        **PLAYED_CELLS,
        "--versions": Cell("--versions 1,2", fact="TOY \\((\\d)"),
        "--scenario": Cell("--scenario live.json", instead="--scenario other.json", line=COMPARED, fact="^[\\d,]+ q"),
        "--times": Cell("--times 2", instead="--times 1", line=f"{COMPARED} --scenario live.json", fact="again-\\d"),
        "--time-limit": Cell("--time-limit 0.001", line=f"{COMPARED} --scenario live.json --times 2", fact="again-\\d"),
        "--json": Cell("--json", fact='^{"subjects"'),
    },
    Subject.LIVE_SCENARIO: {
        **PLAYED_CELLS,
        "--system": Cell(
            "--system stand_ins.py:TOY",
            instead="--system stand_ins.py:FORGETFUL",
            line="check --scenario live.json --times 1",
            fact="nothing was compared|kept 1 of 1",
        ),
        "--promises": STATED,
        "--times": Cell("--times 2", instead="--times 1", line=f"{PLAYED} --scenario live.json", fact="in 2 of 2"),
        "--scenario": Cell(
            "--scenario live.json", "--scenario other.json", "", f"{PLAYED} --times 1", fact=r"^seed (\d+): at"
        ),
        "--time-limit": Cell(
            "--time-limit 0.001", "", "--at-least 0", f"{PLAYED} --scenario live.json --times 2", fact="in 2 of 2"
        ),
    },
    Subject.OTHER_GRID: {
        "--system": Cell(
            "--system other_adapter.py:ADAPTER", instead="--system pocket_adapter.py:ADAPTER", line="check"
        ),
        "--async-backups": Cell("--async-backups 1", beside="--backups 2"),
    },
    Subject.PLACER: {
        "--system": Cell("--system uhashring", instead="--system jump-consistent-hash", line="check"),
        "--zones": Cell("--zones a,b,c", instead="--zones a,b", line="check --system cassandra-token-map"),
        "--backups": Cell("--backups 2", instead="--backups 1", line="check --system clandestined"),
        "--only": Cell("--only balance-of-copies"),
    },
    Subject.STORIES_PLAYED: {
        "--all": Cell("--all", instead="answer-takes-back", line="story"),
        "--versions": Cell("--versions 5.6.0"),
        "--times": Cell("--times 2"),
    },
    Subject.AGENT_WRITTEN: {"--language": Cell("--language go"), "--kind": Cell("--kind router")},
    Subject.TRACES_ON_SPARK: {
        "--engine": Cell("--engine spark", instead="--engine local", line="audit trace.jsonl", is_long=True),
        "--master": Cell("--master local[2]", instead="--master local[1]"),
    },
    Subject.TRACES_HERE: {
        "--engine": Cell("--engine local", instead="--engine spark", is_long=True),
    },
    Subject.TRACE_VALIDATED: {
        "--specification": Cell(
            "--specification ownership", instead="--specification invocation", line="validate trace.jsonl"
        )
    },
    Subject.LOG_VALIDATED: {
        "--table": Cell("--table table.py:TABLE", instead="--table other_table.py:TABLE", line="validate ring.jsonl")
    },
    Subject.EXPORTED_TO_TLA: {
        "--language": Cell("--language tla", instead=f"--language prism {RATES}"),
        "--out": Cell("--out made", instead="--out other", line=f"export {LAMPS}:symmetric"),
    },
    Subject.EXPORTED_TO_PRISM: {
        "--language": Cell(
            f"--language prism {RATES}", instead="--language tla", line=f"export {LAMPS}:symmetric --out exported"
        ),
        "--rate": Cell(
            "--rate *=1/s", instead="--rate *=2/s", line=f"export {LAMPS}:symmetric --out exported --language prism"
        ),
        "--out": Cell("--out made", instead="--out other", line=f"export {LAMPS}:symmetric --language prism {RATES}"),
    },
    Subject.EXPLORED: {
        "--symmetry": Cell("--symmetry"),
        "--no-eventually": Cell("--no-eventually"),
        "--memory": Cell("--memory 1", beside="--size 60 --members 11"),
        "--first": Cell("--first", line=f"explore {LAMPS}:few"),
    },
    Subject.EXPLORED_SAFETY: {
        "--symmetry": Cell("--symmetry"),
        "--first": Cell("--first", line=f"explore {LAMPS}:few_safe"),
        "--memory": Cell("--memory 1", beside="--size 60 --members 11"),
    },
    Subject.EXPLORED_WHOLE: {
        "--first": Cell("--first", line=f"explore {LAMPS}:few_whole"),
        "--no-eventually": Cell("--no-eventually"),
        "--memory": Cell("--memory 1", beside="--size 60 --members 11"),
    },
    Subject.MEASURED: {
        "--rate": Cell("--rate *=1/s", instead="--rate *=2/s", line=f"measure {LAMPS}:symmetric"),
        **OF_A_CELL,
        "--quantity": Cell("--quantity ever"),
        "--sensitivity": Cell("--sensitivity"),
        "--events": Cell("--events one_is_lit", beside="--time 1s"),
        "--sweep": Cell("--sweep size=1..2"),
        "--symmetry": Cell("--symmetry"),
        "--memory": Cell("--memory 1", beside="--size 60 --members 11", is_long=True),
    },
    Subject.MEASURED_WHOLE: {
        "--rate": Cell("--rate *=1/s", instead="--rate *=2/s", line=f"measure {LAMPS}:whole"),
        **OF_A_CELL,
        "--quantity": Cell("--quantity ever"),
        "--sensitivity": Cell("--sensitivity"),
        "--events": Cell("--events one_is_lit", beside="--time 1s"),
        "--sweep": Cell("--sweep size=1..2"),
        "--memory": Cell("--memory 1", beside="--size 60 --members 11", is_long=True),
    },
    Subject.MEASURED_BY_SPLITTING: {
        "--rate": Cell("--rate *=1/s", instead="--rate *=2/s", line=SPLIT.replace(f" {RATES}", "")),
        "--time": Cell("--time 1s", instead="--time 2s", line=SPLIT.replace(" --time 1s", "")),
        "--split": Cell("--split left", instead="--split unlit", line=SPLIT.replace(" --split left", "")),
        "--trials": Cell("--trials 20", instead="--trials 10", line=SPLIT.replace(" --trials 10", "")),
    },
    Subject.PROVED: {"--out": Cell("--out made.md"), "--graph": Cell("--graph made.svg")},
    Subject.LEMMAS_FOUND: {
        "--out": Cell("--out made.py", line="prove ewd840.py --find", is_long=True),
        "--find": Cell("--find", line=f"prove {LAMPS}:safe"),
        "--claim": Cell("--claim none_is_less"),
        "--with": Cell("--with 'heard[manager]'", line="prove two_phase_commit --find --size 2", is_long=True),
        "--seed": Cell("--seed 7", line="prove two_phase_commit --find --size 2", is_long=True),
        "--memory": Cell("--memory 1", beside="--size 60 --members 11"),
    },
    Subject.REFINED: {
        "--refines": Cell(f"--refines {LAMPS}:safe --by {LAMPS}:SAME", line=f"prove {LAMPS}:safe"),
        "--by": Cell(
            f"--by {LAMPS}:SAME", instead=f"--by {LAMPS}:COUNTED", line=f"prove {LAMPS}:safe --refines {LAMPS}:safe"
        ),
    },
    Subject.ONE_RUN: {
        **DRAWN,
        "--seed": Cell("--seed 5", line="simulate --set operations=8"),
        "--vary": Cell("--vary", line="simulate --seed 11"),
        "--runs": Cell("--runs 1", instead="--runs 2"),
        "--out": Cell("--out made"),
    },
    Subject.RUNS: {
        **DRAWN,
        "--seed": Cell("--seed 5", line="simulate --runs 2 --set operations=8 --workers 1"),
        "--vary": Cell("--vary", line="simulate --seed 9 --runs 2 --workers 1"),
        "--runs": Cell("--runs 3", instead="--runs 2", line="simulate --seed 3 --set operations=8 --workers 1"),
        "--workers": Cell(
            "--workers 2", instead="--workers 1", line="simulate --seed 3 --runs 40 --set operations=8", is_long=True
        ),
    },
    Subject.SEED_REPLAYED: {
        **DRAWN,
        "--vary": Cell("--vary", line="replay 9 --out replayed"),
        "--whole": Cell("--whole", line="replay 43 --workload appends --members 2", mutant="X10"),
        "--out": Cell("--out made", line="replay 3 --set operations=8"),
    },
    Subject.SCENARIO_REPLAYED: {"--whole": Cell("--whole", line="replay broken.json", mutant="X10")},
    Subject.BEHAVIOUR_REPLAYED: {"--svg": Cell("--svg made.svg")},
    Subject.SEED_EXPLAINED: {
        "--of": OTHER_PROPERTY,
        "--workload": Cell(
            "--workload appends", instead="--workload queue", line=EXPLAINED.replace(" --workload appends", "")
        ),
        "--members": Cell("--members 3", instead="--members 2", line=EXPLAINED.replace(" --members 2", "")),
        "--prefixes": Cell("--prefixes 20", instead="--prefixes 3", line=EXPLAINED.replace(" --prefixes 3", "")),
        "--continuations": Cell(
            "--continuations 2", instead="--continuations 1", line=EXPLAINED.replace(" --continuations 1", "")
        ),
        "--workers": Cell("--workers 2", instead="--workers 1", line=EXPLAINED.replace(" --workers 1", "")),
        **{option: cell for option, cell in DRAWN.items() if option not in ("--workload", "--map")},
        "--map": Cell("--map hot", beside="--config two.yaml"),
        "--steps": Cell(
            "--steps", line="explain 9 --members 2 --backups 1 --prefixes 3 --continuations 1 --workers 1", mutant="M10"
        ),
        "--vary": Cell("--vary", line="explain 1 --prefixes 3 --continuations 1 --workers 1", mutant="M10"),
    },
    Subject.SCENARIO_EXPLAINED: {
        "--of": OTHER_PROPERTY,
        "--prefixes": Cell(
            "--prefixes 20", instead="--prefixes 3", line="explain broken.json --continuations 1 --workers 1"
        ),
        "--continuations": Cell(
            "--continuations 2", instead="--continuations 1", line="explain broken.json --prefixes 3 --workers 1"
        ),
        "--workers": Cell(
            "--workers 2", instead="--workers 1", line="explain broken.json --prefixes 3 --continuations 1"
        ),
    },
    SuiteSubject.MUTANT_EXPLAINED: {
        "--of": OTHER_PROPERTY,
        "--mutant": Cell(
            "--mutant X10", instead="--mutant M09", line="suite explain 43 --prefixes 3 --continuations 1 --workers 1"
        ),
        "--prefixes": Cell(
            "--prefixes 20", instead="--prefixes 3", line="suite explain 43 --mutant X10 --continuations 1 --workers 1"
        ),
        "--continuations": Cell(
            "--continuations 2",
            instead="--continuations 1",
            line="suite explain 43 --mutant X10 --prefixes 3 --workers 1",
        ),
        "--workers": Cell(
            "--workers 2", instead="--workers 1", line="suite explain 43 --mutant X10 --prefixes 3 --continuations 1"
        ),
    },
    Subject.CAMPAIGN: {
        "--out": Cell("--out made"),
        "--master": Cell("--master local[1]", instead="--master local[2]"),
        "--runs": Cell("--runs 3"),
        "--until": Cell("--until 'loss ± 10 %'"),
        "--config": Cell("--config small.yaml"),
        "--map": Cell("--map hot", beside="--config two.yaml"),
        "--set": Cell("--set count=7", instead="--set count=5", beside="--config variable.yaml"),
    },
    Subject.STUDY: {"--only": Cell("--only loss")},
    Subject.STUDY_BY_SPLITTING: {
        "--only": Cell("--only loss"),
        "--split": Cell("--split 1", instead="--split 0", line="study campaign --trials 4 --batches 3 --workers 1"),
        "--trials": Cell("--trials 6", instead="--trials 4", line="study campaign --split all --batches 3 --workers 1"),
        "--batches": Cell(
            "--batches 4", instead="--batches 3", line="study campaign --split all --trials 4 --workers 1"
        ),
        "--workers": Cell(
            "--workers 2", instead="--workers 1", line="study campaign --split all --trials 4 --batches 3"
        ),
        "--seed": Cell("--seed 5"),
    },
    SuiteSubject.REACH_MEASURED: {
        "--runs": Cell("--runs 2", instead="--runs 1", line="suite reach --workers 1"),
        "--workers": Cell("--workers 2", instead="--workers 1", line="suite reach --runs 2"),
    },
    SuiteSubject.REACH_CHECKED: {"--check": Cell("--check reach.md", instead="--check page.md", line="suite reach")},
    SuiteSubject.REACH_REASONS: {
        "--reasons": Cell("--reasons reach.md", instead="--reasons page.md", line="suite reach")
    },
    SuiteSubject.BLIND_MUTANTS: {
        "--draw": Cell("--draw 2", instead="--draw 1", line="suite blind --budget 0.1 --runs 2"),
        "--budget": Cell("--budget 2", instead="--budget 1", line="suite blind --draw 1 --runs 2"),
        "--runs": Cell("--runs 3", instead="--runs 2", line="suite blind --draw 1 --budget 0.1"),
        "--workers": Cell("--workers 2", instead="--workers 1"),
    },
    SuiteSubject.TESTS: {
        "--sample": Cell("--sample 3"),
        "--module": Cell("--module planner"),
    },
    SuiteSubject.SLIPS: {
        "--sample": Cell("--sample 2", instead="--sample 1", line="suite slips two_phase_commit"),
        "--seed": Cell("--seed 5", line="suite slips two_phase_commit --sample 9"),
    },
    SuiteSubject.COVERED: {
        **DRAWN,
        "--seed": Cell("--seed 5", line="suite coverage --set operations=8"),
        "--runs": Cell("--runs 2", instead="--runs 1", line="suite coverage --seed 3 --set operations=8"),
        "--vary": Cell("--vary", line="suite coverage --seed 11"),
    },
    Subject.PAPER: {"--quick": Cell("--quick", line="papers balls-1994")},
    Subject.PAPERS: {
        "--all": Cell("--all --quick", instead="data-loss-1988 balls-1994 --quick", line="papers --workers 2"),
        "--quick": Cell("--quick"),
        "--workers": Cell("--workers 2", instead="--workers 1", line="papers data-loss-1988 balls-1994"),
    },
    SuiteSubject.MUTANTS: {
        "--budget": Cell("--budget 20", "--budget 0.001", line="suite zoo M10", fact=r"killed \d of \d"),
        "--starts": Cell("--starts 2"),
        "--seed": Cell("--seed 9", line="suite zoo M09 --budget 5"),
        "--quick": Cell("--quick", line="suite zoo --time-limit 0.05", fact=r"of \d+ mutants"),
        "--markdown": Cell("--markdown"),
    },
}
LONG = frozenset({"--workers", "--whole"})
"""Options that take seconds wherever they are followed: processes start, or a run is made smaller."""
PLANTED: Mapping[SubjectOfCommand, str] = dict.fromkeys((Subject.SEED_EXPLAINED, Subject.SCENARIO_EXPLAINED), "X10")
"""The bug that is planted where only what is broken is explained."""
NIGHTLY = frozenset(
    {
        Subject.TRACES_HERE, Subject.AGENT_TESTED, Subject.RECORDED_RUN, Subject.STUDY, Subject.STUDY_BY_SPLITTING,
        Subject.OTHER_GRID, Subject.PLACER, Subject.CONFIGURED_GRID, SuiteSubject.MUTANT_EXPLAINED, Subject.PAPER,
        SuiteSubject.REACH_MEASURED, SuiteSubject.MUTANTS, SuiteSubject.BLIND_MUTANTS,
        SuiteSubject.COVERED, SuiteSubject.SLIPS, Subject.CONFIGURED_MEMBERS, Subject.LIVE_GRID, Subject.ROUTER,
        Subject.LIVE_RUNS, Subject.LIVE_SCENARIO, Subject.TRACES_ON_SPARK, Subject.PAPERS, SuiteSubject.REACH_CHECKED,
        Subject.COMPARED, Subject.SCENARIO_COMPARED, Subject.SCENARIO_EXPLAINED,
    }
)  # fmt: skip
"""Whose every line takes a second or more."""
LIVE = frozenset({Subject.LIVE_RUNS, Subject.LIVE_SCENARIO, Subject.SCENARIO_COMPARED})
"""Whose lines start processes on loopback."""
