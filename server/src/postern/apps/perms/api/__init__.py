"""The wire of permissions: translation only."""
