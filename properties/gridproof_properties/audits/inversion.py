"""Murmur3 run backwards.

Every step of the hash can be undone: multiplications by odd numbers, rotations, and xor with a shifted self are all
bijections of 32-bit words (`tests/properties/function_proofs` proves it of these very functions). So for any payload,
any whole block of it and any wanted hash there is exactly one value of that block that gives this hash.
"""

from gridproof_model.hashing import BLOCK_BYTES, SEED, WORD, absorb, little_endian, rotate_left, scramble

_UNDO_C1 = pow(0xCC9E2D51, -1, 1 << 32)
_UNDO_C2 = pow(0x1B873593, -1, 1 << 32)
_UNDO_5 = pow(5, -1, 1 << 32)
_UNDO_F1 = pow(0x85EBCA6B, -1, 1 << 32)
_UNDO_F2 = pow(0xC2B2AE35, -1, 1 << 32)


def solve_block(payload: bytes, block: int, wanted: int) -> bytes:
    """Return the four bytes that, as whole block number `block` of the payload, give the wanted signed hash.

    ValueError when the payload has no such whole block.
    """
    start = block * BLOCK_BYTES
    if not 0 <= start <= len(payload) - BLOCK_BYTES:
        raise ValueError(f"a payload of {len(payload)} bytes has no whole block {block}")
    before = state_after(payload[:start])
    after = state_before(payload[start + BLOCK_BYTES :], len(payload), wanted)
    return block_between(before, after)


def state_after(blocks: bytes) -> int:
    """Return the state of the hash once it has read these whole blocks, from the start."""
    state = SEED
    for start in range(0, len(blocks), BLOCK_BYTES):
        state = absorb(state, scramble(little_endian(blocks[start : start + BLOCK_BYTES])))
    return state


def state_before(rest: bytes, length: int, wanted: int) -> int:
    """Return the state that ends in the wanted hash when only `rest` of a payload of this length is still to come."""
    state = unfinalise(wanted & WORD) ^ length
    whole = len(rest) - len(rest) % BLOCK_BYTES
    if whole < len(rest):
        state ^= scramble(little_endian(rest[whole:]))
    for start in range(whole - BLOCK_BYTES, -1, -BLOCK_BYTES):
        state = unabsorb(state, scramble(little_endian(rest[start : start + BLOCK_BYTES])))
    return state


def block_between(before: int, after: int) -> bytes:
    """Return the only block that leads from one state to another."""
    return unscramble(unabsorb(after, 0) ^ before).to_bytes(BLOCK_BYTES, "little")


def unscramble(word: int) -> int:
    """Undo `scramble`."""
    return rotate_right(word * _UNDO_C2 & WORD, 15) * _UNDO_C1 & WORD


def unabsorb(state: int, scrambled: int) -> int:
    """Undo `absorb`: return the state before this scrambled block."""
    return rotate_right((state - 0xE6546B64) * _UNDO_5 & WORD, 13) ^ scrambled


def unfinalise(state: int) -> int:
    """Undo `finalise`."""
    state = (state ^ state >> 16) * _UNDO_F2 & WORD
    state = (state ^ state >> 13 ^ state >> 26) * _UNDO_F1 & WORD
    return state ^ state >> 16


def rotate_right(word: int, bits: int) -> int:
    """Undo `rotate_left`."""
    return rotate_left(word, 32 - bits)
