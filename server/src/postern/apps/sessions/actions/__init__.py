"""Writes of the sessions app, one module for each matter."""
