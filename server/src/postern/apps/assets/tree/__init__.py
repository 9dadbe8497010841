"""The tree of assets: its tables, which refer to each other, and the functions that every write of the tree uses."""
