"""System users: the accounts with which people reach targets."""
