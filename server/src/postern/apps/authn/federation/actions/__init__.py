"""The common part of writes of providers."""
