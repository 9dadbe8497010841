"""Nodes of the tree, and the assets placed in them."""
