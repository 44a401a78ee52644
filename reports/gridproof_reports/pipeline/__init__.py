"""The Spark pipeline: traces in, verdicts out.

A job is a pure function from the records of any number of runs to findings; `audit.py` runs them all. Its tasks read
files, not objects: the seam to the other wings is the trace format.
"""
