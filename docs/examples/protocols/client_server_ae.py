"""Servers answer requests by what matches them. Source: Endive, benchmarks/client_server_ae.tla."""

from gridproof_model.language import ANY, Array, BoolExpr, IndexExpr, Set, Specification, Step, exists, for_all

SOURCE = "Endive, client_server_ae"

specification = Specification("client_server_ae", "A client receives only what it asked for.", source=SOURCE)
nodes = specification.index("node", specification.constant("node_count", 2, "How many clients.", least=1))
requests = specification.index("request", specification.constant("request_count", 2, "How many requests.", least=1))
responses = specification.index("response", specification.constant("response_count", 2, "How many responses.", least=1))
match = specification.variable("match", Array(requests, Set(responses)), "What may answer what.", initial=ANY)
asked = specification.variable("asked", Array(nodes, Set(requests)), "What each client asked for.")
answered = specification.variable("answered", Array(nodes, Set(responses)), "What was sent to each client.")
received = specification.variable("received", Array(nodes, Set(responses)), "What each client received.")


@specification.action(nodes, requests, source=SOURCE)
def client_asks(node: IndexExpr, request: IndexExpr) -> Step:
    """A client asks for something."""
    return Step(when=[], then=[asked[node][request].becomes(True)])


@specification.action(nodes, requests, responses, source=SOURCE)
def server_answers(node: IndexExpr, request: IndexExpr, response: IndexExpr) -> Step:
    """A response is sent that matches what was asked."""
    return Step(when=[asked[node][request], match[request][response]], then=[answered[node][response].becomes(True)])


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
