"""The append-only, hash-chained audit log and its API."""
