"""Pushing system users: their accounts are created or changed on assets."""
