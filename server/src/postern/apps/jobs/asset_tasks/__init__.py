"""Jobs that are started from assets and nodes."""
