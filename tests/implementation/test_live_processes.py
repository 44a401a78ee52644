"""Processes of a live grid, asked and never left behind."""

import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread, Timer
from time import monotonic, sleep

import pytest

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.live import agent as agent_module
from gridproof_implementation.live import process as process_module
from gridproof_implementation.live.process import (
    MARK,
    AgentError,
    AgentGoneError,
    AgentProcess,
    Fleet,
    Launch,
    NoAnswerError,
    NotOfferedError,
    end_strays,
    roof,
)

LIVE = Path(agent_module.__file__).parent
AGENT = """
import sys, threading, time
from gridproof_implementation.live.agent import serve
opened = threading.Event()
def echo(text): return {"text": text}
def fail(): raise KeyError("no such thing")
def wait(): return {"opened": opened.wait(20)}
def release(): opened.set(); return {}
def print_noise(): print("noise"); return {}
def die(): sys.stderr.write("my last words\\n"); sys.stderr.flush(); import os; os._exit(3)
def spawn():
    import subprocess
    return {"pid": subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]).pid}
def spawn_a_daemon():
    import subprocess
    words = [sys.executable, "-c", "import time; time.sleep(60)"]
    return {"pid": subprocess.Popen(words, start_new_session=True).pid}
def nothing(): pass
def no_json(): return {"value": b"bytes"}
serve("toy", "1", echo, fail, wait, release, print_noise, die, spawn, spawn_a_daemon, nothing, no_json)
"""


def python(source: str) -> Launch:
    return Launch((sys.executable, "-c", source))


@pytest.fixture
def fleet() -> Iterator[Fleet]:
    with Fleet() as entered:
        yield entered


@pytest.fixture
def agent(fleet: Fleet) -> AgentProcess:
    """An agent that has said hello."""
    process = fleet.start("one", python(AGENT))
    assert process.hello(30)["system"] == "toy"
    return process


def runs(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except FileNotFoundError:
        return False


def comes_to(pid: int, state: str) -> bool:
    """Wait up to 10 s for a process to be in this state; return whether it is."""
    end = monotonic() + 10
    while (found := Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0]) != state and monotonic() < end:
        sleep(0.02)
    return found == state


def wait_gone(pid: int) -> bool:
    """Wait up to 10 s for a process that is not ours to end; return whether it did."""
    if runs(pid):
        with suppress(ProcessLookupError), open(os.pidfd_open(pid)) as its_exit:
            select.select([its_exit], [], [], 10)
    return not runs(pid)


def test_an_answer_is_whole_however_long_it_is(agent: AgentProcess) -> None:
    text = "ü\n" * 300_000

    assert agent.ask("echo", text=text)["text"] == text


def test_two_callers_ask_at_once(agent: AgentProcess) -> None:
    heard: list[object] = []
    waiting = Thread(target=lambda: heard.append(agent.ask("wait")["opened"]))
    waiting.start()

    agent.ask("release")
    waiting.join()

    assert heard == [True]


def test_silence_is_an_error_of_its_own_and_a_late_answer_is_dropped(agent: AgentProcess) -> None:
    with pytest.raises(NoAnswerError, match=r"no answer within 0\.\d+ s"):
        agent.ask("wait", timeout_s=0.2)
    agent.ask("release")

    assert agent.ask("echo", text="next")["text"] == "next"


def test_an_error_inside_an_agent_comes_back_in_words(agent: AgentProcess) -> None:
    with pytest.raises(AgentError, match="KeyError: 'no such thing'"):
        agent.ask("fail")


def test_a_verb_that_is_not_offered_is_distinguished_from_one_that_failed(agent: AgentProcess) -> None:
    with pytest.raises(NotOfferedError):
        agent.ask("fly")


def test_what_a_library_prints_reaches_the_log_and_no_answer(agent: AgentProcess) -> None:
    agent.ask("print_noise")

    assert agent.ask("echo", text="k")["text"] == "k"
    assert agent.noise == []


def test_lines_that_are_no_answers_are_kept_and_disturb_nobody(fleet: Fleet) -> None:
    source = """print('JVM warning'); print('[1]'); print('{"id": true}'); print('{"id": 0}', flush=True); input()"""
    process = fleet.start("loud", python(source))

    assert process.hello(30) == {"id": 0}
    assert process.noise == ["JVM warning", "[1]", '{"id": true}']


def test_an_agent_that_ends_is_reported_with_its_last_words(agent: AgentProcess) -> None:
    with pytest.raises(AgentGoneError, match=r"it ended \(exit status 3\); its last words: my last words"):
        agent.ask("die")


def test_a_line_that_is_too_long_is_named(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "LINE_BYTES_MAX", 100_000)
    process = fleet.start("one", python("""print("x" * 1_000_000, flush=True); import time; time.sleep(60)"""))

    with pytest.raises(AgentGoneError, match="it wrote a line of more than 100,000 bytes on standard output"):
        process.hello(30)


def test_words_of_an_agent_are_one_line_of_readable_length(fleet: Fleet) -> None:
    long, none = (
        fleet.start(name, python(f"""print('{{"id": 0, "error": {error}}}', flush=True); input()"""))
        for name, error in (("long", '"' + "a\\\\n" * 9_999 + '"'), ("none", "null"))
    )

    with pytest.raises(AgentError) as said:
        long.hello(30)
    assert str(said.value) == f"{'a ' * 150}..."
    with pytest.raises(AgentError, match="error must be text, not None"):
        none.hello(30)


def test_an_agent_that_does_not_read_is_given_up(fleet: Fleet) -> None:
    process = fleet.start("deaf", python("""print('{"id": 0}', flush=True); import time; time.sleep(60)"""))
    process.hello(30)

    with pytest.raises(NoAnswerError, match="no longer reads its standard input"):
        process.ask("echo", timeout_s=0.2, text="x" * 10_000_000)


def test_a_program_that_is_not_there_is_one_line(fleet: Fleet) -> None:
    with pytest.raises(
        AdapterError, match=r"^cannot start one: no-such-program: No such file or directory; install it"
    ):
        fleet.start("one", Launch(("no-such-program",)))


@pytest.mark.parametrize("verb", ["spawn", "spawn_a_daemon"])
def test_a_killed_agent_takes_what_it_started_along(agent: AgentProcess, verb: str) -> None:
    child = int(agent.ask(verb)["pid"])

    agent.kill()

    assert not agent.is_running
    assert wait_gone(child)
    with pytest.raises(AgentGoneError):
        agent.ask("echo", text="")


@pytest.mark.parametrize("verb", ["spawn", "spawn_a_daemon"])
def test_what_an_agent_leaves_running_hides_no_end_and_ends_with_the_fleet(verb: str) -> None:
    with Fleet() as fleet:
        agent = fleet.start("one", python(AGENT))
        agent.hello(30)
        child = int(agent.ask(verb)["pid"])
        with pytest.raises(AgentGoneError, match=r"it ended \(exit status 3\); its last words: my last words"):
            agent.ask("die", timeout_s=60)
        assert agent.started() == [child]

    assert wait_gone(child)


def test_what_an_agent_started_is_stopped_with_it(agent: AgentProcess) -> None:
    child = int(agent.ask("spawn_a_daemon")["pid"])

    agent.stop()
    assert comes_to(child, "T")
    agent.go_on()
    assert comes_to(child, "S")


@pytest.mark.parametrize("verb", ["nothing", "no_json"])
def test_a_verb_that_returns_no_answer_is_named_at_once(agent: AgentProcess, verb: str) -> None:
    with pytest.raises(AgentError, match=f"{verb} must return the fields of an answer, as JSON: TypeError"):
        agent.ask(verb)


def test_of_an_agent_that_floods_its_log_only_the_end_is_kept(fleet: Fleet) -> None:
    source = r"""os.write(2, b"x" * 5_000_000 + b"\n\xff the end\n \n"); print('{"id": 0}', flush=True); input()"""
    process = fleet.start("loud", python(f"import os; {source}"))

    process.hello(30)
    process.kill()

    assert process.last_words() == "\ufffd the end"
    assert sum(file.stat().st_size for file in roof().rglob("*") if file.is_file()) < 1_000_000


def test_a_process_is_found_while_it_begins_to_run_its_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a moment it shows no environment: an agent that was killed then left it running."""
    (tmp_path / "roof" / "999999999-x").mkdir(parents=True)
    monkeypatch.setattr(process_module, "roof", lambda: tmp_path / "roof")
    monkeypatch.setattr(process_module, "PROCESSES", tmp_path)
    with subprocess.Popen(["sleep", "60"]) as child:
        (shown := tmp_path / str(child.pid)).mkdir()
        for name in ("environ", "cmdline"):
            (shown / name).touch()
        (shown / "exe").symlink_to(sys.executable)
        Timer(0.05, (shown / "environ").write_text, [f"{MARK}=999999999-x"]).start()

        assert end_strays() == 1


def test_leaving_the_fleet_ends_every_process_even_after_an_exception() -> None:
    started: list[AgentProcess] = []

    def fail_inside() -> None:
        with Fleet() as fleet:
            started.append(fleet.start("one", python(AGENT)))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_inside()

    assert not runs(started[0].pid)
    assert not list(roof().glob(f"{os.getpid()}-*"))


DRIVER = """
import os, sys
from gridproof_implementation.live.process import Fleet
from gridproof_implementation.live.process import Launch
fleet = Fleet().__enter__()
process = fleet.start("one", Launch((sys.executable, "-c", sys.argv[1])))
process.hello(30)
if len(sys.argv) > 3:
    process.stop()
print(process.pid, flush=True)
os.kill(os.getpid(), int(sys.argv[2]))
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_an_agent_does_not_outlive_a_driver_that_was_ended(number: int) -> None:
    words = [sys.executable, "-c", DRIVER, AGENT, str(int(number))]
    driver = subprocess.run(words, capture_output=True, text=True, check=False)

    assert wait_gone(int(driver.stdout))
    end_strays()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nor_does_one_that_is_stopped(number: int) -> None:
    words = [sys.executable, "-c", DRIVER, AGENT, str(int(number)), "stopped"]
    driver = subprocess.run(words, capture_output=True, text=True, check=False)

    assert wait_gone(int(driver.stdout))
    end_strays()


BUILDER = """
import sys
from gridproof_implementation.live.fetching import run_whole
watched = "until [ $(wc -w < /proc/$PPID/task/$PPID/children) -ge 2 ]; do sleep 0.05; done"
run_whole(["sh", "-c", f"sleep 60 & echo $!; {watched}; kill -s {sys.argv[1]} $PPID; wait"], 60)
"""
"""The driver is ended only when the process that watches it has been started."""


@pytest.mark.parametrize("name", ["KILL", "TERM", "INT"])
def test_what_a_build_started_does_not_outlive_a_driver_that_was_ended(name: str) -> None:
    words = [sys.executable, "-c", BUILDER, name]
    driver = subprocess.run(words, capture_output=True, text=True, check=False, timeout=30)

    assert wait_gone(int(driver.stdout))


def test_a_stopped_agent_goes_on_and_nothing_watches_it_any_more(agent: AgentProcess) -> None:
    agent.stop()
    with pytest.raises(NoAnswerError):
        agent.ask("echo", 0.3, text="is lost")
    agent.go_on()

    assert agent.ask("echo", text="again")["text"] == "again"
    agent.stop()
    agent.kill()
    assert not runs(agent.pid)


LINGERING = "import threading, time; threading.Thread(target=time.sleep, args=[60]).start()\n"
DEAF_DRIVER = """
import os, select, socket, subprocess, sys
ours, theirs = socket.socketpair()
agent = subprocess.Popen(sys.argv[1:], stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL)
print(agent.pid, flush=True)
select.select([ours], [], [])
os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize(
    "command",
    [
        pytest.param((sys.executable, "-c", LINGERING + AGENT), id="python"),
        pytest.param(("java", "-Xmx64m", "-cp", "classes", "Lingering"), id="java", marks=pytest.mark.nightly),
    ],
)
def test_an_agent_ends_when_its_driver_dies_with_answers_unread(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is then reset, which is no end of the input; and threads of the system still run."""
    monkeypatch.chdir(tmp_path)
    if command[0] == "java":
        compile_agent("Lingering", 'new Thread(() -> { while (true) { } }).start(); new Lingering().serve("toy", "1");')
    driver = subprocess.run(
        [sys.executable, "-c", DEAF_DRIVER, *command], capture_output=True, text=True, check=False, cwd=tmp_path
    )

    assert wait_gone(int(driver.stdout))


def compile_agent(name: str, body: str) -> None:
    """Compile an agent on the Java base into `classes`, here."""
    if shutil.which("javac") is None:
        pytest.skip("there is no javac here")
    main = "public static void main(String[] arguments) throws Exception"
    Path(f"{name}.java").write_text(f"public class {name} extends Agent {{ {main} {{ {body} }} }}")
    base = [str(LIVE / "java" / file) for file in ("Agent.java", "Json.java")]
    subprocess.run(["javac", "-d", "classes", *base, f"{name}.java"], check=True)


@pytest.fixture
def dead_driver() -> int:
    """The id of a process that is gone."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    return gone.pid


def left_over(driver: int, mark: str) -> subprocess.Popen[bytes]:
    """A process that ignores its standard input, with the mark of a fleet of this driver."""
    (roof() / f"{driver}-test").mkdir(parents=True)
    sleep = "import time; print(flush=True); time.sleep(60)"
    environment = {**os.environ, MARK: mark}
    process = subprocess.Popen([sys.executable, "-c", sleep], stdout=subprocess.PIPE, env=environment)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_a_stray_of_a_dead_driver_is_ended(dead_driver: int) -> None:
    with left_over(dead_driver, f"{dead_driver}-test") as stray:
        assert end_strays() == 1
    assert stray.returncode == -9
    assert list(roof().glob(f"{dead_driver}-*")) == []


def test_a_process_of_another_fleet_is_left_alone(dead_driver: int) -> None:
    with left_over(dead_driver, f"{dead_driver}-another") as other:
        assert end_strays() == 0
        assert other.poll() is None
        other.kill()


def test_agents_of_a_living_driver_are_left_alone() -> None:
    mark = f"{os.getpid()}-test"
    with left_over(os.getpid(), mark) as agent:
        assert end_strays() == 0
        assert agent.poll() is None
        agent.kill()
    (roof() / mark).rmdir()
