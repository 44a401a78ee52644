"""The graph of a proof: claims at the top, the lemmas on which they depend below, and the actions that need the lemmas.

The graph comes from induction: it has the claims and lemmas that Z3 needed to show that an action preserves a claim.
The graph shows step by step why a claim is true; if a proof fails, the graph ends in a node that is not proved, with
the action that breaks it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gridproof_properties.proofs.argument import Argument
from gridproof_properties.proofs.prove import Proof

NAMED = 4
"""The largest number of actions that an outline names as needing a lemma."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the graph: a claim of the specification, or a lemma."""

    name: str
    sentence: str
    is_lemma: bool
    is_proved: bool
    failure: tuple[str, ...] = ()
    """For an unproved node: the action, with the states before and after, or why it is not known to be true."""


@dataclass(frozen=True, slots=True)
class ProofGraph:
    """What a proof showed, on what each part depends, and why the rest is not shown."""

    nodes: Mapping[str, Node]
    leans_on: Mapping[str, Mapping[str, tuple[str, ...]]]
    """For each claim or lemma: the lemmas on which it depends, each with the actions that would otherwise break it."""

    @staticmethod
    def of(argument: Argument, proof: Proof) -> "ProofGraph":
        """Return the graph of a proof: the claims that it was to prove, and the lemmas on which they depend."""
        lemmas = {lemma.name for lemma in argument.lemmas}
        always = {one.name: one for one in (*argument.specification.claims, *argument.lemmas)}
        leans_on: dict[str, dict[str, tuple[str, ...]]] = {}
        for (action, claim), needed in proof.induction.needed.items():
            for other in needed - {claim}:
                below = leans_on.setdefault(claim, {})
                below[other] = (*below.get(other, ()), action)
        reached = [name for name in proof.candidates if name not in lemmas or not proof.is_proved(name)]
        for name in reached:
            reached += [other for other in sorted(leans_on.get(name, ())) if other not in reached]
        nodes = {
            name: Node(name, always[name].sentence, name in lemmas, proof.is_proved(name), _failure(proof, name))
            for name in reached
        }
        return ProofGraph(nodes, {name: dict(sorted(leans_on.get(name, {}).items())) for name in nodes})

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The nodes in rows, top to bottom: a node is below all that depend on it, unless they depend on each other."""
        order, downward = list[str](), set[tuple[str, str]]()
        for name in self.nodes:
            self._descend(name, (), order, downward)
        row = dict.fromkeys(self.nodes, 0)
        for name in reversed(order):
            for other in self.leans_on[name]:
                if (name, other) in downward:
                    row[other] = max(row[other], row[name] + 1)
        return tuple(tuple(n for n, at in row.items() if at == number) for number in range(max(row.values()) + 1))

    def _descend(self, name: str, above: tuple[str, ...], order: list[str], downward: set[tuple[str, str]]) -> None:
        """Walk down from a node: append each node after all nodes below it, and collect the edges that do not lead back
        to a node above."""
        if name in order:
            return
        for other in self.leans_on[name]:
            if other not in (*above, name):
                downward.add((name, other))
                self._descend(other, (*above, name), order, downward)
        order.append(name)

    @property
    def has_lemmas(self) -> bool:
        """Whether any claim depends on a lemma."""
        return any(node.is_lemma for node in self.nodes.values())

    def outline(self) -> Iterator[str]:
        """Yield the graph as lines of text: below each claim is what it depends on; each node is unfolded only once."""
        unfolded = set[str]()
        for name, node in self.nodes.items():
            if not node.is_lemma:
                yield from self._below(name, (), "", unfolded)

    def _below(self, name: str, actions: tuple[str, ...], indent: str, unfolded: set[str]) -> Iterator[str]:
        node, needs, is_known = self.nodes[name], self.leans_on[name], name in unfolded
        said = [f"needed for the action{'s' if len(actions) > 1 else ''} {named(actions)}"] if actions else []
        said += ["the lemmas that it needs are listed above"] if is_known and needs else []
        yield f"{indent}{name}{self.unless_proved(name)}" + (f" ({'; '.join(said)})" if said else "")
        if not is_known:
            unfolded.add(name)
            yield from (f"{indent}    {line}" for line in (node.sentence, *node.failure))
            for other, needed_at in needs.items():
                yield from self._below(other, needed_at, f"{indent}  ", unfolded)

    def unless_proved(self, name: str) -> str:
        """Return the words that follow the name of a node that is not proved; of a proved one none."""
        return "" if self.nodes[name].is_proved else ", which is not proved"


def named(actions: tuple[str, ...]) -> str:
    """Return the names of actions, of many the first few and how many more there are."""
    return ", ".join(actions[:NAMED]) + (f" and {len(actions) - NAMED} more" if len(actions) > NAMED else "")


def _failure(proof: Proof, name: str) -> tuple[str, ...]:
    if proof.is_proved(name):
        return ()
    if (gap := proof.gap(name)) is not None:
        return (gap.sentence,)
    shown = proof.counterexample(name)
    dropped = proof.dropped(name)
    return shown.lines() if shown is not None else (str(dropped.reason),) if dropped is not None else ()
