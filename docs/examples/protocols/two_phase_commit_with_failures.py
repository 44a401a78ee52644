"""Two-phase commit of nodes that fail. Source: Endive, benchmarks/two_phase_commit.tla (i4-two-phase-commit)."""

from gridproof_model.language import Bool, BoolExpr, IndexExpr, Set, Specification, Step, array_of, exists, for_all

SOURCE = "Endive, two_phase_commit"

specification = Specification("two_phase_commit_with_failures", "Nodes commit together or not at all.", source=SOURCE)
size = specification.constant("size", 3, "How many nodes there are.", least=1)
nodes = specification.index("node", size)
vote_yes = specification.variable("vote_yes", Set(nodes), "Nodes that voted yes.")
vote_no = specification.variable("vote_no", Set(nodes), "Nodes that voted no.")
alive = specification.variable("alive", Set(nodes), "Nodes that have not failed.", initial=True)
go_commit = specification.variable("go_commit", Set(nodes), "Nodes that were asked to commit.")
go_abort = specification.variable("go_abort", Set(nodes), "Nodes that were asked to abort.")
decide_commit = specification.variable("decide_commit", Set(nodes), "Nodes that have committed.")
decide_abort = specification.variable("decide_abort", Set(nodes), "Nodes that have aborted.")
abort_flag = specification.variable("abort_flag", Bool(), "Whether somebody failed or voted no.")


@specification.definition(nodes)
def may_vote(node: IndexExpr) -> BoolExpr:
    """A node lives and has not decided."""
    return alive[node] & ~decide_commit[node] & ~decide_abort[node]


@specification.definition()
def is_undecided() -> BoolExpr:
    """Nobody was asked to commit or to abort."""
    return for_all(nodes, lambda node: ~go_commit[node]) & for_all(nodes, lambda node: ~go_abort[node])


@specification.action(nodes, source=SOURCE)
def node_votes_yes(node: IndexExpr) -> Step:
    """A node that did not vote no votes yes."""
    return Step(when=[may_vote(node), ~vote_no[node]], then=[vote_yes[node].becomes(True)])


@specification.action(nodes, source=SOURCE)
def node_votes_no(node: IndexExpr) -> Step:
    """A node that did not vote yes votes no, and aborts."""
    return Step(
        when=[may_vote(node), ~vote_yes[node]],
        then=[vote_no[node].becomes(True), abort_flag.becomes(True), decide_abort[node].becomes(True)],
    )


@specification.action(nodes, source=SOURCE)
def node_fails(node: IndexExpr) -> Step:
    """A node fails."""
    return Step(when=[alive[node]], then=[alive[node].becomes(False), abort_flag.becomes(True)])


@specification.action(source=SOURCE)
def all_are_asked_to_commit() -> Step:
    """All voted yes, and all are asked to commit."""
    return Step(
        when=[is_undecided(), for_all(nodes, lambda node: vote_yes[node])],
        then=[go_commit.becomes(array_of(nodes, lambda node: vote_yes[node]))],
    )


@specification.action(source=SOURCE)
def all_are_asked_to_abort() -> Step:
    """Somebody voted no or has failed, and all are asked to abort."""
    return Step(
        when=[is_undecided(), exists(nodes, lambda node: vote_no[node] | ~alive[node])],
        then=[go_abort.becomes(array_of(nodes, lambda node: vote_no[node] | ~vote_no[node]))],
    )


@specification.action(nodes, source=SOURCE)
def node_commits(node: IndexExpr) -> Step:
    """A node that was asked to commits."""
    return Step(when=[alive[node], go_commit[node]], then=[decide_commit[node].becomes(True)])


@specification.action(nodes, source=SOURCE)
def node_aborts(node: IndexExpr) -> Step:
    """A node that was asked to aborts."""
    return Step(when=[alive[node], go_abort[node]], then=[decide_abort[node].becomes(True)])


specification.may_stop(lambda: True)


@specification.always(source=SOURCE)
def nodes_agree() -> BoolExpr:
    """No node has committed where another has aborted."""
    return for_all(nodes, lambda one: for_all(nodes, lambda other: ~(decide_commit[one] & decide_abort[other])))


@specification.always(source=SOURCE)
def all_voted_yes_where_one_committed() -> BoolExpr:
    """A node commits only where all voted yes."""
    return for_all(nodes, lambda one: for_all(nodes, lambda other: decide_commit[one].implies(vote_yes[other])))


@specification.always(source=SOURCE)
def nobody_aborts_without_a_reason() -> BoolExpr:
    """A node aborts only where somebody failed or voted no."""
    return for_all(nodes, lambda node: decide_abort[node].implies(abort_flag))
