"""What a reader is given to mark is drawn by a seed alone."""

import ast
from random import Random

import pytest

from tests.house.message_frames import framed
from tests.house.sample_sentences import MESSAGES, SHARES, draw_messages, draw_sentences, draw_verdicts
from tests.house.source_tree import every_module


def test_a_seed_draws_the_same_messages_and_sentences_again() -> None:
    messages, sentences = draw_messages(Random(1)), draw_sentences(Random(1))

    assert (len(messages), len(sentences)) == (MESSAGES, sum(SHARES.values()))
    assert draw_messages(Random(1)) == messages
    assert draw_messages(Random(2)) != messages


def test_verdicts_are_drawn_with_their_properties() -> None:
    one, other = draw_verdicts(Random(3), number=2, broken=1)

    assert " broken: " in one
    assert " broken: " not in other


@pytest.mark.parametrize(
    ("file", "words", "frame"),
    [("trace/json_lines.py", "is cut off", "f'{path}:{number}: "), ("language/cells.py", "needs a", "f'{self.at}: ")],
)
def test_a_message_is_shown_inside_the_text_of_the_handler_or_the_class_of_its_error(
    file: str, words: str, frame: str
) -> None:
    module = next(one for one in every_module(with_tests=False) if one.name.endswith(file))
    raised = next(one for one in ast.walk(module.tree) if isinstance(one, ast.Raise) and words in ast.unparse(one))
    assert isinstance(raised.exc, ast.Call)
    text, error = raised.exc.args[0], ast.unparse(raised.exc.func)

    assert framed(Random(1), (module, raised, error, text)) == frame + ast.unparse(text).lstrip("f").removeprefix("'")
