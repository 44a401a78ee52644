"""Programs of the Go module proxy, built from source once and kept in the cache.

A build takes minutes, longer than any call of an adapter may: it is asked for by name, and an adapter whose program is
not here yet says so. The version of the module is pinned by whoever names it, and those of its own dependencies by its
`go.mod`; Go holds each against its public checksum.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.live.fetching import cache_folder, kept, run_fetcher

BUILD_TIMEOUT_S = 3_600


@dataclass(frozen=True, slots=True)
class GoProgram:
    """A program whose source is a package of a module."""

    name: str
    module: str
    version: str
    """As Go writes it: `v3.7.3`."""

    @property
    def wanted(self) -> str:
        """What Go calls it."""
        return f"{self.module}@{self.version}"

    @property
    def file(self) -> Path:
        """Where it is once it was built."""
        return cache_folder() / self._place / self.name

    @property
    def _place(self) -> str:
        return f"programs/{self.name}-{self.version}"

    def missing(self) -> str | None:
        """Return what has to be built; None when it is here."""
        return None if self.file.exists() else f"{self.wanted} was not built yet"

    def build(self) -> Path:
        """Return the program, built where it is not in the cache; AdapterError with what to install."""
        go = shutil.which("go")
        if self.file.exists():
            return self.file
        if go is None:
            raise AdapterError(f"{self.wanted} is not here, and neither is Go: install it, as the go.mod of it says")
        kept(self._place, lambda folder: self._build_in(folder, go), f"building {self.wanted}", " (minutes)")
        return self.file

    def _build_in(self, folder: Path, go: str) -> None:
        # `go install module@version` refuses a module that replaces others, so the build is of a module around it.
        source = folder / "source"
        source.mkdir()
        environment = {**os.environ, "CGO_ENABLED": "0"}
        for words in (
            ("mod", "init", "gridproof.example/build"),
            ("get", self.wanted),
            ("build", "-o", str(folder / self.name), self.module),
        ):
            run_fetcher([go, *words], source, self.wanted, BUILD_TIMEOUT_S, environment)
        shutil.rmtree(source)
