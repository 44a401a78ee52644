"""Agents in Java: fetched, compiled and kept."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.adapters.hazelcast import ADAPTER, VERSIONS, hazelcast_agent
from gridproof_implementation.live import fetching, java
from gridproof_implementation.live.fetching import cache_folder, kept

JAR = "com.hazelcast:hazelcast:5.7.0"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a machine on which nothing is installed."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return tmp_path / "cache" / "gridproof"


def test_the_cache_is_where_the_user_wants_it(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_folder() == cache
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "gridproof"


def test_what_is_kept_is_made_once(cache: Path) -> None:
    made: list[Path] = []

    folders = {kept("a/b", made.append) for _ in range(2)}

    assert folders == {cache / "a" / "b"}
    assert len(made) == 1


def test_what_could_not_be_made_leaves_nothing(cache: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").write_text("")
        raise AdapterError("no")

    with pytest.raises(AdapterError):
        kept("a", fail)
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize("place", ["/proc/nowhere", "/dev/null"])
def test_a_cache_that_cannot_be_written_is_one_line_with_a_cure(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", place)

    with pytest.raises(AdapterError, match=f"^cannot write into the cache {place}/gridproof: .*; set XDG_CACHE_HOME"):
        kept("a", Path.touch)


def test_somebody_faster_is_let_win(cache: Path) -> None:
    def be_overtaken(folder: Path) -> None:
        (folder / "mine").write_text("")
        (cache / "a").mkdir()
        (cache / "a" / "theirs").write_text("")

    assert [file.name for file in kept("a", be_overtaken).iterdir()] == ["theirs"]


def test_optional_sources_that_do_not_compile_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    javac = tmp_path / "javac"
    javac.write_text("#!/bin/sh\ncase $* in *Jobs*) echo 'Jobs.java:3: error: cannot find symbol' >&2; exit 1;; esac\n")
    javac.chmod(0o755)
    agent = java.JavaAgent("Agent", "toy", JAR, optional=("Jobs.java",))

    assert agent._compile([str(javac)], str(tmp_path), {"Agent.java", "Jobs.java"}) == []
    assert replace(agent, optional=())._compile([str(javac)], str(tmp_path), {"Jobs.java"}) != []


def test_the_first_error_says_what_could_not_be_found() -> None:
    said = ["Agent.java:7: error: cannot find symbol", "import a.B;", "  symbol:   class B", "1 error"]

    assert java._first_of(said) == "Agent.java:7: error: cannot find symbol; symbol: class B"


def test_a_missing_java_is_one_line_with_what_to_type() -> None:
    with pytest.raises(AdapterError, match=r"^java is not installed; type: .*install openjdk.*\(or set JAVA_HOME\)$"):
        hazelcast_agent().launch()


def test_a_missing_maven_is_one_line_with_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "_spark_submit", lambda: None)

    with pytest.raises(AdapterError, match=rf"^{JAR} has to be fetched with Maven, which is not installed; type:"):
        fetching.fetch_jars(JAR)


def test_a_maven_that_fails_is_one_line_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "mvn"
    script.write_text("#!/bin/sh\necho '[INFO] trying'\necho '[ERROR] no such artifact'\nexit 1\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")

    with pytest.raises(AdapterError, match=rf"^mvn could not fetch {JAR}: \[ERROR\] no such artifact; mend this cause"):
        fetching.fetch_jars(JAR)


def test_what_has_to_be_fetched_is_reported_before_anything_starts() -> None:
    assert ADAPTER.missing() == f"{JAR} was not fetched yet"


def test_each_release_has_a_jar_of_its_own() -> None:
    assert {hazelcast_agent(version).artifact for version in VERSIONS} == {
        f"com.hazelcast:hazelcast:{version}" for version in VERSIONS
    }
    assert hazelcast_agent().artifact == JAR


def test_a_jar_of_the_cache_is_not_fetched_again(cache: Path) -> None:
    jar = cache / "jars" / JAR.replace(":", "-") / "hazelcast-5.7.0.jar"
    jar.parent.mkdir(parents=True)
    jar.write_bytes(b"")

    assert fetching.fetch_jars(JAR) == (jar,)


def test_no_source_names_a_place_of_a_machine() -> None:
    sources = [path.read_text() for path in Path(java.__file__).parent.rglob("*.java")]

    assert len(sources) > 15
    assert [word for text in sources for word in ("http:", "https:", "/home/", "/tmp") if word in text] == []


def test_java_is_found_by_its_home_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text("")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    assert shutil.which("java") is None
    assert java._program("java") == program


def test_a_compiler_that_takes_too_long_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "_TIMEOUT_S", 0.01)

    with pytest.raises(AdapterError, match=r"^A was not compiled within 0\.01 s; try again$"):
        replace(hazelcast_agent(), main="A")._compile(["/bin/sleep"], str(tmp_path), {"9"})
