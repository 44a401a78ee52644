"""A store whose keys move between nodes. Source: Endive, benchmarks/sharded_kv.tla.

There the first owners are any without conflict; here first steps choose them.
"""

from gridproof_model.language import (
    Array,
    Bool,
    BoolExpr,
    IndexExpr,
    Option,
    Set,
    Specification,
    Step,
    for_all,
)

SOURCE = "Endive, sharded_kv"

specification = Specification("sharded_kv", "Keys move between the nodes of a store.", source=SOURCE)
keys = specification.index("key", specification.constant("key_count", 2, "How many keys.", least=1))
values = specification.index("value", specification.constant("value_count", 2, "How many values.", least=1))
nodes = specification.index("node", specification.constant("node_count", 3, "How many nodes.", least=1))
table = specification.variable("table", Array(nodes, Array(keys, Option(values))), "What each node has under each key.")
owns = specification.variable("owns", Array(nodes, Set(keys)), "The keys of each node.")
begun = specification.variable("begun", Bool(), "Whether keys had their first owners.")
transfer = specification.variable(
    "transfer", Array(nodes, Array(keys, Set(values))), "What is on its way to a node: a key with its value."
)


@specification.action(nodes, keys, source=SOURCE)
def key_is_given(node: IndexExpr, key: IndexExpr) -> Step:
    """A key has its first owner."""
    return Step(when=[~begun, for_all(nodes, lambda other: ~owns[other][key])], then=[owns[node][key].becomes(True)])


@specification.action(source=SOURCE)
def all_begins() -> Step:
    """Keys have had their first owners, and some none."""
    return Step(when=[~begun], then=[begun.becomes(True)])


@specification.action(keys, values, nodes, nodes, source=SOURCE)
def key_leaves(key: IndexExpr, value: IndexExpr, old: IndexExpr, new: IndexExpr) -> Step:
    """A node sends a key with its value to another."""
    return Step(
        when=[table[old][key] == value],
        then=[table[old][key].becomes(None), owns[old][key].becomes(False), transfer[new][key][value].becomes(True)],
    )


@specification.action(nodes, keys, values, source=SOURCE)
def key_arrives(node: IndexExpr, key: IndexExpr, value: IndexExpr) -> Step:
    """A node takes a key with its value."""
    return Step(
        when=[transfer[node][key][value]],
        then=[
            transfer[node][key][value].becomes(False),
            table[node][key].becomes(value),
            owns[node][key].becomes(True),
        ],
    )


@specification.action(nodes, keys, values, source=SOURCE)
def value_is_put(node: IndexExpr, key: IndexExpr, value: IndexExpr) -> Step:
    """The owner of a key gives it a value."""
    return Step(when=[begun, owns[node][key]], then=[table[node][key].becomes(value)])


specification.may_stop(lambda: True)


@specification.always(source=SOURCE)
def a_key_is_at_one_node() -> BoolExpr:
    """No two nodes have a value under one key."""
    return for_all(
        keys,
        lambda key: for_all(
            nodes,
            lambda one: for_all(
                nodes, lambda other: (table[one][key].is_some & table[other][key].is_some).implies(one == other)
            ),
        ),
    )
