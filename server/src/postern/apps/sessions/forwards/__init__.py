"""Forwarded connections: ports and sockets of hosts that programs of users reached through a session."""
