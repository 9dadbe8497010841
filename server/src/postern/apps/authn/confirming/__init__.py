"""Confirmation of identity at the provider, for people who have no password here that they could enter again."""
