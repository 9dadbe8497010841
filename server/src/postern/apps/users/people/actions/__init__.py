"""Writes of accounts: one function for each verb, each atomic and audited."""
