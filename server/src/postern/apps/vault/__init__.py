"""System users and their secrets. Secrets are encrypted at rest and write-only in the API."""
