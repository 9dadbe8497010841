"""Jobs that are started from accounts."""
