"""Asset permissions: the rows, the access decision with its reasons, and the lists of reachable assets."""
