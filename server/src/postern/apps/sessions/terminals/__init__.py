"""Terminals: registered proxies, their credentials, and what they last said about themselves."""
