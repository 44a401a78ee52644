"""What tests the suite itself: planted bugs, blind mutants, reach and coverage; none of this is installed."""
