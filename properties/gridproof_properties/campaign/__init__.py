"""Campaigns of many runs, simulated or live: judging, counting, and minimising failures."""
