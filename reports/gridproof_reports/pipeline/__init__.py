"""The Spark pipeline, which reads traces and returns verdicts.

A job is a pure function from the records of any number of runs to findings; `audit.py` runs all jobs. The tasks of jobs
read files, not objects: the trace format is the interface to the other wings.
"""
