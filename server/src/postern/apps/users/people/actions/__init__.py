"""Writes of accounts: one function per verb, each atomic and audited."""
