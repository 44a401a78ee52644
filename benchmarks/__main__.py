"""Every benchmark, one after the other."""

from benchmarks import key_hashing

BENCHMARKS = (key_hashing,)

if __name__ == "__main__":
    for benchmark in BENCHMARKS:
        benchmark.main()
