"""Keys constructed for a hash have that hash."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridproof_model.hashing import INT_MAX, INT_MIN, murmur3
from gridproof_model.keys import Key, KeyType
from gridproof_model.serialization import serialize
from gridproof_properties.audits.boundary_keys import (
    LISTABLE_TYPES,
    UNSOLVED,
    boundary_hashes,
    boundary_keys,
    keys_with_hash,
    listed_keys,
    solve_block,
    why_unreachable,
)

signed_hashes = st.integers(INT_MIN, INT_MAX)
SOLVABLE_TYPES = [one for one in KeyType if one not in (*LISTABLE_TYPES, *UNSOLVED, KeyType.FLOAT)]


@given(st.binary(min_size=4, max_size=40), st.data(), signed_hashes)
def test_any_whole_block_can_be_solved_for_any_hash(payload: bytes, data: st.DataObject, wanted: int) -> None:
    block = data.draw(st.integers(0, len(payload) // 4 - 1))

    solved = solve_block(payload, block, wanted)

    assert murmur3(payload[: 4 * block] + solved + payload[4 * block + 4 :]) == wanted


@given(st.binary(min_size=4, max_size=40))
def test_solving_for_the_hash_a_payload_has_gives_its_own_block(payload: bytes) -> None:
    assert solve_block(payload, 0, murmur3(payload)) == payload[:4]


@pytest.mark.parametrize(("size", "block"), [(3, 0), (7, 1), (8, -1), (0, 0)])
def test_a_block_that_is_not_there_cannot_be_solved(size: int, block: int) -> None:
    with pytest.raises(ValueError, match=f"a payload of {size} bytes has no block {block}; it has "):
        solve_block(bytes(size), block, 0)


@pytest.mark.parametrize("key_type", SOLVABLE_TYPES)
@pytest.mark.parametrize("count", [1, 2, 271, 1009, INT_MAX])
def test_every_boundary_hash_has_a_key_of_every_wide_type(key_type: KeyType, count: int) -> None:
    keys = list(boundary_keys(key_type, count))

    assert {boundary.hash for boundary in keys} == set(boundary_hashes(count))
    assert all(murmur3(serialize(boundary.key)) == boundary.hash for boundary in keys)


@given(st.sampled_from([*SOLVABLE_TYPES, KeyType.FLOAT]), signed_hashes)
def test_a_key_for_any_hash_has_that_hash(key_type: KeyType, wanted: int) -> None:
    keys = keys_with_hash(key_type, wanted)

    assert keys or key_type is KeyType.FLOAT
    assert {murmur3(serialize(key)) for key in keys} <= {wanted}


def test_the_int_with_hash_0_is_the_documented_one() -> None:
    assert keys_with_hash(KeyType.INT, 0) == (Key(KeyType.INT, 10632764),)


def test_strings_for_a_hash_are_readable_and_of_every_tail_length() -> None:
    texts = [str(key.value) for key in keys_with_hash(KeyType.STRING, INT_MIN)]

    assert all(text.isprintable() for text in texts)
    assert {len(text.encode()) % 4 for text in texts} == {0, 1, 2, 3}
    assert any(not text.isascii() for text in texts)


def test_uuids_for_a_hash_keep_the_form_of_version_4() -> None:
    assert {getattr(key.value, "version", None) for key in keys_with_hash(KeyType.UUID, INT_MIN)} == {4}


def test_the_one_float_with_a_hash_may_be_no_number() -> None:
    no_number = murmur3(bytes.fromhex("7fc00001"))

    assert keys_with_hash(KeyType.FLOAT, no_number) == ()
    assert why_unreachable(KeyType.FLOAT) == "the only four bytes with that hash are no number"


@pytest.mark.parametrize(("key_type", "how_many"), [(KeyType.BYTE, 256), (KeyType.SHORT, 65_536), (KeyType.BOOLEAN, 2)])
def test_a_narrow_type_is_listed_whole(key_type: KeyType, how_many: int) -> None:
    assert len({key.value for key in listed_keys(key_type)}) == how_many
    assert why_unreachable(key_type) == f"there are only {how_many} {key_type.value} keys for 2^32 hashes"


def test_a_narrow_key_is_found_by_its_hash() -> None:
    assert keys_with_hash(KeyType.SHORT, 1263158969) == (Key(KeyType.SHORT, 300),)
    assert keys_with_hash(KeyType.BYTE, INT_MIN) == ()


def test_a_wide_type_cannot_be_listed() -> None:
    with pytest.raises(ValueError, match="int has too many keys to list; name one of byte, short, boolean"):
        listed_keys(KeyType.INT)


def test_boundary_hashes_are_the_ends_and_the_multiples_with_their_neighbours() -> None:
    hashes = set(boundary_hashes(271))

    assert {0, 1, -1, INT_MAX, INT_MIN, INT_MIN + 1} <= hashes
    assert {270, 271, 272, -270, -271, -272} <= hashes
    assert {271 * 7924293 + step for step in (-1, 0, 1)} <= hashes
    assert INT_MAX < 271 * 7924294


@given(st.integers(1, INT_MAX))
def test_boundary_hashes_of_any_count_are_signed_32_bit_numbers(count: int) -> None:
    assert all(INT_MIN <= value <= INT_MAX for value in boundary_hashes(count))
