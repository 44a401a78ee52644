"""A lambda's name never captures what an expression that is handed to it speaks of."""

from gridproof_model.language import Array, BoolExpr, IndexExpr, Int, IntExpr, Specification, Step, exists, for_all
from gridproof_model.language.run import Event, Runner


def levels() -> Specification:
    """Return nodes of which only one that is not below another may rise; both call themselves `other`."""
    specification = Specification("levels", "Nodes rise.", source="drawn")
    nodes = specification.index("node", 2, ordered=True)
    level = specification.variable("level", Array(nodes, Int(0, 3)), "How high each is.", initial=0)

    def nobody_is_above(height: IntExpr) -> BoolExpr:
        return for_all(nodes, lambda other: level[other] <= height)

    @specification.definition(nodes)
    def is_highest(other: IndexExpr) -> BoolExpr:
        """Nobody is above it."""
        return nobody_is_above(level[other])

    @specification.action(nodes, source="drawn")
    def highest_rises(other: IndexExpr) -> Step:
        """One that nobody is above rises."""
        return Step(
            when=[nobody_is_above(level[other]), level[other] < 3], then=[level[other].becomes(level[other] + 1)]
        )

    @specification.action(nodes, source="drawn")
    def defined_highest_rises(other: IndexExpr) -> Step:
        """The same, said by a definition."""
        return Step(when=[is_highest(other), level[other] < 3], then=[level[other].becomes(level[other] + 1)])

    return specification


def refusal_of_the_lower(action: str) -> int | None:
    runner = Runner(levels().world())
    first_rose = runner.step(runner.start, Event("highest_rises", (0,)))
    return runner.refusal(first_rose, Event(action, (1,)))


def test_an_action_s_parameter_is_not_captured_by_a_helper_s_lambda() -> None:
    assert refusal_of_the_lower("highest_rises") is not None


def test_a_definition_s_parameter_is_not_captured_by_a_helper_s_lambda() -> None:
    assert refusal_of_the_lower("defined_highest_rises") is not None


def test_a_quantifier_of_several_domains_is_one_in_the_other() -> None:
    specification = Specification("levels", "Nodes rise.", source="drawn")
    nodes = specification.index("node", 2, ordered=True)
    level = specification.variable("level", Array(nodes, Int(0, 3)), "How high each is.", initial=0)

    def highest(one: IndexExpr, other: IndexExpr, third: IndexExpr) -> BoolExpr:
        return (level[one] <= level[other]) & (level[other] <= level[third])

    at_once = exists(nodes, nodes, nodes, lambda one, other, third: highest(one, other, third))
    nested = exists(
        nodes, lambda one: exists(nodes, lambda other: exists(nodes, lambda third: highest(one, other, third)))
    )

    assert at_once.node == nested.node
