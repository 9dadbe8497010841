"""SSH connections of both kinds, to users and to servers: algorithms, the data path, and signing in on a server.

Used by the SSH front and its targets (`ssh`), and by the ways through SSH gateways (`gateways`).
"""
