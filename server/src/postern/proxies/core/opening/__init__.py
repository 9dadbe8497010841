"""From a wish to a permitted session and its connection: the same for every front."""
