"""Trials of command filters against the commands of past sessions."""
