"""Broken promises as SARIF 2.1.0.

The document has one run of one tool, whatever was judged: code scanning accepts no more in one upload. Every property
is a rule, which has the property's sentence and source as its help; every broken promise is a result. A fingerprint
names the system and the property, not the run, so that the same failure in a later build is the same alert.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import assert_never
from urllib.parse import quote

from gridproof.ci.gate import Gate, JudgedRun, Outcome
from gridproof.ci.junit import described_in_full
from gridproof.citations import address_of, links_of, rules_of
from gridproof.output.folders import plain_name
from gridproof_properties.catalogue import CATALOGUE, get_property
from gridproof_properties.judging.causes import in_words
from gridproof_properties.judging.judge import Property, Severity
from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSION = "2.1.0"
CATEGORY_MAX = 100
"""The most characters of system names in a category; if they are longer, their number is written instead."""
Object = Mapping[str, object]


def sarif_text(command: str, systems: Iterable[str], rules: Sequence[Object], results: Sequence[Object]) -> str:
    """Return the whole document.

    The run's category names the command and the systems; by it a server knows which earlier upload this one replaces.
    """
    # Imported here: this import looks up the installed version, which takes longer than all other work of this module.
    from gridproof import __version__

    # The tool has no web page; a package URL identifies it instead (https://github.com/package-url).
    home = f"pkg:pypi/gridproof@{__version__}"
    driver = {"name": "gridproof", "version": __version__, "informationUri": home, "rules": rules}
    category = "+".join(plain_name(name) for name in sorted(set(systems)))
    if len(category) > CATEGORY_MAX:
        category = f"systems-{hashlib.sha256(category.encode()).hexdigest()[:16]}"
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"gridproof/{command}/{category}/"},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": VERSION, "runs": [run]}, indent=1) + "\n"


def property_rules() -> list[Object]:
    """Return a rule for every property."""
    return [_rule(prop) for prop in CATALOGUE]


def broken_results(runs: Sequence[JudgedRun], gate: Gate) -> list[Object]:
    """Return a result for every promised property that is broken, in the order of runs and of the catalogue."""
    places = {prop.name: place for place, prop in enumerate(CATALOGUE)}
    return [
        _result(run, verdict, places[verdict.property], gate.outcome(run, verdict))
        for run in runs
        for verdict in run.verdicts
        if verdict.promise is PromiseLevel.PROMISED and verdict.result is Result.BROKEN
    ]


def rule(number: str, name: str, sentence: str, text: str, level: str) -> dict[str, object]:
    """Return one rule with its number, name and sentence, its help (the sentence and its source), and its level.

    A name that equals the number, apart from case, is left out, as SARIF's validator demands.
    """
    shown = "".join(part.capitalize() for part in name.split("-"))
    return {
        "id": number,
        **({"name": shown} if shown.lower() != number.lower() else {}),
        "shortDescription": {"text": sentence},
        "fullDescription": {"text": text},
        "help": {"text": text},
        "defaultConfiguration": {"level": level},
    }


def result(
    rule_id: str, place: int, level: str, text: str, *, system: str, of: Sequence[str], file: Path | None = None
) -> dict[str, object]:
    """Return one SARIF result for a broken rule, which is at index `place` among the rules.

    `of` names what is broken: from equal names equal fingerprints are made, by which a server recognises a result.
    """
    logical = {"name": rule_id, "fullyQualifiedName": f"{system}/{rule_id}", "kind": "property"}
    location: dict[str, object] = {"logicalLocations": [logical]}
    if file is not None:
        region = {"startLine": 1}  # of a binary trace, too: for GitHub, SARIF's validator demands a line (GH1003)
        location["physicalLocation"] = {"artifactLocation": {"uri": _uri(file)}, "region": region}
    print_ = hashlib.sha256("\n".join(of).encode(errors="replace")).hexdigest()[:32]
    return {
        "ruleId": rule_id,
        "ruleIndex": place,
        "kind": "fail",
        "level": level,
        "message": {"text": text},
        "locations": [location],
        # GitHub's code scanning reads the first of these two fingerprints.
        "partialFingerprints": {"primaryLocationLineHash": f"{print_}:1", "gridproofFailure/v1": print_},
    }


def _result(run: JudgedRun, verdict: Verdict, place: int, outcome: Outcome) -> Object:
    level = "note" if outcome is Outcome.NOT_COUNTED else level_of(get_property(verdict.property).severity)
    text = f"{run.name}: {described_in_full(verdict)}"
    found = result(
        verdict.property, place, level, text, system=run.system, of=(run.system, verdict.property), file=run.trace
    )
    by = {"promised by": verdict.promised_by} if verdict.promised_by else {}
    found["properties"] = {"compared": verdict.compared, **by}
    if outcome is Outcome.KNOWN:
        found["suppressions"] = [{"kind": "external", "justification": "the baseline has it"}]
    return found


def level_of(severity: Severity) -> str:
    """Return the SARIF level for a severity."""
    match severity:
        case Severity.DATA_LOSS | Severity.WRONG_ANSWER | Severity.AVAILABILITY:
            return "error"
        case Severity.REDUNDANCY | Severity.PROTOCOL | Severity.BALANCE:
            return "warning"
        case _:
            assert_never(severity)


def _rule(prop: Property) -> Object:
    severity = prop.severity
    limits = [f"Not promised where {'; '.join(in_words(limit.causes))} ({limit.source})." for limit in prop.limits]
    links = [f"<{link}>" if link.startswith("https:") else f"[{link}]({link})" for link in links_of(prop.source)]
    rules = [f"{number}: {text}" for number, text in rules_of(prop.source).items()]
    said = [prop.sentence, f"Source: {prop.source}.", *rules, f"Severity: {severity}.", *limits]
    made = rule(prop.name, prop.name, prop.sentence, f"{prop.sentence} Source: {prop.source}.", level_of(severity))
    made["help"] = {"text": "\n".join(said), "markdown": "\n\n".join([*said, f"See {', '.join(links)}."])}
    made["properties"] = {
        "tags": [severity.value], "problem.severity": level_of(severity), "precision": "very-high",
    }  # fmt: skip
    address = address_of(prop.source)
    return made | {"helpUri": address} if address else made


def _uri(file: Path) -> str:
    """Return the reference to a file, which is relative if the file is below the working folder."""
    absolute = file.absolute()
    here = Path.cwd()
    return quote(absolute.relative_to(here).as_posix()) if absolute.is_relative_to(here) else absolute.as_uri()
