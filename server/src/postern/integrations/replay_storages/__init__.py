"""Storages for recordings. `port` defines the interface; each other module implements one kind of storage.

A new kind must pass `tests/unit/integrations/replay_storages/contract.py`, which tests everything that callers rely on.
"""
