"""Settings that administrators change at run time, and the settings that the console reads before sign-in."""
