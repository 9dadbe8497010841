"""Writes of terminals, one module per topic."""
