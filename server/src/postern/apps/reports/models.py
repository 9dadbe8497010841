"""Reports have no tables: the figures come from other apps."""
