"""Stream jobs: items are aggregated, and the state is saved in snapshots."""
