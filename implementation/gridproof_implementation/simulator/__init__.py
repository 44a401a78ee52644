"""The simulator: one seed determines everything that happens in a run."""
