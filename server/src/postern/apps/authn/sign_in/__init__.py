"""Signing in: the first factor, the second one, and what a browser gets."""
