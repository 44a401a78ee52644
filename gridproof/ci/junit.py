"""Verdicts as JUnit XML.

There is one test suite for each system or run, with one test case for each property, as in the pytest plugin. A verdict
that fails a build is a failure, and one that leaves the build undecided is an error; all other cases pass, or are
skipped with the reason. A file without failures and errors corresponds to exit status 0.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gridproof.ci.gate import NOTHING_COMPARED, Gate, JudgedRun, Outcome
from gridproof_model.events.fault_counts import missed_sentence
from gridproof_model.user_error import printable
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.verdict import Verdict
from gridproof_properties.machines.judged import describe_verdict

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

FAILURE, ERROR, SKIPPED = "failure", "error", "skipped"
_UNFIT = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that an XML 1.0 document may not contain."""


@dataclass(frozen=True, slots=True)
class Case:
    """One test case."""

    name: str
    end: str = ""
    """The name of the JUnit element that says how the case ended; empty if the case passed."""
    kind: str = ""
    """The kind of failure in one word: broken or unknown."""
    message: str = ""
    detail: str = ""
    seconds: float | None = None
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Suite:
    """The test cases of a system, a run or a search."""

    name: str
    cases: Sequence[Case]
    seconds: float | None = None
    properties: Mapping[str, str] = field(default_factory=dict)


def suite_of(run: JudgedRun, gate: Gate, *, sees_nothing: bool) -> Suite:
    """Return the JUnit suite of a run: one case for each verdict, with the number of its comparisons.

    If no promise was compared that counts for the exit status, one more case reports this as an error; there is also
    one more case for each requested fault that affected no member, and for each other thing that is unknown.
    """
    cases = [_case(run, gate, verdict) for verdict in run.verdicts]
    if run.failure:
        cases = [Case("audit", ERROR, "failed", run.failure)]
    elif sees_nothing:
        cases.append(Case("promises", ERROR, "unknown", f"{NOTHING_COMPARED} and that the exit status looks at"))
    cases += [Case(f"fault {name}", ERROR, "unknown", missed_sentence(name, why)) for name, why in run.missed.items()]
    cases += [Case(name, ERROR, "unknown", sentence) for name, sentence in run.unknown.items()]
    properties = {"version": run.version, "trace": "" if run.trace is None else str(run.trace)}
    return Suite(run.name, cases, run.seconds, {name: value for name, value in properties.items() if value})


def junit_text(title: str, suites: Sequence[Suite]) -> str:
    """Return the whole document."""
    # Imported here: most commands write no JUnit file, and need no XML.
    from xml.etree import ElementTree

    root = ElementTree.Element("testsuites", _counts(title, [case for suite in suites for case in suite.cases]))
    _say_time(root, _sum(suite.seconds for suite in suites))
    for suite in suites:
        part = ElementTree.SubElement(root, "testsuite", _counts(suite.name, suite.cases))
        _say_time(part, suite.seconds)
        _say_properties(part, suite.properties)
        for case in suite.cases:
            names = {"classname": f"gridproof.{_fit(suite.name)}", "name": _fit(case.name)}
            element = ElementTree.SubElement(part, "testcase", names)
            _say_time(element, case.seconds)
            _say_properties(element, case.properties)
            if case.end:
                kind = {"type": case.kind} if case.kind else {}
                end = ElementTree.SubElement(element, case.end, {"message": _fit(case.message), **kind})
                end.text = _fit(case.detail) or None
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def described_in_full(verdict: Verdict) -> str:
    """Return a verdict in lines: its sentence, its property with the source, and the witness step by step."""
    return "\n".join(describe_verdict(get_property(verdict.property), verdict))


def _case(run: JudgedRun, gate: Gate, verdict: Verdict) -> Case:
    outcome = gate.outcome(run, verdict)
    end, kind, message, detail = "", "", "", ""
    match outcome:
        case Outcome.PASSED:
            pass
        case Outcome.FAILED:
            end, kind, message, detail = FAILURE, verdict.result, verdict.sentence, described_in_full(verdict)
        case Outcome.UNDECIDED:
            end, kind, message, detail = ERROR, verdict.result, _with_reason(verdict), described_in_full(verdict)
        case Outcome.KNOWN | Outcome.NOT_COUNTED | Outcome.ADMITTED | Outcome.NOT_PROMISED:
            end, message = SKIPPED, f"{outcome}; {verdict.result}: {_with_reason(verdict)}"
    found = verdict.by_proof
    follows = {} if found is None else {"by proof": "\n".join((found.headline, *found.lines()))}
    by = {"promised by": verdict.promised_by} if verdict.promised_by else {}
    properties = {"compared": str(verdict.compared), **by, **follows}
    return Case(verdict.property, end, kind, message, detail, properties=properties)


def _with_reason(verdict: Verdict) -> str:
    return verdict.sentence if verdict.reason is None else f"{verdict.reason}: {verdict.sentence}"


def _counts(name: str, cases: Sequence[Case]) -> dict[str, str]:
    ends = [case.end for case in cases]
    counts = {"failures": ends.count(FAILURE), "errors": ends.count(ERROR), "skipped": ends.count(SKIPPED)}
    return {"name": _fit(name), "tests": str(len(cases)), **{word: str(number) for word, number in counts.items()}}


def _say_time(element: "Element", seconds: float | None) -> None:
    if seconds is not None:
        element.set("time", f"{seconds:.3f}")


def _say_properties(element: "Element", properties: Mapping[str, str]) -> None:
    from xml.etree import ElementTree  # as above

    if properties:
        whole = ElementTree.SubElement(element, "properties")
        for name, value in properties.items():
            ElementTree.SubElement(whole, "property", {"name": name, "value": _fit(value)})


def _sum(seconds: Iterable[float | None]) -> float | None:
    known = [one for one in seconds if one is not None]
    return sum(known) if known else None


def _fit(text: str) -> str:
    return printable(_UNFIT.sub("\N{REPLACEMENT CHARACTER}", text), "\t\n\r")
