"""What the proofs of our own arguments needed, for the next ones to look at first.

    python -m tools.hints [SPECIFICATION ...]

Proves in every world that an argument names, those of any number first, and writes `proofs/hints.json`:
what each action needed to preserve each claim, as little as Z3 says.
"""

import argparse
import json
from collections.abc import Mapping
from typing import Any

from gridproof_model.specifications import SPECIFICATIONS
from gridproof_model.whole_file import write_whole
from gridproof_properties.proofs.any_number.cutoffs import open_sizes
from gridproof_properties.proofs.any_number.questions import START
from gridproof_properties.proofs.argument import HINTS, Argument, Hints
from gridproof_properties.proofs.arguments import ARGUMENTS
from gridproof_properties.proofs.prove import Proof, prove

Needed = dict[tuple[str, str], frozenset[str]]


def hints_of(argument: Argument) -> Hints:
    """Return what the proofs of an argument need."""
    open_first = sorted(
        argument.proved_in, key=lambda constants: len(open_sizes(argument.specification, constants)), reverse=True
    )
    found = Hints()
    for constants in open_first:
        argument.hints = found
        proof = prove(argument, constants, is_least=True)
        needed = _with_needed(found, proof) if proof.for_any is not None else found.needed
        beside = _with_beside(found, proof) if proof.for_any is None else found.beside
        found = Hints(needed, beside, _with_ways(found, proof), _with_unproved(found, proof))
    return found


def _with_needed(found: Hints, proof: Proof) -> Needed:
    """Return what was needed, with what a proof for any number needed beside."""
    assert proof.for_any is not None
    used = dict(proof.induction.needed)
    used |= {key: claims for key, claims in proof.for_any.used.items() if key[0] != START}
    return {**found.needed, **{key: claims for key, claims in used.items() if not claims <= found.of(*key)}}


def _with_beside(found: Hints, proof: Proof) -> Needed:
    """Return what was needed beside in worlds without open sizes, with what a proof of one needed."""
    beside = Needed(found.beside)
    for key, claims in proof.induction.needed.items():
        if more := claims - found.of_a_size(*key):
            beside[key] = beside.get(key, frozenset()) | more
    return beside


def _with_ways(found: Hints, proof: Proof) -> dict[tuple[str, str], str]:
    return {**({} if proof.for_any is None else proof.for_any.ways), **found.ways}


def _with_unproved(found: Hints, proof: Proof) -> dict[str, tuple[str, ...]]:
    """Return the claims that are not proved, with the actions that lead out of them, or of which it is not shown."""
    unproved = dict(found.unproved)
    for name in () if proof.for_any is None else proof.candidates:
        if not proof.is_proved(name):
            dropped = proof.dropped(name)
            actions = () if dropped is None or dropped.event is None else (dropped.event.action,)
            gap = proof.gap(name)
            of_any = () if gap is None or gap.action == START else (gap.action,)
            unproved[name] = (*unproved.get(name, ()), *actions, *of_any)
    return unproved


def as_json(hints: Hints) -> dict[str, Any]:
    """Return hints as the file keeps them: claims by their numbers, and nothing of one that needs itself alone."""
    needed = {key: claims for key, claims in hints.needed.items() if claims - {key[1]}}
    names = sorted({name for said in (needed, hints.beside) for claims in said.values() for name in claims})

    def numbers(said: Mapping[tuple[str, str], frozenset[str]]) -> dict[str, dict[str, Any]]:
        return _by_action({key: sorted(map(names.index, claims)) for key, claims in said.items()})

    return {
        "names": names,
        "needed": numbers(needed),
        "beside": numbers(hints.beside),
        "ways": _by_action(hints.ways),
        "unproved": {name: list(actions) for name, actions in sorted(hints.unproved.items())},
    }


def _by_action(said: Mapping[tuple[str, str], Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for (action, claim), value in sorted(said.items()):
        found.setdefault(action, {})[claim] = value
    return found


def main() -> None:
    """Write the hints, of those that are named or of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="SPECIFICATION", choices=[[], *(s.name for s in SPECIFICATIONS)])
    given = parser.parse_args()
    kept = json.loads(HINTS.read_text("utf-8")) if HINTS.exists() else {}
    for argument in ARGUMENTS:
        if not given.names or argument.specification.name in given.names:
            kept[argument.specification.name] = as_json(hints_of(argument))
            write_whole(HINTS, json.dumps(kept, separators=(",", ":"), sort_keys=True).replace('},"', '},\n"') + "\n")


if __name__ == "__main__":
    main()
