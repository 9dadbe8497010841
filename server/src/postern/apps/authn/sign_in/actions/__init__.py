"""Checks of factors, and the completion of a sign-in."""
