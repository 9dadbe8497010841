"""Name lookups, and the rules for outgoing connections."""
