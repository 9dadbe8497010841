"""Counts failed sign-ins, and locks names and addresses."""
