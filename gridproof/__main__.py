"""`python -m gridproof` is `gridproof`."""

import sys

from gridproof.cli import main

if __name__ == "__main__":
    sys.exit(main())
