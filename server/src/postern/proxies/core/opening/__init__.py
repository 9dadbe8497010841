"""From a request to a permitted session with a connection to its target, the same for every front."""
