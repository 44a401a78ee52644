"""What a reader is given to mark is drawn by a seed alone."""

from random import Random

from tests.house.sample_sentences import MESSAGES, SHARES, draw_messages, draw_sentences, draw_verdicts


def test_a_seed_draws_the_same_messages_and_sentences_again() -> None:
    messages, sentences = draw_messages(Random(1)), draw_sentences(Random(1))

    assert (len(messages), len(sentences)) == (MESSAGES, sum(SHARES.values()))
    assert draw_messages(Random(1)) == messages
    assert draw_messages(Random(2)) != messages


def test_verdicts_are_drawn_with_their_properties() -> None:
    one, other = draw_verdicts(Random(3), number=2, broken=1)

    assert " broken: " in one
    assert " broken: " not in other
