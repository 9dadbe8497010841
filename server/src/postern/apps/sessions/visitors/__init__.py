"""Visitors: users who signed in through a proxy, for whom the proxy may act."""
