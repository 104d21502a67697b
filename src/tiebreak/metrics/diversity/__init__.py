"""Measures of diversity: which aspects of a request its relevant items show, and how often."""
