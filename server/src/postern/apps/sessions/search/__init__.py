"""Search inside recordings: the index of their lines, and the hits."""
