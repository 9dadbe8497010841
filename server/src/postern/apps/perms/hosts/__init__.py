"""Adds a host with its account and its users in one call."""
