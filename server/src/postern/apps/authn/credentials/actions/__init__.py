"""Writes of browser sign-ins, tokens and access keys."""
