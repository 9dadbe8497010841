"""Port forwarding to the host of a session: which places may be reached, and the connections that are carried."""
