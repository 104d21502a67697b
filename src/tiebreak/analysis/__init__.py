"""Analyses: recall levels, worst-off users and providers, top-heaviness, closed-form results."""
