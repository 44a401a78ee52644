"""The pytest plugin: one test for each property.

`pytest --gridproof-system=NAME` adds, for every system that is named, one test for every property. The system is
audited only once, when the first of its tests runs, whatever the result. The test of a promised property that is broken
fails, with the witness in sentences and the command that repeats the audit; it also fails if the property could not be
judged, since unknown is not a pass. If a documented weakness shows, this is an expected failure; the test of a property
that the system does not promise is skipped, and says what was seen. Under pytest-xdist, all tests of a system run on
the same worker, or with `--dist each` on each. Without a system, this module imports only how values are read.
"""

import os
import re
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, assert_never

import pytest

from gridproof.arguments.values import path_of, whole_of

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr

    from gridproof.arguments.configuration import Given
    from gridproof.ci.baseline import Baseline
    from gridproof_implementation.adapter import Adapter, Options
    from gridproof_properties.judging.judge import Property
    from gridproof_properties.judging.verdict import PromiseLevel, Verdict


GROUPED = "gridproof_loadgroup"
"""The setting that makes a worker of pytest-xdist keep the tests of a group together."""
_OF_GROUP = re.compile(r"^(gridproof::.*)@gridproof-[^@]*$")
"""The name of a test of this plugin, with the name of its group, which pytest-xdist appends."""
PLACES = ("hosts", "zones", "racks", "nodes")
"""The options of `gridproof check` that say where members run."""
FOLLOWED = ("members", "backups", "config", "map", "set", *PLACES)
"""The options that not every system uses."""
_SHARED = "|".join((*FOLLOWED, "system", "seed", "out", "baseline", "time-limit"))
_OPTION = re.compile(rf"(?<![\w-])--(?=({_SHARED})\b(?!-))")
"""The start of an option of `gridproof check` that pytest has, too, with a longer name."""


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the options."""
    pluginmanager.register(AddsPromises(), "gridproof-promises")
    pluginmanager.register(NoticesTheEnd(), "gridproof-end")
    group = parser.getgroup("gridproof", "conformance of a data grid")
    system = "audit this system, a name of `gridproof systems` or your own as module:ADAPTER; once or several times"
    group.addoption("--gridproof-system", action="append", default=[], metavar="NAME", help=system)
    group.addoption("--gridproof-members", type=whole_of, metavar="N", help="members to start with (default 3)")
    group.addoption("--gridproof-backups", type=whole_of, metavar="B", help="backups to keep (default 1)")
    group.addoption("--gridproof-seed", type=whole_of, default=0, metavar="S", help="seed of every choice (default 0)")
    group.addoption("--gridproof-out", type=path_of, metavar="DIR", help="an empty folder for traces and reports")
    group.addoption("--gridproof-config", type=path_of, metavar="FILE", help="a Hazelcast YAML or XML")
    group.addoption("--gridproof-map", metavar="NAME", help="the map of the configuration to try")
    value, known = "value of a variable in it", "known failures: reported, but they fail no test"
    group.addoption("--gridproof-set", action="append", default=[], metavar="NAME=VALUE", help=value)
    group.addoption("--gridproof-baseline", type=path_of, metavar="FILE", help=known)
    group.addoption("--gridproof-time-limit", type=float, metavar="SECONDS", help="of each audit; the rest is unknown")
    for place in PLACES:
        group.addoption(f"--gridproof-{place}", metavar="NAME,...", help=f"{place} of the members in join order")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers, create the folder for results, and keep the tests of each system on one worker."""
    config.addinivalue_line("markers", "gridproof: a property of a data grid")
    config.addinivalue_line("markers", "gridproof_promised: a property that the system promises")
    config.addinivalue_line("markers", "xdist_group(name): of pytest-xdist; tests of one name go to one worker")
    if not config.option.gridproof_system:
        return
    if (workerinput := getattr(config, "workerinput", None)) is not None:
        config.option.loadgroup = config.option.loadgroup or workerinput.get(GROUPED, False)
        return
    dist = getattr(config.option, "dist", "no")
    if dist in ("load", "worksteal"):  # -n alone means "load"; neither keeps groups
        config.option.dist = "loadgroup"
    for name in config.option.gridproof_system if dist != "no" else ():  # a worker's refusal would not be shown
        _looked_up(config, name)
    if config.option.gridproof_out is not None:
        if dist == "each":
            _refuse("--gridproof-out holds one audit of a system, not one of each worker; leave out it or --dist each")
        from gridproof.output.folders import choose_folder
        from gridproof_model.user_error import UserError

        try:
            choose_folder(config.option.gridproof_out, "")
        except UserError as error:
            _refuse(str(error))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:  # a worker's controller, of pytest-xdist
    """Send a worker of pytest-xdist the values that only the controller knows."""
    node.workerinput[GROUPED] = node.config.option.dist == "loadgroup"


@pytest.hookimpl(tryfirst=True)  # before -k and -m choose
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the tests of every system that is named."""
    for name in dict.fromkeys(config.option.gridproof_system):
        items.extend(_tests_of(session, config, name))


class AddsPromises:
    """Adds tests after `-k` and `-m` have made their choice."""

    @staticmethod
    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
        """For each system whose tests were chosen, add a test that one of these tests compares something."""
        chosen: dict[str, list[PropertyTest]] = {}
        for item in items:
            if isinstance(item, PropertyTest):
                chosen.setdefault(item.audit.name, []).append(item)
        for first, *others in chosen.values():
            assert first.parent is not None
            # Under pytest-xdist the node id already ends with the group's name, so only the test's name is replaced.
            names = [test.name for test in (first, *others)]
            made = {"nodeid": first.nodeid.replace(f"::{first.name}", "::promises"), "audit": first.audit}
            items += _collected([PromisesTest.from_parent(first.parent, name="promises", names=names, **made)])


class NoticesTheEnd:
    """Makes pytest go on in a child process whose end is noticed, so that an early exit with status 0 is no pass.

    If a system is named, the child starts before the first conftest is loaded; else it starts before the first test, if
    gridproof has been imported; there is no child if pytest runs inside another program, such as an editor. Under
    pytest-xdist, the controller notices the end of its workers.
    """

    def __init__(self) -> None:
        self._has_begun = False
        self._say: Callable[[int | None, str], None] = lambda status, begun: None
        self._is_left = False

    @pytest.hookimpl(wrapper=True, tryfirst=True)  # before output is captured
    def pytest_load_initial_conftests(self, early_config: pytest.Config) -> Generator[None, object, object]:
        """Start the child before any conftest is loaded."""
        if early_config.known_args_namespace.gridproof_system:
            self._begin(early_config)
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Start the child now if tests use gridproof, as a user's state machine does."""
        is_here = getattr(session.config.option, "dist", "no") == "no"
        if is_here and any(name.startswith("gridproof_") for name in sys.modules):
            self._begin(session.config)
        return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Report which test has begun."""
        self._say(None, nodeid)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, object, object]:
        """Report how pytest will end once reports are written, since a conftest may end the process after that."""
        found = yield
        self._say(int(session.exitstatus), "")
        return found

    def pytest_keyboard_interrupt(self) -> None:
        """Note that not every test has run, after Ctrl-C or a call of pytest.exit, which may set status 0."""
        self._is_left = True

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> Generator[None, int, int]:
        """Report the end of any command of pytest, for instance of one that only lists tests."""
        status = yield
        if self._is_left and status == 0 and config.option.gridproof_system:
            print("gridproof: pytest.exit came before every test had run; nothing is known", file=sys.stderr)
            status = 3
        self._say(int(status), "")
        return status

    def _begin(self, config: pytest.Config) -> None:
        program = Path(sys.argv[0])
        is_pytest = program.name in ("pytest", "py.test") or program.parts[-2:] == ("pytest", "__main__.py")
        if self._has_begun or not is_pytest or tuple(sys.argv[1:]) != tuple(config.invocation_params.args):
            return
        from gridproof_properties.child import go_on_in_child

        def complain(begun: str) -> None:
            capturing: Any = config.pluginmanager.getplugin("capturemanager")
            if capturing is not None:
                capturing.suspend_global_capture(in_=True)
            when = f"after {begun} had begun" if begun else "before its first test"
            cure = "look there for os._exit and exec, and leave by pytest.exit"
            why = f"pytest ended with status 0 before it gave a verdict, {when}, and nothing is known: {cure}"
            print(f"gridproof: {why}", file=sys.stderr, flush=True)

        self._has_begun, self._say = True, go_on_in_child(complain)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Give a test of the plugin the name that it has without pytest-xdist, which appends the name of the group."""
    if hasattr(report, "node"):  # it comes from a worker, which needs the longer name of the test
        report.nodeid = _OF_GROUP.sub(r"\1", report.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Report a state machine's failure in the machine's own words: a traceback through its libraries does not help."""
    report = yield
    if call.excinfo is not None and getattr(call.excinfo.value, "is_described_whole", False):
        report.longrepr = str(call.excinfo.value)
    return report


class _TestOfSystem(pytest.Item):
    def __init__(self, *, audit: "Audit", **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]
        self.audit = audit
        self.add_marker("gridproof")
        self.add_marker(pytest.mark.xdist_group(f"gridproof-{audit.name}"))

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_nodeid" and (of := getattr(self, "_id", None)):  # xdist 3.8 adds a group where pytest 9.2 has none
            name, value = "_id", of.parse(value)
        super().__setattr__(name, value)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return the name that the test has on the terminal and in JUnit files."""
        return self.path, None, f"{self.audit.name}: {self.name}"


class PropertyTest(_TestOfSystem):
    """The test of one property of one system."""

    def __init__(self, *, prop: "Property", promised: bool, **rest: Any) -> None:
        super().__init__(**rest)
        self._property = prop
        if promised:
            self.add_marker("gridproof_promised")

    def runtest(self) -> None:
        """Audit the system, or look up what the audit found, and fail if the property does not hold."""
        from gridproof_properties.judging.verdict import PromiseLevel, Result

        if self.audit.run_once():
            self.user_properties.append(("gridproof_audit_seconds", f"{self.audit.seconds:.3f}"))
        self.user_properties.extend((f"gridproof_{what}", str(path)) for what, path in self.audit.kept.items())
        verdict = self.audit.verdict(self._property.name)
        self.user_properties.append(("gridproof_compared", verdict.compared))
        self.add_report_section("call", "gridproof", verdict.sentence)
        for line in self.audit.mended(verdict):
            warnings.warn(MendedWarning(line), stacklevel=1)
        match verdict.promise:
            case PromiseLevel.PROMISED:
                if self.audit.knows(verdict):
                    pytest.xfail(f"known, as {self.audit.baseline.path} says: {verdict.sentence}")
            case PromiseLevel.WEAKNESS:
                if verdict.result is not Result.HOLDS:
                    pytest.xfail(f"documented as a weakness: {verdict.sentence}")
            case PromiseLevel.NONE:
                pytest.skip(f"not promised; {verdict.result}: {verdict.sentence}")
            case _:
                assert_never(verdict.promise)
        if verdict.result is not Result.HOLDS:  # with --runxfail, no failure is expected
            kept = [f"{what}: {path}" for what, path in self.audit.kept.items()]
            raise PropertyError(self._property, verdict, self.audit.repeat_line, kept)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> "str | TerminalRepr":
        """Describe a broken property in sentences; report any other error in pytest's own way."""
        return str(excinfo.value) if isinstance(excinfo.value, PropertyError) else super().repr_failure(excinfo)


class PromisesTest(_TestOfSystem):
    """The test whether any promise was compared among the properties whose tests run."""

    def __init__(self, *, names: Sequence[str], **rest: Any) -> None:
        super().__init__(**rest)
        self._names = names

    def runtest(self) -> None:
        """Fail if all the other tests are skipped or expected failures because nothing was compared."""
        from gridproof.ci.gate import NOTHING_COMPARED
        from gridproof_properties.judging.verdict import is_blind

        if is_blind(self.audit.verdict(name) for name in self._names):
            pytest.fail(f"{NOTHING_COMPARED}; repeat with: {self.audit.repeat_line}", pytrace=False)


class MendedWarning(UserWarning):
    """Warns of a line in the baseline whose failure no longer occurs."""


class PropertyError(Exception):
    """Raised if a promised property does not hold."""

    def __init__(self, prop: "Property", verdict: "Verdict", repeat_line: str, kept: Sequence[str]) -> None:
        from gridproof_properties.machines.judged import describe_verdict

        super().__init__("\n".join([*describe_verdict(prop, verdict), f"repeat with: {repeat_line}", *kept]))


class Audit:
    """The audit of one system; it runs once, in a process of its own, when the first verdict is needed."""

    def __init__(self, plan: "Plan", system: str, repeat_line: str, baseline: "Baseline", out: Path | None) -> None:
        self.name = plan.name
        self.baseline = baseline
        self.repeat_line = repeat_line
        self.seconds = 0.0
        """How long the audit took."""
        self.kept: dict[str, Path] = {}
        """The paths of the trace and the report, if these are kept."""
        self._plan = plan
        self._system = system
        """The system's own name."""
        self._out = out
        self._found: Mapping[str, Verdict] | str | None = None
        """The verdicts, or why there are none; None before the audit."""

    def run_once(self) -> bool:
        """Audit the system, unless this has been done before; return whether it was done now."""
        if self._found is not None:
            return False
        began = time.monotonic()
        self._found = self._run()
        self.seconds = time.monotonic() - began
        return True

    def verdict(self, name: str) -> "Verdict":
        """Return the verdict on a property; let the test fail if the system could not be audited."""
        self.run_once()
        if isinstance(self._found, str):
            pytest.fail(f"{self.name} could not be audited: {self._found}", pytrace=False)
        assert self._found is not None
        return self._found[name]

    def knows(self, verdict: "Verdict") -> bool:
        """Return whether the baseline lists this failure."""
        from gridproof.ci.baseline import is_failure

        return is_failure(verdict) and self.baseline.knows(self._names, verdict)

    def mended(self, verdict: "Verdict") -> list[str]:
        """Return sentences about those lines of the baseline on this property whose failures no longer occur."""
        lines = self.baseline.mended([(self._names, [verdict])])
        about = [one for one in lines if one.property == verdict.property]
        return [f"mended, take line {one.line} out of {self.baseline.path}: {one}" for one in about]

    @property
    def _names(self) -> tuple[str, str]:
        return (self.name, self._system)

    def _run(self) -> "Mapping[str, Verdict] | str":
        from gridproof_properties.child import EndedError, apart

        try:
            found = apart(lambda: self._plan.audited(self._out, self.repeat_line))
        except EndedError as error:
            return str(error)
        if isinstance(found, str):
            return found
        verdicts, self.kept = found
        return {verdict.property: verdict for verdict in verdicts}


@dataclass(frozen=True, slots=True)
class Plan:
    """What to audit, and how; the adapter is loaded in a child process whose end is noticed."""

    name: str
    given: "Given"
    chosen: tuple[str, ...]
    """The options that the user gave."""
    members: int
    backups: int | None
    seed: int
    time_limit_s: float | None
    here: Path
    """The folder in which pytest was started: relative paths are relative to it."""

    def looked_up(self) -> "tuple[str, str, Mapping[str, PromiseLevel]] | str":
        """Return the system's name, the command that repeats the audit, and the promises; or a text that says what is
        wrong."""
        from gridproof.checks.run import line_to_repeat
        from gridproof_implementation.adapter import Kind
        from gridproof_model.user_error import UserError
        from gridproof_properties.audits.conformance import promise_levels

        try:
            adapter, options = self._opened()
            line = line_to_repeat(self.name, options, self.given, is_grid=adapter.kind is Kind.GRID)
            return adapter.name, line, promise_levels(adapter, options)
        except UserError as error:
            return str(error)

    def audited(self, out: Path | None, repeat_line: str) -> "tuple[Sequence[Verdict], dict[str, Path]] | str":
        """Return the verdicts, and the files that were kept in a folder; or the reason why there are none."""
        os.chdir(self.here)  # a test before this one may have left another working folder
        from gridproof_model.user_error import UserError
        from gridproof_properties.audits.conformance import Extent, check_conformance

        try:
            adapter, options = self._opened()
            if out is None:
                return check_conformance(adapter, options, extent=Extent(time_limit_s=self.time_limit_s)), {}
            from gridproof.checks.run import check_system
            from gridproof.output.folders import choose_folder, plain_name
            from gridproof.output.progress import silent

            folder = choose_folder(out / plain_name(self.name), "")
            checked = check_system(adapter, options, folder, silent, repeat_line, self.time_limit_s)
        except UserError as error:
            return str(error)
        except Exception:  # a defect of gridproof, reported by each test, since none of them has a verdict
            return traceback.format_exc()
        kept = {"trace": checked.trace, "report": checked.report}
        return checked.verdicts, {what: path for what, path in kept.items() if path is not None}

    def _opened(self) -> "tuple[Adapter, Options]":
        from gridproof.arguments.followed import refuse_ignored
        from gridproof.arguments.options import make_options, subject_of
        from gridproof_implementation.adapters import get_adapter

        adapter = get_adapter(self.name)
        refuse_ignored(self.chosen, subject_of(adapter), called=self.name)
        options = make_options(
            [adapter], member_count=self.members, backup_count=self.backups, seed=self.seed, given=self.given
        )
        return adapter, options


def _given_in(config: pytest.Config) -> "Given":
    from gridproof.arguments.configuration import Given

    given = {place: getattr(config.option, f"gridproof_{place}") for place in PLACES}
    places = {place: text for place, text in given.items() if text is not None and place != "hosts"}
    option = config.option
    return Given(option.gridproof_config, given["hosts"], places, option.gridproof_map, tuple(option.gridproof_set))


def _looked_up(config: pytest.Config, name: str) -> "tuple[Audit, Mapping[str, PromiseLevel]]":
    """Return a system's audit, which has not begun yet, and its promises; wrong use ends pytest with the reason."""
    from gridproof.command import WITHOUT_DOCSTRINGS

    if sys.flags.optimize > 1:
        _refuse(WITHOUT_DOCSTRINGS)
    from gridproof.ci.baseline import no_baseline, read_baseline
    from gridproof.time_limit import checked_seconds
    from gridproof_model.user_error import UserError
    from gridproof_properties.child import apart

    option = config.option
    try:
        limit_s, here = checked_seconds(option.gridproof_time_limit), config.invocation_params.dir
        members, backups, seed = option.gridproof_members, option.gridproof_backups, option.gridproof_seed
        chosen = tuple(f"--{one}" for one in FOLLOWED if getattr(option, f"gridproof_{one}") not in (None, []))
        plan = Plan(name, _given_in(config), chosen, members, backups, seed, limit_s, here)
        found = apart(plan.looked_up)
        file = option.gridproof_baseline
        baseline = no_baseline() if file is None else read_baseline(file)
    except UserError as error:
        _refuse(str(error))
    if isinstance(found, str):
        _refuse(found)
    system, repeat_line, levels = found
    return Audit(plan, system, repeat_line, baseline, option.gridproof_out), levels


def _tests_of(session: pytest.Session, config: pytest.Config, name: str) -> list[pytest.Item]:
    audit, levels = _looked_up(config, name)
    from gridproof_properties.catalogue import CATALOGUE
    from gridproof_properties.judging.verdict import PromiseLevel

    parent = _SystemTests.from_parent(session, name=f"gridproof-{name}", nodeid=f"gridproof::{name}")
    promised = {prop.name: levels.get(prop.name) is PromiseLevel.PROMISED for prop in CATALOGUE}
    made = [{"name": prop.name, "audit": audit, "prop": prop, "promised": promised[prop.name]} for prop in CATALOGUE]
    return _collected([PropertyTest.from_parent(parent, **one) for one in made])


class _SystemTests(pytest.Collector):
    """The collector for the tests of one system; it is given its tests and collects none itself."""

    def collect(self) -> list[pytest.Item]:
        """Find nothing more."""
        return []


def _collected(tests: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests, after pytest has been notified that they were collected, since it counts them by this."""
    tests[0].ihook.pytest_collectreport(report=pytest.CollectReport("gridproof", "passed", None, [*tests]))
    return tests


def _refuse(why: str) -> NoReturn:
    raise pytest.UsageError(_OPTION.sub("--gridproof-", why))
