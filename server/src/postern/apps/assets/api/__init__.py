"""The wire of the assets app: translation only."""
