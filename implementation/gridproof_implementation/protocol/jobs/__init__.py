"""Stream jobs: items aggregated, their state saved in snapshots."""
