"""Writes of terminals, one module for each matter."""
