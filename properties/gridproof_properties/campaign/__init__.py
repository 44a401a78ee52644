"""Campaigns of many runs, simulated or live: they are judged and counted, and failures are minimised."""
