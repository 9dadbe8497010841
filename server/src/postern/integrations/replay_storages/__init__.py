"""Where recordings are kept. `port` says what a storage can do; each other module is one kind of storage.

A new kind passes `tests/unit/integrations/replay_storages/contract.py`, which holds everything that callers rely on.
"""
