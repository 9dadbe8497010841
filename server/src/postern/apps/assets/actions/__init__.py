"""Writes of the assets app: the tree, assets, labels, platforms, stars, host keys."""
