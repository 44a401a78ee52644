"""Merging: the two halves of a split become one cluster again."""
