"""Writes of the vault: system users, their bindings, and the keys that seal their secrets."""
