"""What is managed: assets, the node tree, platforms, labels, favourites, and the host keys that targets showed."""
