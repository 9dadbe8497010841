"""Jobs: work that Postern does in the background, its log and its result."""
