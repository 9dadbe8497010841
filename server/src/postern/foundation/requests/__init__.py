"""Handling of a request between the socket and its view: limits, threads, turns."""
