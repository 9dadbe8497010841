"""Writes of passwords, links and all other credentials of a user."""
