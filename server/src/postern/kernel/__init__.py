"""Ids, clock, errors, secrets, logging and command control. Can be imported from every plane.

Uses the standard library only, and RE2 for the regular expressions of command filters.
"""
