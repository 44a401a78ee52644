"""Which options each kind of subject of the suite's commands uses; `docs/options.md` is printed from this, too."""

from gridproof.arguments.followed import DRAWN, EXPLAINED, SubjectOfCommand


class SuiteSubject(SubjectOfCommand):
    """The kinds of subjects that the commands of the suite have."""

    MUTANTS = (
        "suite zoo", "mutants of the zoo",
        "--budget --seed --starts --quick --markdown --junit --sarif --time-limit --json",
    )  # fmt: skip
    MUTANT_EXPLAINED = "suite explain", "a mutant", f"--mutant {EXPLAINED}"
    KILLED = "suite killed", "the page of what was killed", ""
    BLIND_MUTANTS = "suite blind", "blind mutants", "--draw --budget --seed --runs --workers --json"
    UNSEEN = "suite unseen", "explained mutants", ""
    TESTS = "suite tests", "tests", "--sample --seed --module"
    SLIPS = "suite slips", "specifications", "--sample --seed"
    REACH_MEASURED = "suite reach", "reach that is measured", "--runs --seed --workers --page --json"
    REACH_CHECKED = "suite reach", "a page that is checked", "--workers --check", "--check"
    REACH_REASONS = "suite reach", "a page that gets today's reasons", "--reasons", "--reasons"
    COVERED = "suite coverage", "the share that runs have met", f"--seed --runs {DRAWN} --json"
