"""Confirming who one is at the provider: for people who have no password here, in place of entering it again."""
