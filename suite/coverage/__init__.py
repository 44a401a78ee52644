"""What share of what specifications allow runs have met: `gridproof simulate --coverage`."""
