"""Murmur3, and the rule from a hash to a partition id.

The hash is the textbook MurmurHash3 x86 32-bit with a documented seed and a signed result (keys.4); a rule maps the
result to a partition (keys.5). The code is written to be read: each step is a function, so that the steps can be
inverted and proved one by one.
"""

SEED = 0x01000193
INT_MIN = -(1 << 31)
INT_MAX = (1 << 31) - 1
WORD = 0xFFFFFFFF
BLOCK_BYTES = 4


def murmur3(payload: bytes) -> int:
    """Return the signed 32-bit hash of a payload (keys.4)."""
    state = SEED
    whole = len(payload) - len(payload) % BLOCK_BYTES
    for start in range(0, whole, BLOCK_BYTES):
        state = absorb(state, scramble(little_endian(payload[start : start + BLOCK_BYTES])))
    if whole < len(payload):
        state ^= scramble(little_endian(payload[whole:]))
    return to_signed(finalise(state ^ len(payload)))


def hash_to_index(value: int, partition_count: int) -> int:
    """Return the partition id of a signed 32-bit hash (keys.5).

    Raise ValueError if there are no partitions, or if the hash is not a signed 32-bit number.
    """
    if partition_count < 1:
        raise ValueError(f"partition count must be at least 1, not {partition_count}")
    if value < INT_MIN or value > INT_MAX:
        raise ValueError(f"{value} is not a signed 32-bit hash; give a whole number from -2**31 to 2**31 - 1")
    if value == INT_MIN:  # its absolute value does not fit 32 bits
        return 0
    return abs(value) % partition_count


def scramble(block: int) -> int:
    """Return a block of up to four bytes, as an unsigned number, with its bits mixed over 32 bits; 0 remains 0."""
    return rotate_left(block * 0xCC9E2D51 & WORD, 15) * 0x1B873593 & WORD


def absorb(state: int, scrambled: int) -> int:
    """Return the state of the hash after one more block of four bytes."""
    return rotate_left(state ^ scrambled, 13) * 5 + 0xE6546B64 & WORD


def finalise(state: int) -> int:
    """Return the state after the last mixing, so that every bit depends on every other bit."""
    state = (state ^ state >> 16) * 0x85EBCA6B & WORD
    state = (state ^ state >> 13) * 0xC2B2AE35 & WORD
    return state ^ state >> 16


def rotate_left(word: int, bits: int) -> int:
    """Return a 32-bit word, rotated to the left by a number of bits."""
    return (word << bits | word >> (32 - bits)) & WORD


def little_endian(block: bytes) -> int:
    """Return the number that Murmur3 reads from up to four bytes, whatever the byte order of the payload."""
    return int.from_bytes(block, "little")


def to_signed(word: int) -> int:
    """Return an unsigned 32-bit word as a signed number."""
    return word - (1 << 32) if word > INT_MAX else word
