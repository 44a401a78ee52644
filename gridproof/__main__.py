"""`python -m gridproof` does the same as `gridproof`, which begins here."""

import sys


def main() -> int:
    """Run the command that was typed; Ctrl-C has its one line also while the command line itself is imported."""
    try:
        from gridproof import cli

        return cli.main()
    except KeyboardInterrupt:
        print("gridproof: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
