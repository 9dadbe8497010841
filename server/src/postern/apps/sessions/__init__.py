"""Sessions: terminals (registered proxies), sessions, commands, recordings, connection tokens."""
