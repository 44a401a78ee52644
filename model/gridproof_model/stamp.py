"""The stamp: a 64-bit digest of all row versions.

Members compare stamps instead of tables (table.6). The hash is a relative of MurmurHash3 x64, not
the textbook one; every constant below is from that section.
"""

from collections.abc import Sequence

_MASK = (1 << 64) - 1
_SEED = 0x01000193


def compute_stamp(versions: Sequence[int]) -> int:
    """Return the signed 64-bit stamp of row versions, in partition order; each is hashed as 4 big-endian bytes."""
    data = b"".join((version & 0xFFFFFFFF).to_bytes(4, "big") for version in versions)
    state = _State()
    whole = len(data) - len(data) % 16
    for start in range(0, whole, 16):
        k1 = int.from_bytes(data[start : start + 8], "little")
        k2 = int.from_bytes(data[start + 8 : start + 16], "little")
        state.mix(k1, k2)
    if whole < len(data):
        state.mix(*_tail(data[whole:]))
    return state.finish(len(data))


class _State:
    """The running state of the hash: two lanes and two constants that change with each block."""

    def __init__(self) -> None:
        self.h1 = 0x9368E53C2F6AF274 ^ _SEED
        self.h2 = 0x586DCD208F7CD3FD ^ _SEED
        self.c1 = 0x87C37B91114253D5
        self.c2 = 0x4CF5AD432745937F

    def mix(self, k1: int, k2: int) -> None:
        """Take in one block of 16 bytes as two 64-bit numbers."""
        k1 = _rotate(k1 * self.c1 & _MASK, 23) * self.c2 & _MASK
        self.h1 = (self.h1 ^ k1) + self.h2 & _MASK
        self.h2 = _rotate(self.h2, 41)
        k2 = _rotate(k2 * self.c2 & _MASK, 23) * self.c1 & _MASK
        self.h2 = (self.h2 ^ k2) + self.h1 & _MASK
        self.h1 = self.h1 * 3 + 0x52DCE729 & _MASK
        self.h2 = self.h2 * 3 + 0x38495AB5 & _MASK
        self.c1 = self.c1 * 5 + 0x7B7D159C & _MASK
        self.c2 = self.c2 * 5 + 0x6BCE6396 & _MASK

    def finish(self, length: int) -> int:
        """Return the digest as a signed number."""
        h2 = self.h2 ^ length
        h1 = self.h1 + h2 & _MASK
        h2 = h2 + h1 & _MASK
        digest = _finalise(h1) + _finalise(h2) & _MASK
        return digest - (1 << 64) if digest >> 63 else digest


def _tail(rest: bytes) -> tuple[int, int]:
    """Return the last, short block; bytes enter sign-extended, as signed bytes do in Java."""
    lanes = [0, 0]
    for index, byte in enumerate(rest):
        signed = byte - 256 if byte > 127 else byte
        lanes[index // 8] ^= signed << (8 * (index % 8))
    return lanes[0] & _MASK, lanes[1] & _MASK


def _rotate(value: int, bits: int) -> int:
    return (value << bits | value >> (64 - bits)) & _MASK


def _finalise(value: int) -> int:
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & _MASK
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & _MASK
    return value ^ value >> 33
