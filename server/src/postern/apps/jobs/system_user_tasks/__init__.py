"""Jobs that are started from system users."""
