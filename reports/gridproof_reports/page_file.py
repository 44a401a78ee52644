"""A page in its place, whole or not at all.

It is written beside its place and moved there: a run that is interrupted leaves the old page or none.
"""

import os
from pathlib import Path
from tempfile import NamedTemporaryFile


def write_page(page: str, out: Path) -> Path:
    """Write a page whole or not at all, and return its path."""
    out.parent.mkdir(parents=True, exist_ok=True)
    # A log may hold half a pair of surrogates, which is no text: it is written as people write it.
    with NamedTemporaryFile(
        "w", encoding="utf-8", errors="backslashreplace", dir=out.parent, prefix=f".{out.name}.", delete=False
    ) as beside:
        try:
            beside.write(page)
            beside.flush()
            os.chmod(beside.name, 0o644)
            os.replace(beside.name, out)
        except BaseException as failure:
            Path(beside.name).unlink(missing_ok=True)
            if isinstance(failure, OSError) and failure.filename is None:  # a full disk: the error names no file
                raise OSError(failure.errno, failure.strerror, str(out)) from None
            raise
    return out
