"""The Spark pipeline, which reads traces and returns verdicts.

A Spark job is a pure function from the records of any number of runs to findings; `audit.py` runs all jobs. The tasks
of a job read files, not objects: the trace format is the interface to the rest of gridproof.
"""
