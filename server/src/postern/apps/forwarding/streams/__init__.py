"""Positions in the audit log of those who follow it."""
