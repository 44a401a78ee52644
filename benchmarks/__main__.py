"""`python -m benchmarks [NAME ...]`: all, or the ones named."""

import sys
from types import ModuleType

from benchmarks import (
    audit_rows,
    campaign_runs,
    compiled_steps,
    explore_against_python,
    explore_chain,
    explore_progress,
    explore_replication,
    explore_symmetry,
    explore_two_phase_commit,
    find_lemmas,
    key_hashing,
    linearizability,
    optimal_placement,
    prove_ledger,
    simulator_events,
    trace_validation,
    written_expressions,
)

BENCHMARKS: tuple[ModuleType, ...] = (
    explore_two_phase_commit,
    explore_against_python,
    explore_chain,
    explore_progress,
    explore_replication,
    explore_symmetry,
    prove_ledger,
    find_lemmas,
    key_hashing,
    linearizability,
    optimal_placement,
    audit_rows,
    campaign_runs,
    simulator_events,
    compiled_steps,
    trace_validation,
    written_expressions,
)


def main(wanted: list[str]) -> int:
    """Run the benchmarks whose names are given, else all, one after the other."""
    by_name = {module.__name__.split(".")[-1]: module for module in BENCHMARKS}
    unknown = [name for name in wanted if name not in by_name]
    if unknown:
        print(f"no benchmark is called {unknown[0]}; there are {', '.join(by_name)}", file=sys.stderr)
        return 2
    for name in wanted or by_name:
        by_name[name].main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
