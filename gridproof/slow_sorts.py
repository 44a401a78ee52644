"""Sorting on processors where NumPy's widest instructions are slow.

NumPy sorts numbers by AVX-512 where there is any. On AMD's Zen 4 one of its instructions, which stores some of a
register's parts, takes so long that a sort takes 54 ns an element where it takes 11 with AVX2, and exploring states is
sorting. NumPy reads once, when it is imported, what it is to leave alone.
"""

import os
from collections.abc import MutableMapping
from pathlib import Path

VARIABLE = "NPY_DISABLE_CPU_FEATURES"
ZEN_4 = "25"
"""The family of processors, as Linux gives it."""
SINCE = (2, 4)
"""From this NumPy on features have these names; earlier ones are left as they are."""
FEATURES = "X86_V4 AVX512_ICL"


def spare_slow_sorts(
    environment: MutableMapping[str, str] = os.environ, cpu_info: Path = Path("/proc/cpuinfo")
) -> bool:
    """Have NumPy sort without AVX-512 on Zen 4, unless somebody has set what it does; return whether that was done.

    Called before NumPy is imported; processes started from here do the same.
    """
    if VARIABLE in environment or not _is_zen_4(cpu_info) or _numpy_version() < SINCE:
        return False
    environment[VARIABLE] = FEATURES
    return True


def _is_zen_4(cpu_info: Path) -> bool:
    try:
        lines = cpu_info.read_text(encoding="utf-8", errors="replace").split("\n\n")[0].splitlines()
    except OSError:
        return False
    facts = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    is_zen_4 = (facts.get("vendor_id"), facts.get("cpu family")) == ("AuthenticAMD", ZEN_4)
    return is_zen_4 and "avx512f" in facts.get("flags", "").split()


def _numpy_version() -> tuple[int, ...]:
    # Imported now: few processors come as far as here.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return tuple(int(part) for part in version("numpy").split(".")[:2])
    except (PackageNotFoundError, ValueError):
        return (0, 0)
