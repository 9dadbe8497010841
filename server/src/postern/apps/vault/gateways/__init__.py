"""Gateways: SSH servers through which the assets of a domain are reached."""
