"""Proving who one is, and completing a sign-in."""
