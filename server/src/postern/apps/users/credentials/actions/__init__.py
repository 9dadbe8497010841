"""Writes of passwords, links and everything that a person holds."""
