"""Writes of sessions, one module per topic."""
