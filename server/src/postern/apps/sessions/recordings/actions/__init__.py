"""Writes of recordings, one module for each matter."""
