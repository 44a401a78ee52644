"""The entry point of `python -m suite`, which has to be started in the root folder of a clone."""

import sys

from gridproof.cli import main
from gridproof_properties.child import run_in_child
from suite.commands import SUITE

if __name__ == "__main__":
    sys.exit(run_in_child(lambda: main(sys.argv[1:], SUITE)))
