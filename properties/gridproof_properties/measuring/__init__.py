"""Measures of specifications with rates: how likely something is, how soon it happens, and how often."""

from gridproof_properties.measuring.estimate import Estimate
from gridproof_properties.measuring.measure import Measured, Measurement, Measurer, Quantity, Question
from gridproof_properties.measuring.predicates import Predicate, predicates_of

__all__ = ["Estimate", "Measured", "Measurement", "Measurer", "Predicate", "Quantity", "Question", "predicates_of"]
