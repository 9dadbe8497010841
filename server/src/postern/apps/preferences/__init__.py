"""Settings that administrators change at run time, and the public settings for the console."""
