"""What is managed: assets, the node tree, platforms, labels, favourites, and the pinned host keys of targets."""
