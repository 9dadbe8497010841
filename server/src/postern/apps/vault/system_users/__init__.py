"""System users: the accounts with which users connect to targets."""
