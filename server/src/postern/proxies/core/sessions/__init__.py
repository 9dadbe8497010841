"""Live sessions: a single session from opening to end, the registry of all sessions, and watching."""
