"""Whether the accounts of system users work on their assets."""
