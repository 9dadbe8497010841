"""The way of a request from the socket to its view: limits, threads, turns."""
