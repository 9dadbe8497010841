"""The tree of assets: its rows, which refer to each other, and what every write of it goes through."""
