"""Ratios of two things measured in one run."""

from gridproof.slow_sorts import spare_slow_sorts

spare_slow_sorts()
