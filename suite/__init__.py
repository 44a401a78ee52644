"""How the suite itself is judged: planted bugs, blind changes, reach and coverage; none of it is installed."""
