"""Results for continuous integration: the exit status, and files that CI servers read."""
