"""Makes sorting faster on processors on which NumPy's widest instructions are slow.

NumPy sorts numbers with AVX-512 instructions if the processor has them. On AMD's Zen 4 one of these instructions, which
stores some parts of a register, takes so long that sorting takes 54 ns per element, but only 11 ns with AVX2; and the
exploration of states is mostly sorting. NumPy reads only once, when it is imported, which instructions it must not use.
"""

import os
from collections.abc import MutableMapping
from pathlib import Path

VARIABLE = "NPY_DISABLE_CPU_FEATURES"
ZEN_4 = "25"
"""The processor family of Zen 4, as Linux reports it."""
SINCE = (2, 4)
"""The first version of NumPy with these names of processor features; nothing is changed for earlier versions."""
FEATURES = "X86_V4 AVX512_ICL"


def spare_slow_sorts(
    environment: MutableMapping[str, str] = os.environ, cpu_info: Path = Path("/proc/cpuinfo")
) -> bool:
    """Make NumPy sort without AVX-512 on Zen 4, unless the user has set the features; return whether this was done.

    The function must be called before NumPy is imported; processes that are started from this one inherit the setting.
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
    # Imported here, for speed: on most processors the function ends before this line.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return tuple(int(part) for part in version("numpy").split(".")[:2])
    except (PackageNotFoundError, ValueError):
        return (0, 0)
