"""The child process that plays runs of a mutant.

The process is `python -m suite.blind.worker`; its task says which change to make, in which module, and what to do then.
If seeds are to be judged, the process reports for each seed what is broken and what holds, or nothing for a run with
the reference's records, until the parent ends it; if seeds are to be looked at, it reports for each seed the digests of
all messages, records and answers, or that of the records which judges would read. If a run does not end, the process is
ended by the signal `ENDLESS`.
"""

import resource
import signal
from collections.abc import Mapping, Sequence
from itertools import chain, count
from time import process_time
from typing import Any

from suite.blind.mutations import BlindMutant, blind_mutants
from suite.reach.loading import find_modules, load_changed, report, task

ENDLESS = signal.SIGPROF
RECORDS = "records"
"""The word in a task that asks only for the digest of the records that judges would read."""
FAILED = "failed"
"""The word that is reported in place of a seed if no run could be played."""
ALL_CHANGED = 3
"""After this many runs with other records than the reference, further runs are judged without comparing records."""
_MEMORY_BYTES = 4 << 30


def main() -> None:
    """Do the task."""
    given = task()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    if given["module"] is not None:
        load_changed({given["module"]: mutant_of(given["module"], given["place"]).tree})
    _be_patient(given["patience_s"])
    try:
        if given["look"]:
            _look(given)
        else:
            _judge(given)
    except Exception as error:  # a campaign's judges report members that fail; here a module fails
        report((FAILED, f"{type(error).__name__}: {error}"))


def mutant_of(module: str, place: int) -> BlindMutant:
    """Return the mutant with this module and this place."""
    text = find_modules(module.rsplit(".", 1)[0])[module].read_text(encoding="utf-8")
    return next(one for one in blind_mutants(module, text) if one.place == place)


def _judge(given: Mapping[str, Any]) -> None:
    from gridproof_properties.campaign.seeds import judge_seed
    from gridproof_properties.judging.verdict import PromiseLevel, Result
    from suite.reach.playing import varied

    spent, more_from, options = 0.0, given["more_from"], varied(given["faults"])
    same, changed = 0, 0
    plain = dict(zip(given["seeds"], given["recorded"], strict=False))
    for seed in chain(given["seeds"], () if more_from is None else count(more_from)):
        _be_patient(given["patience_s"])
        began = process_time()
        if seed in plain and changed < max(ALL_CHANGED, same):
            if _recorded_in(seed, given["faults"]) == plain[seed]:
                same, spent = same + 1, spent + process_time() - began
                report((seed, spent, [], None))
                continue
            changed += 1
        run = judge_seed(seed, options, refined=True)
        spent += process_time() - began
        owed = [verdict for verdict in run.verdicts if verdict.promise is PromiseLevel.PROMISED]
        held = [verdict.property for verdict in owed if verdict.result is Result.HOLDS]
        report((seed, spent, [(verdict.property, verdict.sentence) for verdict in run.broken], held))


def _recorded_in(seed: int, faults: Sequence[str]) -> str | None:
    """Return the digest of a run's records; None if a member fails in the run."""
    from suite.blind.looking import records

    try:
        return records(seed, faults)
    except Exception:
        return None  # the judges will report the failure


def _look(given: Mapping[str, Any]) -> None:
    from suite.blind.looking import look, records

    for seed in given["seeds"]:
        _be_patient(given["patience_s"])
        report((records if given["look"] == RECORDS else look)(seed, given["faults"]))


def _be_patient(seconds: float) -> None:
    """Limit the processor time of the code that runs after this call."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


if __name__ == "__main__":
    main()
