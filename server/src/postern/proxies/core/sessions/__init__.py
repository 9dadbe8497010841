"""Live sessions: one permitted session from opening to its end, all of them together, and who watches."""
