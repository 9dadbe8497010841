"""Nodes of the tree, and the assets that are placed in them."""
