"""The decision whether a user may use a system user on an asset now, with every reason."""
