"""The server program of etcd: which release it is, and how it is built.

`python -m gridproof_implementation.live.systems.etcd.program` builds the program, as `make live` does first
(docs/sources.md, etcd).
"""

import sys

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.live.fetching import GoProgram

ETCD = GoProgram("etcd", "go.etcd.io/etcd/server/v3", "v3.7.3")

if __name__ == "__main__":
    try:
        print(ETCD.build())
    except AdapterError as error:
        sys.exit(f"gridproof: {error}")
