"""Connections, transactions, locks and statements: what all tables share."""
