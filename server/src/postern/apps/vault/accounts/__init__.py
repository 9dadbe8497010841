"""Accounts: the pairs of asset and system user, with secrets of their own."""
