"""Settings that administrators change while Postern runs, and the public ones that the console needs."""
