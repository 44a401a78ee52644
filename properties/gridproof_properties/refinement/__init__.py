"""Refinement: simulated runs as behaviours of the specifications.

Each specification has a file of its own here; `docs/refinement.md` says what is compared, inferred, and left out.
"""

from collections.abc import Mapping

from gridproof_model.language import Specification
from gridproof_properties.claims.known import argument_of
from gridproof_properties.claims.of_runs import in_words, of_runs
from gridproof_properties.judging.judge import Property, watched_by
from gridproof_properties.polled import judge as polled
from gridproof_properties.refinement import invocation, ownership, replication, snapshot
from gridproof_properties.validation.behaviour import Size

REFINEMENTS: tuple[Property, ...] = (replication.PROPERTY, ownership.PROPERTY, invocation.PROPERTY, snapshot.PROPERTY)
"""All of them; each is judged over the records of one run."""
EVENTS_READ = watched_by(REFINEMENTS)
"""The steps of the protocol that have to be in the records."""
OF_SPECIFICATION: Mapping[str, Property] = {
    "replication": replication.PROPERTY,
    "ownership": ownership.PROPERTY,
    "invocation": invocation.PROPERTY,
    "snapshot": snapshot.PROPERTY,
    "ownership-rows": polled.OF_ROWS_ALONE,
}
"""The property that holds a trace against a specification."""
WITHOUT_STEPS: Mapping[str, Property] = {"ownership": polled.PROPERTY}
"""By specification: the property that holds a trace without steps against it, by the tables that were looked at."""
SIZES: tuple[type[Size], ...] = (
    replication.SizeOfReplication,
    ownership.SizeOfOwnership,
    invocation.SizeOfCalls,
    snapshot.SizeOfSnapshot,
)
"""The constants with which runs are validated, by specification."""


def of_every_run(specification: Specification) -> Mapping[str, str]:
    """Return what is concluded of runs for each always-claim of a specification, in words; nothing where none is held.

    Where that depends on how a run is configured all is said, and with which constants.
    """
    argument, said = argument_of(specification), dict[str, dict[str, list[str]]]()
    families = [constants for one in SIZES if one.SPECIFICATION is specification for constants in one.families()]
    chosen = [name for name in (families or [{}])[0] if len({one[name] for one in families}) > 1]
    for constants in families:
        configured = ", ".join(f"{name} {constants[name]}" for name in chosen)
        for one in of_runs(argument, constants):
            said.setdefault(one.claim.name, {}).setdefault(in_words(one), []).append(configured)
    return {
        name: "; ".join(
            sentence if len(sentences) == 1 else f"with {' or '.join(configured)} it {sentence}"
            for sentence, configured in sentences.items()
        )
        for name, sentences in said.items()
    }
