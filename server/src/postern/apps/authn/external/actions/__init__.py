"""Visits to providers, binding, and signing in."""
