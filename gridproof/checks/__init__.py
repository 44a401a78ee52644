"""Systems checked: audited, under faults, two side by side."""
