"""Experiments about evaluation itself."""
