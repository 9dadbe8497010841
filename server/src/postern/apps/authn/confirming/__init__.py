"""Confirmation of identity at the provider, for users who have no password in Postern."""
