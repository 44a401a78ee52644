"""What a reader is given to mark is drawn by a seed alone."""

import ast
from random import Random

from tests.house.sample_sentences import MESSAGES, SHARES, draw_messages, draw_sentences, draw_verdicts, framed
from tests.house.source_tree import every_module


def test_a_seed_draws_the_same_messages_and_sentences_again() -> None:
    messages = draw_messages(Random(1))

    assert (len(messages), len(draw_sentences(Random(1)))) == (MESSAGES, sum(SHARES.values()))
    assert draw_messages(Random(1)) == messages
    assert draw_messages(Random(2)) != messages


def test_verdicts_are_drawn_with_their_properties() -> None:
    one, other = draw_verdicts(Random(3), number=2, broken=1)

    assert " broken: " in one
    assert " broken: " not in other


def test_a_message_is_shown_inside_the_text_of_the_handler_or_the_class_of_its_error() -> None:
    nodes = ((module, node) for module in every_module(with_tests=False) for node in ast.walk(module.tree))
    calls = [
        (module, node.exc) for module, node in nodes if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
    ]
    for words, frame in {"line is cut off": "{path}:{number}: the", "capacity of a": "{self.at}: the"}.items():
        module, call = next((module, call) for module, call in calls if words in ast.unparse(call))
        assert frame in framed(Random(1), (module, call, ast.unparse(call.func), call.args[0]))
