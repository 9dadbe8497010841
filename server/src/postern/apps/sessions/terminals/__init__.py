"""Terminals: registered proxies, their credentials, and their last reported state."""
