"""The structures that can be checked, one model a file."""
