"""Stream jobs of a run, validated by `streams`."""
