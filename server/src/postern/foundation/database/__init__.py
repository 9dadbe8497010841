"""Connections, transactions, locks and statements for all tables."""
