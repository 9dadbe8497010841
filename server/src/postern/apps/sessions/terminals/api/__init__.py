"""The API of terminals, and the base of the internal API for proxies."""
