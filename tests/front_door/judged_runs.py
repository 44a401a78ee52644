"""Judged runs as a build sees them."""

from gridproof.ci.gate import Gate, JudgedRun
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judging.verdict import PromiseLevel, Reason, Result, Verdict

PROMISED = {"full-rows": Result.HOLDS, "acknowledged-write-kept": Result.HOLDS, "balance-of-primaries": Result.HOLDS}
EVERYTHING = Gate()


def judged(
    *names: str, weakness: Result = Result.HOLDS, failure: str = "", results: dict[str, Result] | None = None
) -> JudgedRun:
    """Return a run of a system that promises three properties and admits one; `results` says which do not hold."""
    promised = {**PROMISED, **(results or {})}
    verdicts = [verdict(name, result) for name, result in promised.items()]
    verdicts.append(verdict("linearizability", weakness, PromiseLevel.WEAKNESS))
    verdicts.append(verdict("lock-excludes", Result.BROKEN, PromiseLevel.NONE))
    return JudgedRun(names or ("grid",), () if failure else tuple(verdicts), "1.0", failure=failure)


def verdict(name: str, result: Result, promise: PromiseLevel = PromiseLevel.PROMISED) -> Verdict:
    """Return a verdict on a property, with a witness where it is broken."""
    assert name in {prop.name for prop in CATALOGUE}
    witness = ("member 1 has \x00 <none>", "and asks & asks") if result is Result.BROKEN else ()
    reason = Reason.NEVER_MET if result is Result.UNKNOWN else None
    return Verdict(name, result, f"{name} was looked at", witness, promise, 3, reason)
