"""Storages of recordings and of commands: which there are, how they are reached, and which is the default."""
