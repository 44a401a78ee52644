"""Models that papers are recomputed with; they know no paper."""
