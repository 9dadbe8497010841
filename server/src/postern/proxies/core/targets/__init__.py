"""Connections to targets: connectors by protocol, the interface that fronts use, and the addresses that may be
dialled.
"""
