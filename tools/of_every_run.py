"""What is concluded of every run, whatever its sizes: the column "of runs" of the ledger's page."""

from collections.abc import Iterator, Mapping
from itertools import product

from gridproof_model.language import ANY_NUMBER, Int, Plain, Specification
from gridproof_model.language.notation import Notation
from gridproof_model.language.world import negated
from gridproof_properties.claims.known import argument_of
from gridproof_properties.claims.of_runs import OfRuns, Scope, of_runs
from gridproof_properties.refinement import invocation, ownership, replication, snapshot
from gridproof_properties.validation.judge import Worlds

WORLDS = (
    replication.BehaviourOfReplication.WORLDS,
    ownership.BehaviourOfOwnership.WORLDS,
    invocation.BehaviourOfCalls.WORLDS,
    snapshot.BehaviourOfSnapshot.WORLDS,
)
"""Those with which runs are validated, by specification."""
OF_HISTORY = {"replication": ("watched_write", "watched_term", "sync_backups")}
"""Constants that only history depends on, so that whatever they are the same is explained: no guard reads what is
watched, nor how many acknowledgements are waited for."""


def in_words(concluded: OfRuns) -> str:
    """Return it as a sentence about every validated run: what must not be so of one stands before what has to be."""
    texts = [(negated(one), Notation().text(one)) for one in concluded.conditions]
    without = " or ".join(f"`{Notation().text(opposite)}`" for opposite, text in texts if text.startswith("not "))
    where = " and ".join(f"`{text}`" for _, text in texts if not text.startswith("not "))
    runs = f"runs without {without}" if without else "runs"
    what = f", where {where}" if where else ""
    match concluded.scope:
        case Scope.CONCLUDED:
            return f"holds of {f'validated {runs}' if without else 'every validated run'}{what}"
        case Scope.BUT_FOR_SIZE:
            return f"holds of validated {runs} but for size ({concluded.why}){what}"
        case Scope.UP_TO:
            return f"holds {concluded.why}, and of validated runs nobody has shown it"
        case Scope.NOTHING:
            return f"says nothing of runs, since {concluded.why}"


def of_every_run(specification: Specification) -> Mapping[str, str]:
    """Return what is concluded of runs for each always-claim of a specification, in words; nothing where none is held.

    Where that depends on how a run is configured all is said, and with which constants.
    """
    argument, said = argument_of(specification), dict[str, dict[str, list[str]]]()
    families = [constants for one in WORLDS if one.specification is specification for constants in families_of(one)]
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


def families_of(worlds: Worlds) -> Iterator[Mapping[str, Plain]]:
    """Yield all constants that runs are validated with: ANY_NUMBER where it depends on the run.

    One for every choice of what is no number and depends on the run.
    """
    declared = {one.name: one for one in worlds.specification.constants}
    defaults = {name: one.default for name, one in declared.items()}
    history = dict.fromkeys(OF_HISTORY.get(worlds.specification.name, ()), ANY_NUMBER)
    usual = {**defaults, **worlds.of_every_run, **history}
    choices = ([ANY_NUMBER] if isinstance(declared[name].domain, Int) else [False, True] for name in worlds.first)
    for chosen in product(*choices):
        yield usual | dict(zip(worlds.first, chosen, strict=True))
