"""A store whose keys move between nodes. Source: Endive, benchmarks/sharded_kv_no_lost_keys.tla.

There each key has any one owner at first; here steps choose them, and nothing else happens before.
"""

from gridproof_model.language import Array, BoolExpr, IndexExpr, Option, Set, Specification, Step, exists, for_all

SOURCE = "Endive, sharded_kv_no_lost_keys"

specification = Specification("sharded_kv_no_lost_keys", "Keys move between the nodes of a store.", source=SOURCE)
keys = specification.index("key", specification.constant("key_count", 2, "How many keys.", least=1))
values = specification.index("value", specification.constant("value_count", 2, "How many values.", least=1))
nodes = specification.index("node", specification.constant("node_count", 3, "How many nodes.", least=1))
table = specification.variable("table", Array(nodes, Array(keys, Option(values))), "What each node has under each key.")
owns = specification.variable("owns", Array(nodes, Set(keys)), "The keys of each node.")
given = specification.variable("given", Set(keys), "Keys that had a first owner.")
transfer = specification.variable(
    "transfer", Array(nodes, Array(keys, Set(values))), "What is on its way to a node: a key with its value."
)


@specification.definition()
def all_given() -> BoolExpr:
    """Each key had a first owner."""
    return for_all(keys, lambda key: given[key])


@specification.action(nodes, keys, source=SOURCE)
def key_is_given(node: IndexExpr, key: IndexExpr) -> Step:
    """A key has its first owner."""
    return Step(when=[~given[key]], then=[given[key].becomes(True), owns[node][key].becomes(True)])


@specification.action(keys, values, nodes, nodes, source=SOURCE)
def key_leaves(key: IndexExpr, value: IndexExpr, old: IndexExpr, new: IndexExpr) -> Step:
    """A node sends a key with its value to another."""
    return Step(
        when=[all_given(), table[old][key] == value],
        then=[table[old][key].becomes(None), owns[old][key].becomes(False), transfer[new][key][value].becomes(True)],
    )


@specification.action(nodes, keys, values, source=SOURCE)
def key_arrives(node: IndexExpr, key: IndexExpr, value: IndexExpr) -> Step:
    """A node takes a key with its value."""
    return Step(
        when=[all_given(), transfer[node][key][value]],
        then=[
            transfer[node][key][value].becomes(False),
            table[node][key].becomes(value),
            owns[node][key].becomes(True),
        ],
    )


@specification.action(nodes, keys, values, source=SOURCE)
def value_is_put(node: IndexExpr, key: IndexExpr, value: IndexExpr) -> Step:
    """The owner of a key gives it a value."""
    return Step(when=[all_given(), owns[node][key]], then=[table[node][key].becomes(value)])


@specification.always(source=SOURCE)
def no_key_is_lost() -> BoolExpr:
    """Once each key was given, each has an owner, or something is on its way."""
    has_owner = for_all(keys, lambda key: exists(nodes, lambda node: owns[node][key]))
    on_its_way = exists(
        nodes, lambda node: exists(keys, lambda key: exists(values, lambda value: transfer[node][key][value]))
    )
    return all_given().implies(has_owner | on_its_way)
