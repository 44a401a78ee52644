"""Programs in Go: built once, kept, and asked for by name."""

from pathlib import Path

import pytest

from gridproof_implementation.adapter import Adapter, AdapterError, Options
from gridproof_implementation.adapters.etcd import ADAPTER, SERIALIZABLE
from gridproof_implementation.live.systems.etcd.program import ETCD

GO = """#!/bin/sh
[ "$CGO_ENABLED" = 0 ] || exit 9
[ "$1" = build ] && echo program >"$3"
exit 0
"""


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a machine on which nothing but the usual is installed; the folder for programs."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    return tmp_path


def install(folder: Path, script: str) -> None:
    (folder / "go").write_text(script)
    (folder / "go").chmod(0o755)


def test_a_missing_go_is_one_line(monkeypatch: pytest.MonkeyPatch, programs: Path) -> None:
    monkeypatch.setenv("PATH", str(programs))

    with pytest.raises(AdapterError, match=r"^go\.etcd\.io/etcd/server/v3@v3\.\S+ has to be built with Go, which"):
        ETCD.build()


def test_what_is_built_is_kept_without_its_sources(programs: Path) -> None:
    install(programs, GO)

    built = ETCD.build()
    (programs / "go").unlink()

    assert ETCD.build() == built == ETCD.file
    assert [file.name for file in built.parent.iterdir()] == ["etcd"]
    assert ETCD.missing() is None


def test_a_build_that_fails_is_one_line_with_its_reason_and_leaves_nothing(programs: Path) -> None:
    install(programs, "#!/bin/sh\necho 'go: downloading a'\necho 'go: no such module' >&2\nexit 1\n")

    with pytest.raises(AdapterError, match=rf"^go could not fetch {ETCD.wanted}: go: no such module; mend this cause"):
        ETCD.build()
    assert ETCD.missing() is not None


@pytest.mark.parametrize("adapter", [ADAPTER, SERIALIZABLE], ids=lambda adapter: adapter.name)
def test_what_was_not_built_is_one_line_with_what_to_type(adapter: Adapter) -> None:
    found = rf"^{ETCD.wanted} was not built yet; type: python -m gridproof_implementation\.live\.systems\.etcd\.program"
    with pytest.raises(AdapterError, match=found), adapter.open(Options()):
        pass
