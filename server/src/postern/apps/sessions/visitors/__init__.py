"""Visitors: people who signed in through a proxy, for whom it may act."""
