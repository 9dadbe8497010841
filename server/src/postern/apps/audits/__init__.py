"""The append-only, hash-chained log of everything that was done, and its views."""
