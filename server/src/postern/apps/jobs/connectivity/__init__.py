"""Whether assets can be reached."""
