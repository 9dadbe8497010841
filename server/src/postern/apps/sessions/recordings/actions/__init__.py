"""Writes of recordings, one module per topic."""
