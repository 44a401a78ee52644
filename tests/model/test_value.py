"""Values that are declared frozen and built by assignments."""

import pickle
from dataclasses import dataclass, field, replace

import pytest

from gridproof_model.value import Value


@dataclass(frozen=True, slots=True)
class Base(Value):
    """A value with a field to be named."""

    place: int = field(default=7, kw_only=True)


@dataclass(frozen=True, slots=True)
class Point(Base):
    """A value with a field that has a default."""

    x: int
    y: int = 2


@dataclass(frozen=True, slots=True)
class Bag(Value):
    """A value with a field made anew for each."""

    items: list[int] = field(default_factory=list)


def test_fields_are_given_by_place_or_name_or_default() -> None:
    point = Point(1, place=3)

    assert (point.x, point.y, point.place) == (1, 2, 3)


def test_values_with_equal_fields_are_equal_and_hash_alike() -> None:
    assert (Point(1) == Point(1, 2), hash(Point(1)) == hash(Point(1, 2)), Point(1) == Point(2)) == (True, True, False)


def test_a_field_to_be_named_is_not_given_by_place() -> None:
    with pytest.raises(TypeError):
        Point(1, 2, 3)  # type: ignore[call-arg]


def test_a_missing_field_is_an_error() -> None:
    with pytest.raises(TypeError):
        Point()  # type: ignore[call-arg]


def test_a_value_can_be_made_from_another() -> None:
    assert replace(Point(1, place=3), x=5) == Point(5, 2, place=3)


def test_a_value_goes_to_another_process_and_back() -> None:
    assert pickle.loads(pickle.dumps(Point(1, place=3))) == Point(1, place=3)


def test_a_default_made_anew_is_not_shared() -> None:
    assert Bag().items is not Bag().items


def test_a_value_has_no_room_for_other_attributes() -> None:
    with pytest.raises(AttributeError):
        object.__setattr__(Point(1), "z", 3)
