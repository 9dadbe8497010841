"""Writes of sessions, one module for each matter."""
