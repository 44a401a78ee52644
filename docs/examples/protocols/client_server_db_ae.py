"""Servers answer requests out of a database. Source: Endive, benchmarks/client_server_db_ae.tla."""

from gridproof_model.language import ANY, Array, BoolExpr, IndexExpr, Set, Specification, Step, exists, for_all

SOURCE = "Endive, client_server_db_ae"

specification = Specification("client_server_db_ae", "A client receives only what it asked for.", source=SOURCE)
nodes = specification.index("node", specification.constant("node_count", 2, "How many clients.", least=1))
requests = specification.index("request", specification.constant("request_count", 2, "How many requests.", least=1))
responses = specification.index("response", specification.constant("response_count", 2, "How many responses.", least=1))
lookups = specification.index("lookup", specification.constant("lookup_count", 2, "How many lookups.", least=1))
match = specification.variable("match", Array(requests, Set(responses)), "What may answer what.", initial=ANY)
asked = specification.variable("asked", Array(nodes, Set(requests)), "What each client asked for.")
answered = specification.variable("answered", Array(nodes, Set(responses)), "What was sent to each client.")
received = specification.variable("received", Array(nodes, Set(responses)), "What each client received.")
looked_up = specification.variable("looked_up", Array(lookups, Set(requests)), "What each lookup asks of the database.")
found = specification.variable("found", Array(lookups, Set(responses)), "What the database answered.")
made_for = specification.variable("made_for", Array(lookups, Set(nodes)), "For which client a lookup is made.")


@specification.action(nodes, requests, source=SOURCE)
def client_asks(node: IndexExpr, request: IndexExpr) -> Step:
    """A client asks for something."""
    return Step(when=[], then=[asked[node][request].becomes(True)])


@specification.action(nodes, requests, lookups, source=SOURCE)
def server_looks_up(node: IndexExpr, request: IndexExpr, lookup: IndexExpr) -> Step:
    """A server asks the database, under a number that is not used yet."""
    return Step(
        when=[asked[node][request], for_all(nodes, lambda other: ~made_for[lookup][other])],
        then=[made_for[lookup][node].becomes(True), looked_up[lookup][request].becomes(True)],
    )


@specification.action(requests, lookups, responses, source=SOURCE)
def database_answers(request: IndexExpr, lookup: IndexExpr, response: IndexExpr) -> Step:
    """The database answers with what matches."""
    return Step(
        when=[looked_up[lookup][request], match[request][response]], then=[found[lookup][response].becomes(True)]
    )


@specification.action(nodes, lookups, responses, source=SOURCE)
def server_answers(node: IndexExpr, lookup: IndexExpr, response: IndexExpr) -> Step:
    """A server sends what was found to the client for which it was looked up."""
    return Step(when=[found[lookup][response], made_for[lookup][node]], then=[answered[node][response].becomes(True)])


@specification.action(nodes, responses, source=SOURCE)
def client_receives(node: IndexExpr, response: IndexExpr) -> Step:
    """A response arrives."""
    return Step(when=[answered[node][response]], then=[received[node][response].becomes(True)])


@specification.always(source=SOURCE)
def what_is_received_was_asked_for() -> BoolExpr:
    """A client receives a response only to something that it asked for."""
    return for_all(
        nodes,
        lambda node: for_all(
            responses,
            lambda response: received[node][response].implies(
                exists(requests, lambda request: asked[node][request] & match[request][response])
            ),
        ),
    )
