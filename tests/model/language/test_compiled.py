"""An action as one Python function."""

from collections.abc import Callable
from typing import Any

import pytest

from gridproof_model.language import Bool, BoolExpr, IndexExpr, Option, OptionExpr, Specification, Step, exists
from gridproof_model.language.run import Event, Runner


def nobodies() -> Specification:
    """Return nodes of which a definition, which is given an option, may take one for nobody."""
    specification = Specification("nobodies", "Nodes are looked at.", source="drawn")
    nodes = specification.index("node", 2, ordered=True)
    is_found = specification.variable("is_found", Bool(), "Whether a node was taken for nobody.", initial=False)

    @specification.definition(Option(nodes))
    def is_nobody(leader: OptionExpr[IndexExpr]) -> BoolExpr:
        """There is none."""
        return leader.is_none

    of_a_node: Callable[[Any], BoolExpr] = is_nobody

    @specification.action(nodes, source="drawn")
    def nodes_are_looked_at(by: IndexExpr) -> Step:
        """Somebody looks at each."""
        return Step(when=[nodes[0] <= by], then=[is_found.becomes(exists(nodes, of_a_node))])

    return specification


@pytest.mark.filterwarnings("error")
def test_a_number_is_never_none_and_nobody_is_warned_about_it() -> None:
    runner = Runner(nobodies().world())

    after = runner.after(runner.start, Event("nodes_are_looked_at", (1,)))

    assert after is not None
    assert after["is_found"] is False
